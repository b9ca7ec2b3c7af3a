import type { ServiceRequest } from '../request/lead/service-request.ts';
import type { DeliveryLog, LogRecord, Look, MarketplaceApi, Verdict } from '../request/ports.ts';
import { runConcurrently } from './run-concurrently.ts';
import type { Submission } from './submit.ts';

/** Least and greatest number of requests known to be created that validate has to call duplicates in the same round. */
export const NEIGHBOURS = 12;
const MAX_NEIGHBOURS = 24;
/** Maximum time for which rounds wait so that a request and its neighbours can be compared at the same age. */
const MAX_GAP_MS = 20 * 60_000;
/** Maximum number of questions at once. The rate limit of the account applies as well. */
const MAX_CONCURRENT = 8;
const EARLIEST_MS = Date.UTC(2015, 0, 1);
const FUTURE_MS = 60_000;

/** When a request was sent, by the log's clock: at the earliest and at the latest. */
export interface SentTime {
  readonly firstMs: number;
  readonly lastMs: number;
}

/** Returns when the request of a record was sent, or null if the time of the record cannot be true. */
export function sentTime({ at, ms, looked = false }: LogRecord, nowMs: number): SentTime | null {
  const atMs = Date.parse(at);
  if (!(atMs >= EARLIEST_MS && atMs <= nowMs + FUTURE_MS)) return null;
  const firstMs = atMs - (ms ?? 0);
  return { firstMs, lastMs: Math.min(looked ? firstMs : atMs, nowMs) };
}

/** A request whose outcome is unknown, with what is needed to ask validate about it. */
export type Asked = NonNullable<Awaited<ReturnType<typeof withNeighbours>>>;

/**
 * Chooses the neighbours of a request: created requests, of its market where there are enough, nearest in time. Returns
 * null if there are too few, or too few that were sent at a time that shows something.
 */
export async function withNeighbours(
  submission: Submission,
  sent: SentTime,
  candidates: readonly Submission[],
  { log, api }: { readonly log: Pick<DeliveryLog, 'read' | 'nowMs'>; readonly api: Pick<MarketplaceApi, 'invented'> },
) {
  const records = await Promise.all(candidates.map(({ key }) => log.read(key)));
  const created = candidates.flatMap((each, at) => {
    const record = records[at];
    // An outcome that validate or a person has given cannot be used to test validate.
    if (record?.event !== 'created' || record.by !== null) return [];
    const time = sentTime(record, log.nowMs());
    // The rounds do not wait for one that is so much older.
    return time === null || sent.lastMs - time.firstMs > MAX_GAP_MS ? [] : [{ ...each, atMs: time.firstMs }];
  });
  const market = ({ request }: Submission) => request.params['country'];
  const nearby = created.filter((each) => market(each) === market(submission));
  const distanceMs = (atMs: number) => Math.max(sent.firstMs - atMs, atMs - sent.lastMs, 0);
  const nearest = (nearby.length >= NEIGHBOURS ? nearby : created).toSorted(
    (one, other) => distanceMs(one.atMs) - distanceMs(other.atMs),
  );
  // If validate sees none that is older, it may have forgotten this one, or show only the last ones.
  const older = nearest.find(({ atMs }) => atMs <= sent.firstMs);
  // A validate that ignores the end of a long text sees every shorter one.
  const long = nearest.find((each) => textBytes(each) >= textBytes(submission));
  // One that sees only common categories, or only requests with an e-mail address, sees every other one.
  const alike = nearest.find((each) => kindOf(each) === kindOf(submission));
  if (older === undefined || long === undefined || alike === undefined || nearest.length < NEIGHBOURS) return null;
  const chosen = [...new Set([older, long, alike, ...nearest])].slice(0, MAX_NEIGHBOURS);
  /** Time between two rounds after which a request is as old as its oldest neighbour was in the first. */
  const gapMs = sent.lastMs - Math.min(...chosen.map(({ atMs }) => atMs));
  const { request } = submission;
  /** Requests like it that cannot exist at the service. The same in both rounds, for a validate that remembers its questions. */
  const controls = [false, true].map((text) => api.invented(request, { customer: true, text }));
  /** One more of the same customer. A validate that knows it looks at customers, not at requests. */
  const ofCustomer = api.invented(request, { customer: false, text: true });
  return { submission, controls, ofCustomer, sent, neighbours: chosen as readonly Submission[], gapMs };
}

