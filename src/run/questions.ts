import { commandLine, withFlags } from '../cli/command-line.ts';
import type { Context } from '../cli/context.ts';
import { type Input, mapped } from '../cli/input.ts';
import { askLetter, leave } from '../cli/prompt.ts';
import type { PlanOptions } from '../cli/table/options.ts';
import type { ColumnSample } from '../input/columns/sample.ts';
import { clip, printable } from '../report/output.ts';
import type { Field } from '../request/lead/fields.ts';
import { columnLabel, type Mapping, mapKey } from '../request/lead/table.ts';
import { SrqError } from '../request/words/errors.ts';
import { isAsked } from './consent.ts';

/** A question about columns that a person has to answer before anything is sent. */
type ColumnQuestion = ReturnType<typeof columnQuestions>[number];

const MAX_COLUMN_SAMPLES = 3;
const MAX_SAMPLES = 6;

/**
 * Returns the questions about the columns of a file, in the order of the plan. `--accept-likely` answers those about
 * likely columns.
 */
export function columnQuestions(
  mapping: Mapping,
  { acceptLikely = false }: { readonly acceptLikely?: boolean },
  sample: ColumnSample = [],
) {
  const labels = (at: readonly number[]) => at.map((index) => columnLabel(mapping.columns, index));
  const samples = (at: readonly number[]) =>
    at
      .flatMap((index) => (sample[index] ?? []).filter((cell) => cell.trim() !== '').slice(0, MAX_COLUMN_SAMPLES))
      .slice(0, MAX_SAMPLES);
  // Up to three cells of each column, and six in total. They are personal data.
  const of = (field: string, at: readonly number[]) => ({ field, columns: labels(at), samples: samples(at) });
  const likely = mapping.sources
    .filter(({ level }) => level === 'likely')
    .map(({ field, columns, because }) => {
      // These are used if the person agrees.
      return { ...of(field, columns), kind: 'likely' as const, because, beside: [], isOthers: false };
    });
  const leftOut = mapping.missed.map(({ field, index, isOthers }) => {
    const others = isOthers ? ', but its name suggests somebody other than the customer' : '';
    const because = `it plainly holds ${HELD[field]}${others}`;
    // Other columns that give the field as well come first. If it seems to be another person's, leaving it out is proposed.
    const sources = mapping.sources.filter((source) => source.field === field && source.template === null);
    const beside = sources.flatMap(({ columns }) => labels(columns));
    return { ...of(field, [index]), kind: 'left out' as const, because, beside, isOthers };
  });
  return acceptLikely ? leftOut : [...likely, ...leftOut];
}

const HELD = { phone: 'telephone numbers', email: 'e-mail addresses', request_text: 'longer texts' } as const;

/**
 * Optional fields of a request. A run that nobody watches does not stop because of columns that are only likely to be these,
 * but leaves them out, and the plan says so.
 */
const OPTIONAL: ReadonlySet<string> = new Set<Field>(['category', 'ref', 'lang', 'audio_file']);

/**
 * Returns the input with the user's answers to the questions. If nobody can be asked, the columns are left out, with a
 * message.
 */
export async function answered(
  context: Context,
  input: Input,
  questions: readonly ColumnQuestion[],
  isAnswered: boolean,
): Promise<Input> {
  if (questions.length === 0) return input;
  const [taken, leftOut]: [ColumnQuestion[], ColumnQuestion[]] = [[], []];
  for (const [at, question] of questions.entries()) {
    if (isAnswered) {
      const count = questions.length > 1 ? `(${at + 1} of ${questions.length}) ` : '';
      const answer = await askLetter(context, `${count}${questionText(question)}`, ['y', 'n', 'q']);
      if (answer === 'q') leave('Run the same command again when the columns are clear.');
      (answer === 'y' ? taken : leftOut).push(question);
    } else {
      const names = question.columns.map(printable).join(', ');
      await context.warn(`Left out: ${names}, which may be the ${question.field}. To take it: --accept-likely`);
      leftOut.push(question);
    }
  }
  const { chosen } = input;
  const said = [...taken.flatMap((each) => saying(each, true)), ...leftOut.flatMap((each) => saying(each, false))];
  const map = Object.fromEntries(said.map(([name, field]) => [mapKey(name), field]));
  return mapped(input, { ...chosen, map: { ...chosen.map, ...map } });
}

