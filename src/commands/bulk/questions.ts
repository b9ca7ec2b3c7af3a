import { commandLine } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { type Input, mapped } from '../../cli/input.ts';
import { askKey } from '../../cli/prompt.ts';
import type { ColumnSample } from '../../input/columns/sample.ts';
import { clip, printable } from '../../report/output.ts';
import { SrqError } from '../../request/errors.ts';
import type { Field } from '../../request/fields.ts';
import { columnLabel, type FieldSource, type Mapping, type MappingOptions } from '../../request/table.ts';

/** Something about the columns that a person has to decide before anything is sent. */
export interface ColumnQuestion {
  /** `likely`: the columns are taken if the person agrees. `left out`: they hold what the request still lacks. */
  readonly kind: 'likely' | 'left out';
  readonly field: string;
  readonly how: FieldSource['how'];
  /** The labels of the columns. */
  readonly columns: readonly string[];
  readonly because: string;
  /** Up to three cells of each column. They are personal data. */
  readonly samples: readonly string[];
}

const MAX_SAMPLES = 3;

/** Returns what is to be decided about the columns of a file, in the order of the plan. */
export function columnQuestions(mapping: Mapping, sample: ColumnSample = []): ColumnQuestion[] {
  const labels = (at: readonly number[]) => at.map((index) => columnLabel(mapping.columns, index));
  const samples = (at: readonly number[]) =>
    at.flatMap((index) => (sample[index] ?? []).filter((cell) => cell.trim() !== '').slice(0, MAX_SAMPLES));
  const likely = mapping.sources
    .filter(({ level }) => level === 'likely')
    .map(({ field, how, columns, because }) => ({
      ...{ kind: 'likely' as const, field, how, because },
      ...{ columns: labels(columns), samples: samples(columns) },
    }));
  const leftOut = mapping.missed.map(({ field, index }) => ({
    ...{ kind: 'left out' as const, field, how: 'first' as const, because: `it plainly holds ${HELD[field]}` },
    ...{ columns: labels([index]), samples: samples([index]) },
  }));
  return [...likely, ...leftOut];
}

const HELD = { phone: 'telephone numbers', email: 'e-mail addresses', request_text: 'longer texts' } as const;

/** Fields without which a request can go. A run that nobody watches does not stop for them: it leaves them out. */
const OPTIONAL: ReadonlySet<string> = new Set<Field>(['category', 'ref', 'lang', 'audio_file']);

/** Tells whether a run may go on without an answer: the column is left out then, and the plan says so. */
export function isOptional({ kind, field }: ColumnQuestion): boolean {
  return kind === 'likely' && OPTIONAL.has(field);
}

/** Leaves the columns of questions out, as a run does that nobody can be asked about. */
export function leftOut(chosen: MappingOptions, questions: readonly ColumnQuestion[]): MappingOptions {
  return questions.reduce((rest, question) => answered(rest, question, false), chosen);
}

/** Leaves out the questions that `--accept-likely` answers. Columns that are left out are asked about all the same. */
export function openQuestions(questions: readonly ColumnQuestion[], acceptLikely: boolean): readonly ColumnQuestion[] {
  return acceptLikely ? questions.filter(({ kind }) => kind === 'left out') : questions;
}

/** Asks a person each question with one key, and returns the mapping as answered. */
export async function askQuestions(
  context: Context,
  input: Input,
  questions: readonly ColumnQuestion[],
  options: Parameters<typeof mapped>[2],
): Promise<Input> {
  let { chosen } = input;
  for (const question of questions) {
    const answer = await askKey(context, questionText(question), ['y', 'n', 'q']);
    if (answer === 'q') {
      throw new SrqError('interrupted', 'Nothing was sent.', 'Run the same command again when the columns are clear.');
    }
    chosen = answered(chosen, question, answer === 'y');
  }
  return mapped(input, chosen, options);
}

const SAMPLE_WIDTH = 24;

