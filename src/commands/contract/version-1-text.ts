import type { Confidence, ContractFinding, Proposal } from '../../contract/version-1/contract.ts';
import { toVersion2 } from '../../contract/version-1/to-version-2.ts';
import { type Paint, padded, printable, textWidth, thousands, wrapped } from '../../report/output.ts';
import { contractName } from '../../report/terminal/contract-text.ts';

const GAP = '  ';
const SETTING_WIDTH = 26;
const CONFIDENCE_WIDTH = 'certain'.length;
/** Minimum width of a table. On a narrower terminal its lines wrap, because a narrower table is not legible. */
const MIN_WIDTH = 60;
/** Minimum width of a terminal at which the place is shown beside its value. */
const WIDTH_FOR_PLACES = 120;
/** Maximum number of findings or notes shown, which is more than anyone reads. Weak findings are shown all the same. */
const MAX_LINES = 200;

/** Formats what was learned from documents, for a person to confirm. `width` is that of the terminal, in characters. */
export function proposalText({ contract, questions, notes }: Proposal, width: number, paint: Paint): string {
  const shownNotes = notes.slice(0, MAX_LINES);
  // A question with a default answer is among the notes.
  const open = questions.filter(({ unanswered }) => unanswered === undefined);
  return [
    `${paint.bold('Learned from')} ${contractName(toVersion2(contract))}, ${printable(contract.source?.kind ?? '')}`,
    ...findingsTable(contract.findings, width, paint),
    ...shownNotes.map((note) => `${paint.yellow('!')} ${printable(note)}`),
    ...moreLine(notes, shownNotes),
    ...(open.length > 0 ? [paint.bold('Only you can say')] : []),
    ...open.flatMap(({ text, answer }) => [`  ${printable(text)}`, `    ${paint.dim(printable(answer))}`]),
  ].join('\n');
}

/**
 * Formats the findings, one per line. A value is never cut, because a person confirms it. The reason for a finding that
 * the document does not state is shown below it. The place is shown below the value if the terminal has no room for it
 * beside.
 */
function findingsTable(findings: readonly ContractFinding[], width: number, paint: Paint): string[] {
  const shown = findings.filter(({ confidence }, index) => index < MAX_LINES || confidence === 'weak');
  const settingWidth = columnWidth(
    'setting',
    SETTING_WIDTH,
    shown.map(({ setting }) => setting),
  );
  const indent = ' '.repeat(settingWidth + GAP.length * 2);
  const room = Math.max(width, MIN_WIDTH) - indent.length - CONFIDENCE_WIDTH - GAP.length;
  const isWide = width >= WIDTH_FOR_PLACES;
  const valueWidth = columnWidth(
    'value',
    isWide ? Math.ceil((room - GAP.length) / 2) : room,
    shown.map(({ value }) => printable(value)),
  );
  const roomBelow = Math.max(width, MIN_WIDTH) - indent.length;
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

/** Returns the width that a column needs, at most `maxWidth`. */
function columnWidth(heading: string, maxWidth: number, texts: readonly string[]): number {
  return texts.reduce((width, text) => Math.min(maxWidth, Math.max(width, textWidth(text))), heading.length);
}

function moreLine(all: readonly unknown[], shown: readonly unknown[]): string[] {
  const left = all.length - shown.length;
  return left > 0 ? [`${GAP}… and ${thousands(left)} more; all are in: srq contract show --json`] : [];
}

function sureness(confidence: Confidence, paint: Paint): string {
  const text = confidence.padEnd(CONFIDENCE_WIDTH);
  if (confidence === 'weak') return paint.yellow(text);
  return confidence === 'certain' ? paint.green(text) : text;
}

/**
 * Cuts a text in its middle to `width` characters, because both the beginning and the end of a JSON pointer are
 * informative.
 */
function cutMiddle(text: string, width: number): string {
  const characters = [...text];
  if (characters.length <= width) return text;
  const head = Math.floor((width - 1) / 2);
  return [...characters.slice(0, head), '…', ...characters.slice(characters.length - (width - 1 - head))].join('');
}
