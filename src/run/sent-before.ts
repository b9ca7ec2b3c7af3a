import { commandLine, withFlags } from '../cli/command-line.ts';
import { type Input, planWithProgress } from '../cli/input.ts';
import { askLetter, leave } from '../cli/prompt.ts';
import type { RequestSession } from '../cli/session.ts';
import { knownUnder } from '../delivery/other-readings.ts';
import type { Reading } from '../delivery/prepare.ts';
import { NEVER_AGAIN, otherLeads, requireOwnReferences } from '../delivery/sent-before.ts';
import type { SubmitOptions } from '../delivery/submit.ts';
import { usedColumns } from '../input/kept-mapping.ts';
import { planMapping } from '../input/mapping.ts';
import { thousands } from '../report/output.ts';
import { countryOf, withoutCountry } from '../request/contract/contract.ts';
import { mapKey } from '../request/lead/table.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import type { LogView } from '../request/ports.ts';
import { SrqError } from '../request/words/errors.ts';

/**
 * Stops before rows are created a second time because they were read in another way before. A person has to agree. Throws
 * `SrqError('usage')` if nobody can be asked, and `SrqError('interrupted')` if the person does not agree.
 */
export async function requireNotSentBefore(
  session: RequestSession,
  input: Input,
  plan: ImportPlan,
  { asks, again, command }: { readonly asks: boolean; readonly command: readonly string[] } & Partial<SubmitOptions>,
): Promise<void> {
  if (again) return;
  await requireOtherReferences(session, plan, command, again === undefined ? 'srq bulk FILE --again' : '--again');
  if (plan.counts.ready === 0) return;
  const { context } = session;
  const known = await sentOtherwise(session, input, plan);
  if (known === null) return;
  const { taken, unknown, when, added } = known;
  if (unknown > 0) {
    const message = `${thousands(unknown)} of the rows to be sent may have been taken before, when ${when}: the outcome is unknown. Nothing was sent.`;
    throw new SrqError('rows.sent-before', message, 'Settle that first: srq resolve');
  }
  const what = `${thousands(taken)} of the rows to be sent were created before, when ${when}. If they are sent now, they are created again.`;
  if (!asks) {
    const asBefore = added.flatMap((label) => ['--map', `${label}=-`]);
    const others =
      asBefore.length > 0 ? `To send only the others: ${commandLine(withFlags(command, asBefore))}    ` : '';
    throw new SrqError(
      'rows.sent-before',
      `${what} Nothing was sent.`,
      `See what was sent: srq log; see how the columns are read: --dry-run. ${others}If these really are new requests: ${again === undefined ? 'srq bulk FILE --again' : commandLine(withFlags(command, ['--again']))}`,
    );
  }
  const answer = await askLetter(context, `${what}\n  y send them as new requests · n quit: `, ['y', 'n']);
  if (answer === 'n') leave('Compare with what was sent: srq log');
}

/** Refuses a file of other leads, whose references were created with other content. */
async function requireOtherReferences(
  session: RequestSession,
  plan: ImportPlan,
  command: readonly string[],
  anyway: string,
): Promise<void> {
  if (!plan.held?.size) return;
  const { mapping } = plan;
  const [at = -1] = mapping.sources.find(({ field }) => field === 'ref')?.columns ?? [];
  const ignored = withFlags(command, ['--map', `${mapping.columns[at] ?? 'COLUMN'}=-`]);
  const hint = `If they are other leads, these are no references: ${commandLine(ignored)}    To create them in any case: ${anyway}`;
  await requireOwnReferences(plan, await session.logReader(), hint);
}

/** Returns the rows that an import would not send because of the request that had their reference before. */
export async function heldRows(
  session: RequestSession,
  input: Input,
  log: LogView,
): Promise<NonNullable<ImportPlan['held']>> {
  // Without references, the file need not be read once more.
  if (!input.mapping.sources.some(({ field }) => field === 'ref')) return new Map();
  const plan = await planWithProgress(session, input, log, { ...NEVER_AGAIN, skip: 0 });
  return ((await otherLeads(plan, log)) === 0 && plan.held) || new Map();
}

/**
 * Counts the rows that were or may have been created under another reading of this header. Returns null if there are none.
 */
async function sentOtherwise(session: RequestSession, { evidence }: Input, plan: ImportPlan) {
  const readings = await otherReadings(session, { mapping: plan.mapping, evidence });
  if (readings.length === 0) return null;
  const known = await knownUnder(readings, plan, await session.logReader());
  const found = known.flatMap((rows, at) =>
    rows.taken + rows.unknown > 0 ? [{ ...rows, when: readings[at]?.when, added: readings[at]?.added ?? [] }] : [],
  );
  return found.find(({ unknown }) => unknown > 0) ?? found[0] ?? null;
}

/**
 * Returns the other readings under which rows of a file with this header may have been sent: under an earlier mapping, and
 * before the API description gave them a country.
 */
export async function otherReadings(
  { context, preparation }: RequestSession,
  { mapping: now, evidence }: Pick<Input, 'mapping' | 'evidence'>,
): Promise<readonly (Reading & { readonly when: string; readonly added: readonly string[] })[]> {
  const used = (await context.mappings())?.used(now.columns) ?? [];
  const { contract } = preparation;
  const before = {
    when: 'the API description gave them no country',
    added: [],
    mapping: now,
    preparation: { ...preparation, contract: withoutCountry(contract) },
  };
  const mapped = used
    .map((remembered) => {
      // A column that was not there then is left out.
      const added = remembered.changes?.added ?? [];
      const map = Object.fromEntries(added.map((label) => [mapKey(label), '-']));
      return {
        added,
        when: `the columns were read as on ${remembered.on}`,
        mapping: planMapping(now.columns, { map, set: {}, remembered }, evidence),
        preparation,
      };
    })
    .filter(({ mapping }) => usedColumns(mapping) !== usedColumns(now));
  return [...mapped, ...(countryOf(contract) === null ? [] : [before])];
}