function questionText({ kind, field, columns, because, samples }: ColumnQuestion): string {
  const names = columns.map((name) => `"${printable(name)}"`).join(' + ');
  const cells = samples.map((cell) => clip(printable(cell), SAMPLE_WIDTH)).join(' · ');
  const asked =
    kind === 'likely' ? `Is ${names} the ${field}?` : `${names} is left out, and nothing gives the ${field}.`;
  const keys =
    kind === 'likely' ? 'y yes · n leave it out · q leave' : `y take it as ${field} · n leave it out · q leave`;
  return `${asked}\n  ${because}\n  ${cells}\n  ${keys}: `;
}

/** Returns the mapping with the answer to one question. */
function answered(
  chosen: MappingOptions,
  { field, how, columns }: Pick<ColumnQuestion, 'field' | 'how' | 'columns'>,
  isTaken: boolean,
): MappingOptions {
  if (isTaken && how === 'join') return { ...chosen, join: { ...chosen.join, [field]: columns } };
  const said = Object.fromEntries(columns.map((name) => [name, isTaken ? field : '-']));
  return { ...chosen, map: { ...chosen.map, ...said } };
}

/** A file with what is to be decided about its columns. */
interface AskedFile {
  readonly file: string;
  /** The arguments that import this file alone. */
  readonly command: readonly string[];
  readonly open: readonly ColumnQuestion[];
}

/**
 * Throws `SrqError('usage')` if questions are open that nobody is there to answer. The hint is the command to paste.
 * `command` are the arguments that import all files.
 */
export function requireDecided(files: readonly AskedFile[], command: readonly string[]): void {
  const count = files.reduce((sum, { open }) => sum + open.length, 0);
  if (count === 0) return;
  const name = (file: string) => (files.length > 1 ? `${printable(file)}: ` : '');
  const told = files.flatMap(({ file, open }) =>
    open.map((each) => `${name(file)}${described(each)} (${each.because}: ${masked(each.samples)})`),
  );
  const [columns, are] = count === 1 ? ['One column', 'is'] : [`${count} columns`, 'are'];
  throw new SrqError(
    'usage',
    `${columns} ${are} to be decided, and nobody can be asked: ${told.join('; ')}. Nothing was sent.`,
    `If that is right: ${commandLine(decidingCommand(files, command))}\nA column is left out by --map 'COLUMN=-'. The whole plan: --dry-run`,
  );
}

/**
 * Returns the command that answers the questions with yes. A column that is named by --map has to be in every file, so a
 * file that needs that is imported alone: its mapping is remembered then, also for the others.
 */
export function decidingCommand(files: readonly AskedFile[], command: readonly string[]): readonly string[] {
  const needsMap = files.find(({ open }) => open.some(({ kind }) => kind === 'left out'));
  if (needsMap) return [...needsMap.command, ...flagsFor(needsMap.open)];
  return [...command, ...flagsFor(files.flatMap(({ open }) => open))];
}

function described({ kind, field, columns }: ColumnQuestion): string {
  const names = columns.map((name) => `"${name}"`).join(' + ');
  return kind === 'likely' ? `${names} is likely the ${field}` : `${names} is left out, and nothing gives the ${field}`;
}

/** Returns the flags that answer the questions with yes. */
function flagsFor(questions: readonly ColumnQuestion[]): string[] {
  const takesLikely = questions.some(({ kind }) => kind === 'likely');
  const leftOut = questions.filter(({ kind }) => kind === 'left out');
  return [
    ...(takesLikely ? ['--accept-likely'] : []),
    ...leftOut.flatMap(({ field, columns }) => columns.flatMap((name) => ['--map', `${name}=${field}`])),
  ];
}

/** Shows the form of cells without what they say: letters become a, digits 0. */
function masked(samples: readonly string[]): string {
  const form = (cell: string) =>
    clip(cell, SAMPLE_WIDTH)
      .replace(/\p{Lu}/gu, 'A')
      .replace(/\p{L}/gu, (letter) => (letter === 'A' ? 'A' : 'a'))
      .replace(/\d/g, '0');
  return samples.map((cell) => `"${printable(form(cell))}"`).join(', ');
}
