import type { ChalkInstance } from 'chalk';
import type { Confidence, Contract, Finding, Observations, Proposal } from '../model/contract.ts';
import { aligned, printable, thousands } from './output.ts';

const SETTING_WIDTH = 26;
const CONFIDENCE_WIDTH = 'certain'.length;
/** Narrower than this no table is legible: lines wrap then. */
const LEAST_WIDTH = 60;

/** What documents come to, for a person to agree with or not. `width`: that of the terminal, in characters. */
export function proposalText({ contract, questions, notes }: Proposal, width: number, paint: ChalkInstance): string {
  return [
    `${paint.bold('Learned from')} ${sourceText(contract)}`,
    ...findingsTable(contract.findings, width, paint),
    ...notes.map((note) => `${paint.yellow('!')} ${printable(note)}`),
    ...(questions.length > 0 ? [paint.bold('Only you can say')] : []),
    ...questions.flatMap(({ text, answer }) => [`  ${printable(text)}`, `    ${paint.dim(printable(answer))}`]),
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

/** A finding a line; why it is thought so below those that the document does not state. */
function findingsTable(findings: readonly Finding[], width: number, paint: ChalkInstance): string[] {
  const settingWidth = Math.min(
    SETTING_WIDTH,
    Math.max('setting'.length, ...findings.map(({ setting }) => setting.length)),
  );
  const room = Math.max(width, LEAST_WIDTH) - settingWidth - CONFIDENCE_WIDTH - '  '.length * 4;
  const valueWidth = Math.min(
    Math.ceil(room / 2),
    Math.max('value'.length, ...findings.map(({ value }) => value.length)),
  );
  const whereWidth = room - valueWidth;
  const row = (...cells: string[]) => `  ${cells.join('  ')}`;
  const head = row(
    'setting'.padEnd(settingWidth),
    'value'.padEnd(valueWidth),
    'sure'.padEnd(CONFIDENCE_WIDTH),
    'where',
  );
  const rows = findings.flatMap(({ setting, value, where, confidence, why }) => [
    row(
      cell(setting, settingWidth),
      cell(value, valueWidth),
      sureness(confidence, paint),
      paint.dim(cutMiddle(printable(where), whereWidth)),
    ),
    ...(confidence === 'certain' ? [] : [row(' '.repeat(settingWidth), paint.dim(printable(why)))]),
  ]);
  return findings.length > 0 ? [paint.dim(head), ...rows] : [];
}

function sureness(confidence: Confidence, paint: ChalkInstance): string {
  const text = confidence.padEnd(CONFIDENCE_WIDTH);
  if (confidence === 'weak') return paint.yellow(text);
  return confidence === 'certain' ? paint.green(text) : text;
}

const cell = (text: string, width: number) => cutMiddle(printable(text), width).padEnd(width);

/** At most `width` characters: of a pointer, both the operation in front and the name at the end tell. */
function cutMiddle(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const head = Math.floor((width - 1) / 2);
  return [...characters.slice(0, head), '…', ...characters.slice(characters.length - (width - 1 - head))].join('');
}
