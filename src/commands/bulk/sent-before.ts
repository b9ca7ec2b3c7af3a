import { commandLine } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import type { Input } from '../../cli/input.ts';
import { askKey } from '../../cli/prompt.ts';
import type { RequestSession } from '../../cli/session.ts';
import { type Reading, rowsSentBefore, sentBeforeText } from '../../delivery/other-readings.ts';
import type { SubmitOptions } from '../../delivery/submit.ts';
import { usedColumns } from '../../input/kept-mapping.ts';
import { planMapping } from '../../input/mapping.ts';
import { thousands } from '../../report/output.ts';
import { SrqError } from '../../request/errors.ts';
import type { ImportPlan } from '../../request/import-plan.ts';
import type { LogStore } from '../../request/log-store.ts';
import { withFlags } from './questions.ts';

/**
 * Minimum number of references, and minimum share of distinct ones, from which they are assumed to identify requests.
 */
const MIN_REFS = 3;
const MIN_DISTINCT = 0.9;

/**
 * Stops before requests are created a second time because they are read or addressed in another way than before. This
 * concerns rows that were created under another mapping of this header, in the country that another contract gave them,
 * or under another spelling of the base URL, and files most of whose references were created with other content. A
 * person has to agree. Throws `SrqError('usage')` if nobody can be asked, and
 * `SrqError('interrupted')` if the person does not agree.
 */
export async function requireNotSentBefore(
  session: RequestSession,
  input: Input,
  plan: ImportPlan,
  { asks, again, command }: { readonly asks: boolean; readonly command: readonly string[] } & Partial<SubmitOptions>,
): Promise<void> {
  if (again || plan.counts.ready === 0) return;
  const { context } = session;
  const what = (await sentOtherwise(session, input, plan)) ?? (await knownReferences(context, plan));
  if (what === null) return;
  if (!asks) {
    throw new SrqError(
      'rows.sent-before',
      `${what} Nothing was sent.`,
      `See what was sent: srq log; see how the columns are read: --dry-run. If these really are new requests: ${again === undefined ? 'srq bulk FILE --again' : commandLine(withFlags(command, ['--again']))}`,
    );
  }
  const answer = await askKey(context, `${what}\n  y send them as new requests · n quit: `, ['y', 'n']);
  if (answer === 'n') throw new SrqError('prompt.left', 'Nothing was sent.', 'Compare with what was sent: srq log');
}

/** Describes rows that were created under another reading of this file, or returns null if there are none. */
async function sentOtherwise(session: RequestSession, input: Input, plan: ImportPlan): Promise<string | null> {
  const sent = await rowsSentBefore(plan, session.preparation, {
    basePath: await session.context.basePath(),
    further: await underOtherMappings(session, input, plan),
    openLog: () => session.logReader(),
  });
  return sent && sentBeforeText(thousands(sent.rows), sent);
}

async function underOtherMappings(
  { context, preparation }: RequestSession,
  { chosen, evidence }: Input,
  { mapping: now }: ImportPlan,
): Promise<Reading[]> {
  const used = (await context.mappings())?.used(now.columns) ?? [];
  return used
    .map((remembered) => ({
      when: `the columns were read as on ${remembered.on}`,
      mapping: planMapping(now.columns, { map: {}, join: {}, set: chosen.set, remembered }, evidence),
      preparation,
    }))
    .filter(({ mapping }) => usedColumns(mapping) !== usedColumns(now));
}

/** Number of rows with known references that is enough for a warning, however long the file is. */
const MANY_REFS = 1_000;

/**
 * Asks the log whether requests with the references of the ready rows, but with other content, were created at this
 * service. Returns the message if that is so for most of the file, or null. A few corrected leads are meant to be new
 * requests.
 */
async function knownReferences(context: Context, { refs, rows }: ImportPlan): Promise<string | null> {
  const wanted = new Set(refs.sample);
  if (wanted.size < MIN_REFS || wanted.size < refs.sample.length * MIN_DISTINCT) return null;
  if (refs.count <= Math.min(rows, MANY_REFS) / 2) return null;
  const log = await context.logStore();
  const elsewhere = await runsElsewhere(context, log);
  const found = new Set<string>();
  for await (const { record } of log.records()) {
    if (record.event !== 'created' || record.ref === null || !wanted.has(record.ref)) continue;
    if (!elsewhere.has(record.run)) found.add(record.ref);
    if (found.size === wanted.size) break;
  }
  if (found.size <= wanted.size / 2) return null;
  const looked =
    wanted.size < refs.count ? `${thousands(wanted.size)} rows looked at` : `${thousands(wanted.size)} rows`;
  return `${thousands(found.size)} of ${looked} to be sent have references that were created before, with other content. If they are sent now, they are created again: was the mapping or the file changed since?`;
}

/** Returns the runs that were sent to another service under this profile. Their references say nothing about this one. */
async function runsElsewhere(context: Context, log: LogStore): Promise<ReadonlySet<string>> {
  const { baseUrl } = await context.settings();
  const service = baseUrl === null ? '' : new URL(baseUrl.value).host;
  const elsewhere = new Set<string>();
  for await (const note of log.notes()) {
    if (note.event === 'begin' && note.service !== service) elsewhere.add(note.run);
  }
  return elsewhere;
}
