import { commandLine, withFlags } from '../cli/command-line.ts';
import type { Input } from '../cli/input.ts';
import { askLetter, leave } from '../cli/prompt.ts';
import type { RequestSession } from '../cli/session.ts';
import { type Reading, rowsSentBefore, sentBeforeText } from '../delivery/other-readings.ts';
import type { SubmitOptions } from '../delivery/submit.ts';
import { usedColumns } from '../input/kept-mapping.ts';
import { planMapping } from '../input/mapping.ts';
import { thousands } from '../report/output.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import { SrqError } from '../request/words/errors.ts';

/**
 * Stops before requests are created a second time because they are read or addressed in another way than before. This
 * concerns rows that were created under another mapping of this header, in the country that another contract gave them,
 * or under another spelling of the base URL. A person has to agree. Throws `SrqError('usage')` if nobody can be asked, and
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
  const what = await sentOtherwise(session, input, plan);
  if (what === null) return;
  if (!asks) {
    throw new SrqError(
      'rows.sent-before',
      `${what} Nothing was sent.`,
      `See what was sent: srq log; see how the columns are read: --dry-run. If these really are new requests: ${again === undefined ? 'srq bulk FILE --again' : commandLine(withFlags(command, ['--again']))}`,
    );
  }
  const answer = await askLetter(context, `${what}\n  y send them as new requests · n quit: `, ['y', 'n']);
  if (answer === 'n') leave('Compare with what was sent: srq log');
}

/** Describes rows that were created under another reading of this file, or returns null if there are none. */
async function sentOtherwise(session: RequestSession, input: Input, plan: ImportPlan): Promise<string | null> {
  const sent = await rowsSentBefore(plan, session.preparation, {
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
      mapping: planMapping(now.columns, { map: {}, set: chosen.set, remembered }, evidence),
      preparation,
    }))
    .filter(({ mapping }) => usedColumns(mapping) !== usedColumns(now));
}
