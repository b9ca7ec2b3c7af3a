import { commandLine } from '../../cli/command-line.ts';
import type { Context } from '../../cli/context.ts';
import { askKey } from '../../cli/prompt.ts';
import { thousands } from '../../report/output.ts';
import { SrqError } from '../../request/errors.ts';
import type { ImportPlan } from '../../request/import-plan.ts';

/** Minimum number of references, and share of different ones among them, that name requests and not something else. */
const MIN_REFS = 3;
const MIN_DISTINCT = 0.9;

/**
 * Stops before requests are created a second time because a mapping was corrected: if most references of the ready rows
 * were created before, but with other content, a person has to agree. Throws `SrqError('usage')` if nobody can be asked,
 * and `SrqError('interrupted')` if the person does not agree.
 */
export async function requireNewReferences(
  context: Context,
  plan: Pick<ImportPlan, 'refs'>,
  { asks, again }: { readonly asks: boolean; readonly again: boolean },
): Promise<void> {
  const known = again ? null : await knownReferences(context, plan);
  if (known === null) return;
  const { of, created } = known;
  const what = `${thousands(created)} of the first ${thousands(of)} rows to be sent have references that were created before, with other content. Sent now, they are created again: was the mapping or the file changed since?`;
  if (!asks) {
    const words = context.process.argv.slice(2);
    throw new SrqError(
      'usage',
      `${what} Nothing was sent.`,
      `Look at what was sent: srq log. If these are new requests all the same: ${commandLine([...words, '--again'])}`,
    );
  }
  const answer = await askKey(context, `${what}\n  y send them as new requests · n leave: `, ['y', 'n']);
  if (answer === 'n') throw new SrqError('interrupted', 'Nothing was sent.', 'Compare with what was sent: srq log');
}

/**
 * Asks the log whether it has created requests under the references of the rows that are ready, which are other requests
 * by their content. Returns how many, or null if they are fewer than most.
 */
async function knownReferences(
  context: Context,
  { refs }: Pick<ImportPlan, 'refs'>,
): Promise<{ readonly of: number; readonly created: number } | null> {
  const wanted = new Set(refs);
  if (wanted.size < MIN_REFS || wanted.size < refs.length * MIN_DISTINCT) return null;
  const found = new Set<string>();
  for await (const { record } of (await context.logStore()).records()) {
    if (record.event === 'created' && record.ref !== null && wanted.has(record.ref)) found.add(record.ref);
    if (found.size === wanted.size) break;
  }
  return found.size > wanted.size / 2 ? { of: wanted.size, created: found.size } : null;
}
