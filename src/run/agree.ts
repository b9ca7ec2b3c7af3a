import { commandLine, withFlags, withoutOptions } from '../cli/command-line.ts';
import type { Context } from '../cli/context.ts';
import { type Input, mapped, rememberable, rememberMapping } from '../cli/input.ts';
import { askUntil, leave } from '../cli/prompt.ts';
import type { RequestSession } from '../cli/session.ts';
import type { PlanOptions } from '../cli/table/options.ts';
import { wirePreview } from '../cli/wire-preview.ts';
import type { SubmitOptions } from '../delivery/submit.ts';
import { planMapping } from '../input/mapping.ts';
import { refuseSlip } from '../input/mapping-doubts.ts';
import { printable, thousands } from '../report/output.ts';
import { contractName } from '../report/terminal/contract-text.ts';
import { planText } from '../report/terminal/plan-text.ts';
import { FIELDS, isField } from '../request/lead/fields.ts';
import { columnLabel, type MappingOptions, mapKey, type Table } from '../request/lead/table.ts';
import { templateText } from '../request/lead/template.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import { SrqError } from '../request/words/errors.ts';
import { isAsked } from './consent.ts';
import { answered, columnQuestions } from './questions.ts';
import { requireNotSentBefore } from './sent-before.ts';

/** Shows the plan. `where` names the destination. */
export async function sayPlan(
  { context, preparation }: RequestSession,
  plan: ImportPlan,
  where: string,
): Promise<void> {
  const { contract } = preparation;
  const learned = contract.source
    ? { name: contractName(contract), wire: plan.first ? wirePreview(contract, plan.first.request) : [] }
    : null;
  // A rehearsal begins with an empty log, so it is no surprise that it does not know the results of an earlier one.
  const shown = context.options.sandbox ? { ...plan, notes: plan.table.notes } : plan;
  context.reporter.say((paint) => planText(shown, where, learned, paint));
  if (context.options.quiet) await sayRemembered(context, plan);
}

/** Without the plan, nobody would see a constant that was said of another file. */
async function sayRemembered(context: Context, { table, mapping }: ImportPlan): Promise<void> {
  const constants = mapping.sources.flatMap(({ field, columns, template, because }) =>
    template && columns.length === 0 && !because.startsWith('--') ? [`${field}=${templateText(template, String)}`] : [],
  );
  if (constants.length === 0) return;
  const told = printable(`Filled in as remembered for the header of ${table.path}: ${constants.join(', ')}.`);
  await context.warn(`${told} To change that: --set FIELD=VALUE`);
}

/** An import that the user is asked to agree to. */
interface ImportProposal {
  readonly input: Input;
  /** Description of the destination. */
  readonly where: string;
  /** The arguments of this import. */
  readonly command: readonly string[];
  /** What Enter does once nothing is left to correct. `asks` if another question follows. */
  readonly enter: 'sends' | 'queues' | 'asks';
}

/**
 * Plans and shows the import until the user has nothing to correct. The confirmation for a live service is asked for
 * later by `confirmImport`. Without a terminal, or with --yes or --quiet, the first plan is used. Throws
 * `SrqError('interrupted')` if the user leaves.
 */
export async function agreedPlan(
  session: RequestSession,
  { input, where, command: given, enter }: ImportProposal,
  options: Pick<PlanOptions, 'yes' | 'acceptLikely'> & Partial<Pick<SubmitOptions, 'again'>>,
  plan: (input: Input) => Promise<ImportPlan>,
) {
  const { context } = session;
  const asks = isAsked(context, options);
  const questions = columnQuestions(input.mapping, options, input.evidence.sample);
  for (let now = await answered(context, input, questions, asks); ; ) {
    const planned = await plan(now);
    await sayPlan(session, planned, where);
    const corrected = asks ? await askCorrection(context, now, question(enter, planned)) : null;
    if (corrected !== null) {
      now = mapped(now, corrected);
      continue;
    }
    const isSaid = asks && now !== input;
    const command = isSaid ? commandOf(given, now) : given;
    if (command !== given) {
      await context.warn(`To import this file again with the same mapping: ${commandLine(command)}`);
    }
    await requireNotSentBefore(session, now, planned, { ...options, asks, command });
    // Later files with this header must be read in the same way, even if they have grown, because their rows would
    // otherwise be other requests.
    const { ready, repeated } = planned.counts;
    // A rehearsal stores only what a person has seen.
    const isKept = asks || context.options.sandbox !== true;
    const isRemembered = (isSaid || ready + repeated > 0) && isKept;
    return {
      plan: planned,
      /** The arguments that read the file in the same way again: those given, if the profile remembers the columns. */
      command,
      /** Stores the mapping for later files with this header. Call it once everything is confirmed. */
      remember: async () => {
        if (isRemembered) await rememberMapping(context, now, isSaid);
      },
    };
  }
}

