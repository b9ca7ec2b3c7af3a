import type { ChalkInstance } from 'chalk';
import type { Confidence, Contract, Finding, Observations, Proposal } from '../model/contract.ts';
import { aligned, printable, thousands } from './output.ts';
import { padded, textWidth, wrapped } from './text-width.ts';

const GAP = '  ';
const SETTING_WIDTH = 26;
const CONFIDENCE_WIDTH = 'certain'.length;
/** Narrower than this no table is legible: lines wrap then. */
const LEAST_WIDTH = 60;
/** From here on there is room for places beside values. */
const WIDTH_FOR_PLACES = 120;
/** More findings or notes than anyone reads; guesses are shown all the same. */
const MOST_LINES = 200;

/** What documents come to, for a person to agree with or not. `width`: that of the terminal, in characters. */
export function proposalText({ contract, questions, notes }: Proposal, width: number, paint: ChalkInstance): string {
  const shownNotes = notes.slice(0, MOST_LINES);
  // What counts without an answer is among the notes.
  const open = questions.filter(({ unanswered }) => unanswered === undefined);
  return [
    `${paint.bold('Learned from')} ${sourceText(contract)}`,
    ...findingsTable(contract.findings, width, paint),
    ...shownNotes.map((note) => `${paint.yellow('!')} ${printable(note)}`),
    ...moreLine(notes, shownNotes),
    ...(open.length > 0 ? [paint.bold('Only you can say')] : []),
    ...open.flatMap(({ text, answer }) => [`  ${printable(text)}`, `    ${paint.dim(printable(answer))}`]),
  ].join('\n');
}

/** The contract in force, with what live answers said of it. */
export function contractText(
  contract: Contract,
  observations: Observations,
  width: number,
  paint: ChalkInstance,
): string {
  const observed = Object.entries(observations).map(([setting, { confirmed, contradicted }]) => {
    const against = contradicted > 0 ? `, ${paint.yellow(`contradicted ${thousands(contradicted)} times`)}` : '';
    return [printable(setting), `confirmed ${thousands(confirmed)} times${against}`] as const;
  });
  return [
    `${paint.bold('Contract')} ${sourceText(contract)}`,
    ...findingsTable(contract.findings, width, paint),
    paint.bold('What live answers said'),
    ...(observed.length > 0 ? aligned(observed) : ['  nothing yet']),
  ].join('\n');
}

/** `Lead intake (api.yaml)`. */
export function contractName({ source }: Contract): string {
  return source ? printable(`${source.title} (${source.files.join(', ')})`) : 'what the public document says';
}

export const CONTRADICTION_HINT =
  'Ask for the current document and learn it: srq contract learn FILE   or: srq contract forget';

/** What to say of the settings that the service's answers did not bear out; null if all did. */
export function contradictionText({ findings }: Contract, seen: Observations): string | null {
  const wrong = Object.entries(seen).filter(([, { contradicted }]) => contradicted > 0);
  if (wrong.length === 0) return null;
  const places = wrong.map(([setting, { confirmed, contradicted }]) => {
    const where = findings.find((finding) => finding.setting === setting)?.where ?? '';
    const counted = `${thousands(contradicted)} of ${thousands(confirmed + contradicted)} answers`;
    return printable(`${setting}${where === '' ? '' : ` at ${where}`} (${counted})`);
  });
  return `The service does not answer as the contract says: ${places.join('; ')}. Those answers were read as without a contract.`;
}

function sourceText(contract: Contract): string {
  const { source } = contract;
  return source ? `${contractName(contract)}, ${printable(source.kind)}` : contractName(contract);
}

/**
 * A finding a line, its value never cut: a person agrees to it. Below those that the document does not state, why it is
 * thought so. Where a terminal has no room for the place beside the value, it comes below.
 */
function findingsTable(findings: readonly Finding[], width: number, paint: ChalkInstance): string[] {
  const shown = findings.filter(({ confidence }, index) => index < MOST_LINES || confidence === 'weak');
  const settingWidth = widest(
    'setting',
    SETTING_WIDTH,
    shown.map(({ setting }) => setting),
  );
  const indent = ' '.repeat(settingWidth + GAP.length * 2);
  const room = Math.max(width, LEAST_WIDTH) - indent.length - CONFIDENCE_WIDTH - GAP.length;
  const isWide = width >= WIDTH_FOR_PLACES;
  const valueWidth = widest(
    'value',
    isWide ? Math.ceil((room - GAP.length) / 2) : room,
    shown.map(({ value }) => printable(value)),
  );
  const roomBelow = Math.max(width, LEAST_WIDTH) - indent.length;
  const whereWidth = isWide ? room - valueWidth - GAP.length : roomBelow;
  const row = (setting: string, value: string, sure: string, where: string) =>
    GAP + [setting.padEnd(settingWidth), padded(value, valueWidth), sure, where].join(GAP).trimEnd();
  const rows = shown.flatMap(({ setting, value, where, confidence, why }) => {
    const place = paint.dim(cutMiddle(printable(where), whereWidth));
    const [first = '', ...others] = wrapped(printable(value), valueWidth);
    const reason = confidence === 'certain' ? [] : wrapped(printable(why), roomBelow).map((line) => paint.dim(line));
    const below = [...others, ...(isWide || where === '' ? [] : [place]), ...reason];
    const beside = isWide && where !== '' ? place : '';
    return [
      row(cutMiddle(printable(setting), settingWidth), first, sureness(confidence, paint), beside),
      ...below.map((line) => indent + line),
    ];
  });
  const head = row('setting', 'value', 'sure'.padEnd(CONFIDENCE_WIDTH), isWide ? 'where' : '');
  return shown.length > 0 ? [paint.dim(head), ...rows, ...moreLine(findings, shown)] : [];
}

/** What a column needs, but at most `most`. */
function widest(heading: string, most: number, texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.min(most, Math.max(width, textWidth(text))), heading.length);
}

function moreLine(all: readonly unknown[], shown: readonly unknown[]): string[] {
  const left = all.length - shown.length;
  return left > 0 ? [`${GAP}… and ${thousands(left)} more; all are in: srq contract show --json`] : [];
}

function sureness(confidence: Confidence, paint: ChalkInstance): string {
  const text = confidence.padEnd(CONFIDENCE_WIDTH);
  if (confidence === 'weak') return paint.yellow(text);
  return confidence === 'certain' ? paint.green(text) : text;
}

/** At most `width` characters: of a pointer, both the operation in front and the name at the end tell. */
function cutMiddle(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const head = Math.floor((width - 1) / 2);
  return [...characters.slice(0, head), '…', ...characters.slice(characters.length - (width - 1 - head))].join('');
}