/** Returns what a validate that sees only some requests may go by: market, category, and which contacts there are. */
function kindOf({ request: { params, audio } }: Submission): string {
  const { country, category, email, phone } = params;
  return JSON.stringify([country, category, [email, phone, audio].map(Boolean)]);
}

function textBytes({ request: { params, audio } }: Submission): number {
  return audio?.sizeBytes ?? Buffer.byteLength(params['request_text'] ?? '');
}

/** What one round has shown of a request, or, if validate looks at customers, of one of its customer. */
export type Testimony = 'clear' | 'duplicate' | 'of the customer' | 'nothing';

/**
 * Asks validate about each request, its neighbours, and two invented requests like it. What validate says of a request
 * counts only if it calls all neighbours duplicates, and both invented requests clear.
 *
 * A broken validate may give the answer to another call. With `alone`, each request is therefore asked about once more, when
 * no other call is under way, right after a call whose answer has to be the opposite. One of the rounds that have to agree
 * is enough for that, which takes most of the time.
 */
export async function askRound(
  asked: readonly Asked[],
  api: Pick<MarketplaceApi, 'look' | 'tellApart'>,
  stopping: AbortSignal,
  alone: boolean,
): Promise<readonly Testimony[]> {
  const looks = new Map<unknown, Look[]>();
  const ask = async ([about, request]: readonly [about: unknown, request: ServiceRequest]) => {
    if (stopping.aborted) return;
    const look = await api.look(request);
    looks.set(about, [...(looks.get(about) ?? []), look]);
  };
  const controls = asked.flatMap((each) => each.controls);
  const looksAt = (about: readonly unknown[]) => about.flatMap((each) => looks.get(each) ?? []);
  const sayings = ({ neighbours }: Asked, about: unknown): readonly (Verdict | undefined)[] => {
    const tell = api.tellApart(looksAt(controls), looksAt(neighbours.map(({ key }) => key)));
    return looksAt([about]).map((look) => tell?.(look));
  };
  const neighbours = new Map(asked.flatMap((each) => each.neighbours.map(({ key, request }) => [key, request])));
  const others = asked.flatMap(({ submission: { key, request }, ofCustomer, controls: [one, other] }) => [
    ...(one ? [[one, one] as const] : []),
    [key, request] as const,
    [ofCustomer, ofCustomer] as const,
    ...(other ? [[other, other] as const] : []),
  ]);
  // Asked once before, so that a validate that remembers what it was asked about shows itself in both rounds.
  if (!alone) await sideBySide(controls, (control) => ask([null, control]));
  await sideBySide([...neighbours, ...others], ask);
  for (const each of alone ? asked : []) {
    const { submission, neighbours: near } = each;
    const [says] = sayings(each, submission.key);
    const opposite = says === 'clear' ? near[0]?.request : says === 'duplicate' ? each.controls[0] : undefined;
    if (opposite === undefined) continue;
    await ask([says === 'clear' ? near[0]?.key : opposite, opposite]);
    await ask([submission.key, submission.request]);
  }
  if (stopping.aborted) return asked.map(() => 'nothing');
  return asked.map((each) => {
    const [says, again] = sayings(each, each.submission.key);
    const isSure = says !== undefined && says !== 'unknown' && (!alone || says === again);
    if (!isSure) return 'nothing';
    const [saysOfCustomer] = sayings(each, each.ofCustomer);
    return says === 'duplicate' && saysOfCustomer !== 'clear' ? 'of the customer' : says;
  });
}

async function sideBySide<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  for await (const _ of runConcurrently(iterate(items), () => MAX_CONCURRENT, work));
}

async function* iterate<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}