/** Asks for a correction of the mapping. Returns null if there is none. */
async function askCorrection(
  context: Context,
  { table, chosen, evidence }: Input,
  question: string,
): Promise<MappingOptions | null> {
  const corrected = await askUntil(context, question, (line) =>
    line === '' || line === 'q' ? line : correctedBy(line, table, chosen, evidence.parameters),
  );
  if (corrected === 'q') leave('Run the same command again when the file is ready.');
  return corrected === '' ? null : corrected;
}

function question(enter: ImportProposal['enter'], { counts: { ready }, problemGroups }: ImportPlan): string {
  // What the plan proposes for a country that no column gives can be typed.
  const proposed = problemGroups.find(({ code, isOfPlan }) => code === 'country.missing' && isOfPlan)?.mend;
  const example = /country=\w+/.exec(proposed ?? '')?.[0] ?? 'country=DE';
  const leads = ready === 1 ? '1 lead' : `${thousands(ready)} leads`;
  const does = enter === 'asks' || ready === 0 ? 'to go on' : `${enter} ${leads}`;
  return `Enter ${does} · q to quit\nOr type a correction, for example ${example}: `;
}

/**
 * Applies a correction. It is read as `COLUMN=FIELD` if the part after the last `=` is a field and the column exists, or
 * as `FIELD=COLUMN`, as the plan shows it, if only that fits. Otherwise it is read as `FIELD=VALUE`. Throws
 * `SrqError('usage')` if it is neither, or names an unknown column. `parameters` are further names that the service knows.
 */
function correctedBy(
  line: string,
  table: Pick<Table, 'columns'>,
  { map, set, ...earlier }: MappingOptions,
  parameters: ReadonlySet<string> = new Set(),
): MappingOptions {
  const [name, value] = halves(line, line.indexOf('='));
  const isReversed = isField(name) && hasColumn(table, value) && !(isField(value) && hasColumn(table, name));
  const [column, field] = isReversed ? [value, name] : halves(line, line.lastIndexOf('='));
  const meant =
    (isField(field) || field === '-') && (hasColumn(table, column) || !isField(name))
      ? { ...earlier, map: { ...map, [mapKey(column)]: field }, set: without(set, ([name]) => name === field) }
      : isField(name)
        ? { ...earlier, map: without(map, ([, field]) => field === name), set: { ...set, [name]: value } }
        : null;
  if (meant === null) {
    if (hasColumn(table, column)) refuseSlip(field, parameters);
    refuseSlip(name, parameters);
    throw new SrqError(
      'mapping.unclear',
      `"${line}" is neither COLUMN=FIELD nor FIELD=VALUE.`,
      `The fields are: ${FIELDS.join(', ')}`,
    );
  }
  planMapping(table.columns, meant, { sample: [], parameters });
  return meant;
}

/**
 * Returns the arguments that read the file as a person has said. What the profile remembers needs no flags, and would yield
 * to them.
 */
function commandOf(given: readonly string[], now: Input): readonly string[] {
  const bare = withoutOptions(given, ['--map', '--set', '--mapping']);
  if (rememberable(now) !== null) return bare.length === given.length ? given : bare;
  const asked = bare.filter((word) => word !== '--accept-likely');
  return withFlags(asked, [
    ...(now.mapping.sources.some(({ level }) => level === 'likely') ? ['--accept-likely'] : []),
    ...Object.entries(now.chosen.map).flatMap(([column, field]) => ['--map', `${column.trim()}=${field}`]),
    ...Object.entries(now.chosen.set).flatMap(([field, text]) => ['--set', `${field}=${text}`]),
  ]);
}

function halves(line: string, at: number): [string, string] {
  const unquoted = (text: string) => text.trim().replace(/^"(.*)"$/, '$1');
  return at < 1 ? ['', ''] : [unquoted(line.slice(0, at)), unquoted(line.slice(at + 1))];
}

function hasColumn({ columns }: Pick<Table, 'columns'>, name: string): boolean {
  return columns.some((_, at) => columnLabel(columns, at).trim().toLowerCase() === name.toLowerCase());
}

function without(texts: Readonly<Record<string, string>>, isLeftOut: (entry: [string, string]) => boolean) {
  return Object.fromEntries(Object.entries(texts).filter((entry) => !isLeftOut(entry)));
}