/**
 * Says an answer as `--map` does. A likely column that is right is used without a word. The columns beside one that was left
 * out are named with it, because a field that is named takes nothing from columns that are only understood.
 */
function saying({ kind, field, columns, beside }: ColumnQuestion, isTaken: boolean): [column: string, field: string][] {
  if (!isTaken) return columns.map((name) => [name, '-']);
  return kind === 'likely' ? [] : [...beside, ...columns].map((name) => [name, field]);
}

const SAMPLE_WIDTH = 24;

function questionText(question: ColumnQuestion): string {
  const { kind, field, columns, because, samples } = question;
  const cells = samples.map((cell) => clip(printable(cell), SAMPLE_WIDTH)).join(' · ');
  const isLikely = kind === 'likely';
  const asked = isLikely ? `Is ${namesText(columns)} the ${field}?` : `${described(question)}.`;
  const yes = isLikely ? 'y yes' : `y take it as ${field}`;
  return `${asked}\n  ${because}\n  ${cells}\n  ${yes} · n leave it out · q quit: `;
}

const SHOWN_COLUMNS = 4;
const NAME_WIDTH = 40;

/** Names the first few columns, so that a question fits on a screen. */
function namesText(columns: readonly string[]): string {
  const shown = columns.slice(0, SHOWN_COLUMNS).map((name) => `"${clip(printable(name), NAME_WIDTH)}"`);
  const more = columns.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(' + ');
}

const MAX_TOLD = 10;

/**
 * Throws `SrqError('usage')` if there are open questions about the columns and nobody can be asked. The hint is a command
 * to paste. `command` are the arguments of the import.
 */
export function requireAnswers(
  context: Context,
  { mapping }: Input,
  command: readonly string[],
  options: Pick<PlanOptions, 'yes' | 'acceptLikely'>,
): void {
  if (isAsked(context, options)) return;
  const open = columnQuestions(mapping, options).filter(({ kind, field }) => kind !== 'likely' || !OPTIONAL.has(field));
  const count = open.length;
  if (count === 0) return;
  const told = open.slice(0, MAX_TOLD).map((question) => `${described(question)} (${question.because})`);
  if (count > MAX_TOLD) told.push(`and ${count - MAX_TOLD} more`);
  const [columnsNeed, it] = count === 1 ? ['One column needs', 'it'] : [`${count} columns need`, 'them'];
  throw new SrqError(
    'columns.undecided',
    `${columnsNeed} a decision, and without a terminal nobody can be asked about ${it}: ${told.join('; ')}. Nothing was sent.`,
    `If that is right: ${commandLine(decidingCommand(open, command))}\nTo leave a column out: --map 'COLUMN=-'. For the whole plan: --dry-run`,
  );
}

function described({ kind, field, columns }: ColumnQuestion): string {
  const names = namesText(columns);
  return kind === 'likely'
    ? `${names} is likely the ${field}`
    : `${names} would be left out, and no other column gives the ${field}`;
}

/** Returns the command that answers the questions with the most likely answers: yes, but no for columns of other people. */
export function decidingCommand(open: readonly ColumnQuestion[], command: readonly string[]): readonly string[] {
  const said = open
    .filter(({ kind }) => kind === 'left out')
    .flatMap((question) => saying(question, !question.isOthers))
    .map(([name, field]) => `${name.replace(UNSEEN, ' ').trim()}=${field}`);
  return withFlags(command, [
    ...(open.some(({ kind }) => kind === 'likely') ? ['--accept-likely'] : []),
    ...[...new Set(said)].flatMap((each) => ['--map', each]),
  ]);
}

/** Matches control characters and invisible marks, which are lost on a terminal. Columns are found without them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;
