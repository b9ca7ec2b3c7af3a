import { type Contract, countryOf, withCountry } from '../request/contract/contract.ts';
import { MARKETS } from '../request/lead/markets.ts';
import type { Draft } from '../request/lead/service-request.ts';
import type { Mapping } from '../request/lead/table.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import type { LogView } from '../request/ports.ts';
import { memoize } from '../request/small.ts';
import { likelyPrepared, type Preparation, type Prepared, prepareDraft } from './prepare.ts';
import { rowsInRange } from './read-rows.ts';
import { loggedStatus, NEVER_AGAIN } from './sent-before.ts';

/** A way in which requests may have been read or addressed when they were sent, so that the log knows them by other keys. */
interface OtherReading {
  /** When that was, as the end of a sentence. */
  readonly when: string;
  readonly preparation: Preparation;
}

/** A way in which the rows of a file may have been read or addressed when they were sent. */
export interface Reading extends OtherReading {
  readonly mapping: Mapping;
}

type KnownKeys = Pick<LogView, 'lookup' | 'prefetch'>;

/**
 * Returns the readings by a contract that gave requests another country, or none. By it a telephone number gets its prefix,
 * and a request its language. `hasCountry` tells whether the requests name theirs, which counts more.
 */
function byOtherCountries(preparation: Preparation, hasCountry: boolean): OtherReading[] {
  const isGiven = countryOf(preparation.contract) !== null;
  const contracts = isGiven ? [withoutCountry(preparation.contract)] : hasCountry ? [] : byMarket(preparation.contract);
  return contracts.map(({ given, contract }) => {
    return { when: `the API description gave them ${given}`, preparation: { ...preparation, contract } };
  });
}

// Memoized, because what a contract describes is derived once for each object.
const withoutCountry = memoize((contract: Contract) => ({
  given: 'no country',
  contract: withCountry(contract, null),
}));
const byMarket = memoize((contract: Contract) =>
  MARKETS.map(({ code }) => ({ given: `the country ${code}`, contract: withCountry(contract, code) })),
);

function isKnown(key: string, log: KnownKeys): boolean {
  return loggedStatus(log.lookup(key), NEVER_AGAIN) !== null;
}

/**
 * Returns when a request was sent that the log knows not as it is read now, but as it may have been read or addressed
 * before. Returns null if there is no such reading, or if the log knows the request as it is read now.
 */
export async function draftSentBefore(
  draft: Draft,
  own: Prepared,
  preparation: Preparation,
  log: KnownKeys,
): Promise<string | null> {
  const readings = own.request ? byOtherCountries(preparation, draft.fields['country'] !== undefined) : [];
  if (!own.request || readings.length === 0) return null;
  await log.prefetch([own.key]);
  if (isKnown(own.key, log)) return null;
  const others = await Promise.all(readings.map((each) => prepareDraft(draft, null, each.preparation)));
  await log.prefetch(others.flatMap((each) => (each.request ? [each.key] : [])));
  return readings.find((_, at) => others[at]?.request && isKnown(others[at].key, log))?.when ?? null;
}

/** Rows that were created under another reading. */
interface SentBefore {
  readonly rows: number;
  /** When that was, as the end of a sentence. */
  readonly when: string;
}

/** Number of rows that are looked at for many readings, of which nothing says that they ever applied. */
const FEW_ROWS = 1_000;

/**
 * Returns how many of the ready rows of a plan were created under another reading, the first one with such rows, or
 * null. `further` are readings that the caller knows of. The log is opened only if there are readings to look for.
 */
export async function rowsSentBefore(
  plan: ImportPlan,
  preparation: Preparation,
  { further, openLog }: { readonly further: readonly Reading[]; readonly openLog: () => Promise<KnownKeys> },
): Promise<SentBefore | null> {
  if (plan.counts.ready === 0) return null;
  const { mapping } = plan;
  const hasCountry = mapping.sources.some(({ field }) => field === 'country');
  const countries = byOtherCountries(preparation, hasCountry).map((each) => ({ ...each, mapping }));
  for (const readings of [further, countries]) {
    if (readings.length === 0) continue;
    const maxRows = readings === countries && countries.length > 1 ? FEW_ROWS : undefined;
    const created = await createdUnder(readings, plan, await openLog(), maxRows);
    const at = created.findIndex((count) => count > 0);
    const [rows, reading] = [created[at], readings[at]];
    if (rows !== undefined && reading) return { rows, when: reading.when };
  }
  return null;
}

/** Says that rows were sent before, and what sending them now would do. `rows` is their number as text. */
export function sentBeforeText(rows: string, { when }: Pick<SentBefore, 'when'>): string {
  return `${rows} of the rows to be sent were created before, when ${when}. If they are sent now, they are created again.`;
}

/**
 * Counts, for each of several other readings of the same file, the ready rows that were or may have been created under
 * that reading. The log does not know them by their new keys. All rows are looked at, or about `maxRows` of them, in one
 * pass over the file.
 */
export async function createdUnder(
  readings: readonly Pick<Reading, 'mapping' | 'preparation'>[],
  { table, range, ledger }: Pick<ImportPlan, 'table' | 'range' | 'ledger'>,
  log: KnownKeys,
  maxRows = Number.POSITIVE_INFINITY,
): Promise<readonly number[]> {
  const created = readings.map(() => 0);
  let looked = 0;
  for await (const batch of rowsInRange(table, range)) {
    const ready = batch.filter(({ number }) => ledger.status(number) === 'ready');
    const keys = readings.map(({ mapping, preparation }) =>
      ready.flatMap((row) => likelyPrepared(row, mapping, preparation)?.key ?? []),
    );
    await log.prefetch(keys.flat());
    for (const [at, each] of keys.entries())
      created[at] = (created[at] ?? 0) + each.filter((key) => isKnown(key, log)).length;
    looked += ready.length;
    if (looked >= maxRows) break;
  }
  return created;
}
