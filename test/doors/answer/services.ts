import { type Call, contentOf, type Lead, type Reply, type Service } from '../judged-service.ts';
import type { Random } from './random.ts';

/*
 * Services that nobody has seen: what they do, in which words and in which shapes they say so, drawn from what nobody
 * listed. A service that refuses differs from one that takes in something that a person who knows it could point at: a flag,
 * a code, a word, an identifier that is missing. Which of these, and where it stands, is up to chance.
 */

/** What an answer may depend on. */
interface Moment {
  readonly id: unknown;
  /** Counts the answers of one kind. */
  readonly n: number;
  readonly call: Call;
}
/** One member of an answer; undefined leaves it out. */
type Member = (moment: Moment) => unknown;
type Json = string | number | boolean | null | readonly string[];

/** The shape of the answers of one meaning. */
interface Shape {
  readonly status: number;
  /** The media type; null for an answer without a body. */
  readonly type: string | null;
  readonly members: readonly (readonly [path: readonly string[], member: Member])[];
  /** The member by which somebody who knows the service can tell. */
  readonly verdict: { readonly path: readonly string[]; readonly value: Json };
  /** The path of the identifier, `Location`, or null. */
  readonly place: readonly string[] | 'Location' | null;
}

const JSON_TYPES = ['application/json', 'application/json; charset=utf-8', 'application/vnd.x+json'];

function constant(random: Random): Json {
  return random.pick<() => Json>([
    () => random.chance(0.5),
    () => random.chance(0.5),
    () => random.pick([0, 1, 200, random.below(10), random.below(100_000)]),
    () => random.word(),
    () => random.word(),
    () => random.sentence(),
    // Codes as text, which an old service sends as well.
    () => String(random.pick([0, 1, random.below(1_000)])),
    () => random.list(random.between(1, 2), () => random.word()),
    () => null,
  ])();
}

/** Another value of the same kind: the same service, when it means the contrary. */
function otherThan(value: Json, random: Random): Json {
  for (;;) {
    const other = contrary(value, random);
    if (JSON.stringify(other) !== JSON.stringify(value)) return other;
  }
}

function contrary(value: Json, random: Random): Json {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return random.pick([1 - value, -1, 40_000 + random.below(99), random.below(600)]);
  if (value === null) return random.word();
  if (typeof value !== 'string') return random.pick([[], [random.word()]]);
  if (/^\d+$/.test(value)) return String(random.pick([1 - Number(value), 40_001, random.below(600)]));
  return random.pick([random.word(), `un${value}`, `${value}${random.word()}`, '']);
}

const iso = (atMs: number) => new Date(atMs).toISOString();

/** What varies from answer to answer at an honest service and means nothing. */
function chat(random: Random): Member {
  const sometimes = constant(random);
  const offices = random.list(random.between(2, 5), () => random.sentence());
  const words = [random.word(), random.word()];
  const [step, name, said] = [random.between(1, 9), random.word(), random.sentence()];
  return random.pick<Member>([
    ({ n }) => 1_000 + n * step,
    ({ call }) => iso(call.atMs),
    ({ call }) => `${said}, ${new Date(call.atMs).toUTCString()}`,
    ({ call }) => Math.floor(call.atMs / 1_000),
    () => random.pick(offices),
    () => random.pick(offices),
    () => random.hex(16),
    () => Math.round(random.next() * 1_000) / 1_000,
    () => random.below(20),
    () => random.pick(words),
    () => (random.chance(0.5) ? sometimes : undefined),
    () => random.list(random.below(3), () => ({ [name]: random.hex(8) })),
    ({ call }) => call.params['request_text'],
    ({ call }) => `${said} ${call.params['phone']}`,
    ({ call }) => ({ [name]: call.params['phone'], [said]: call.params['country'] }),
  ]);
}

/** Members stand beside each other, or some levels down. */
function pathIn(random: Random, trunk: readonly string[], name = random.word()): readonly string[] {
  return random.chance(0.7) ? [...trunk, name] : [random.word(), name];
}

function drawShape(random: Random, statuses: readonly number[], { chatty, names }: { chatty: number; names: boolean }) {
  const trunk = random.list(random.pick([0, 0, 0, 1, 2]), () => random.word());
  const idName = random.pick(['id', 'uuid', `${random.word()}_id`, `${random.word()}Id`, random.word(), random.word()]);
  const place = !names ? null : random.chance(0.15) ? ('Location' as const) : pathIn(random, trunk, idName);
  const isText = random.chance(0.12);
  const isEmpty = random.chance(place === 'Location' ? 0.5 : place === null ? 0.2 : 0);
  const fixed = random.list(random.below(3), () => {
    const value = constant(random);
    return [pathIn(random, trunk), () => value] as const;
  });
  const varying = random.list(chatty, () => [pathIn(random, trunk), chat(random)] as const);
  const shape: Shape = {
    status: random.pick(statuses),
    type: isEmpty ? null : isText ? random.pick(['text/plain', 'text/plain; charset=utf-8']) : random.pick(JSON_TYPES),
    members: [...fixed, ...varying],
    verdict: { path: pathIn(random, trunk), value: constant(random) },
    place,
  };
  return shape;
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) into[name] = value;
  else {
    const next = into[name];
    const nested = typeof next === 'object' && next !== null && !Array.isArray(next) ? next : {};
    into[name] = nested;
    put(nested as Record<string, unknown>, rest, value);
  }
}

function render({ status, type, members, verdict, place }: Shape, moment: Moment): Reply {
  const headers: Record<string, string> = {};
  if (place === 'Location') headers['location'] = `/v1/request/${String(moment.id)}`;
  if (type === null) return { status, headers, body: '' };
  headers['content-type'] = type;
  if (type.startsWith('text')) {
    const said = members.map(([, member]) => member(moment)).filter((value) => typeof value !== 'object');
    const named = Array.isArray(place) ? [moment.id] : [];
    return { status, headers, body: [verdict.value, ...said, ...named].map(String).join(' ') };
  }
  const value = {};
  for (const [path, member] of members) put(value, path, member(moment));
  if (Array.isArray(place)) put(value, place, moment.id);
  put(value, verdict.path, verdict.value);
  return { status, headers, body: JSON.stringify(value) };
}

const NOWHEN: Call = { operation: 'create', params: {}, content: '', atMs: 0 };
/** Whether somebody who knows the service can tell these from each other: by the status, or by what never varies. */
function differ(one: Shape, other: Shape): boolean {
  const still = (shape: Shape) => render({ ...shape, members: [] }, { id: 1, n: 1, call: NOWHEN });
  return one.status !== other.status || still(one).body !== still(other).body;
}

/** A shape with another meaning: very much like this one, or quite unlike it. */
function otherShape(shape: Shape, random: Random, statuses: readonly number[]): Shape {
  for (;;) {
    const { verdict } = shape;
    const alike = { ...shape, verdict: { ...verdict, value: otherThan(verdict.value, random) } };
    const elsewhere = { ...alike, status: random.pick(statuses) };
    const unlike = drawShape(random, statuses, { chatty: random.below(2), names: random.chance(0.3) });
    const other = random.pick([alike, alike, elsewhere, unlike, unlike]);
    if (differ(shape, other)) return other;
  }
}

/** How identifiers look; what comes out is another one for each `n`. */
function drawIds(random: Random): (n: number) => unknown {
  const [first, step, prefix, salt] = [random.below(1e6), random.between(1, 50), random.word(), random.hex(8)];
  return random.pick<(n: number) => unknown>([
    (n) => first + n * step,
    (n) => String(first + n * step),
    (n) => `${prefix}-${first + n}`,
    (n) => `${salt}-6a0e-4b56-9a1c-${String(first + n).padStart(12, '0')}`,
    (n) => (BigInt(`0x${salt}`) * 7919n + BigInt(n) * 104_729n).toString(36),
  ]);
}

export const json = (status: number, value: unknown): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

export type Validating = (isDuplicate: boolean, moment: Moment) => Reply;

/** The ways in which a service tells whether it has a request. */
const WAYS = ['flag', 'status', 'list', 'count', 'echo'] as const;

export function drawValidate(random: Random): Validating {
  const way = random.pick(WAYS);
  const chatty = random.pick([0, 0, 0, 1, 2, 3]);
  const clear = { ...drawShape(random, [200], { chatty, names: false }), type: random.pick(JSON_TYPES) };
  const say = (shape: Shape, value: Json) => ({ ...shape, verdict: { ...shape.verdict, value } });
  if (way === 'flag') {
    const words = [random.word(), random.word()];
    const flags = random.pick<readonly Json[]>([words, [false, true], [true, false], [0, 7], [null, '1']]);
    return (isDuplicate, moment) => render(say(clear, flags[isDuplicate ? 1 : 0] ?? null), moment);
  }
  if (way === 'status') {
    const duplicate = drawShape(random, [409, 409, 422, 208], { chatty, names: false });
    const vacant = random.chance(0.3) ? { ...clear, type: null, status: 204 } : clear;
    return (isDuplicate, moment) => render(isDuplicate ? duplicate : vacant, moment);
  }
  const name = random.word();
  const [path, many] = [clear.verdict.path, random.between(1, 3)];
  const member: Member =
    way === 'list'
      ? (moment) =>
          random.list(random.between(1, many), () => ({ id: random.hex(8), [name]: moment.call.params['phone'] }))
      : way === 'count'
        ? () => random.between(1, many)
        : ({ call }) => ({ [name]: call.params['request_text'], id: random.hex(8) });
  const found = { ...clear, members: [...clear.members, [[...path.slice(0, -1), name], member] as const] };
  const none = way === 'echo' ? () => undefined : way === 'list' ? () => [] : () => 0;
  const nothing = { ...clear, members: [...clear.members, [[...path.slice(0, -1), name], none] as const] };
  return (isDuplicate, moment) => render(isDuplicate ? found : nothing, moment);
}

const SEEING = 'honest, lagging, blind, the same to all, remembers, customer-wise, fails, absent'.split(', ');
const DEEDS =
  `takes, takes, refuses some, refuses some, flips, flips, flips back, alternates, cache, repeats identifiers,
  loses identifiers, acts and 401, acts and 401 at all, acts and throttles, acts and 4xx, acts and 5xx, cuts, cuts`.split(
    /,\s+/,
  );

/** A service as it was drawn, with what may be asked of whoever sends to it. */
export interface DrawnService extends Service {
  readonly name: string;
  /** It takes everything, says so in its own words, and validate tells the truth at once. */
  readonly isHonest: boolean;
  /** What it breaks of what is assumed of every service, and what nobody can then be blamed for; or null. */
  readonly lie: { readonly name: string; readonly excuses: RegExp } | null;
  /** How often the design lets it take one request. */
  readonly mostTaken: number;
}

export function drawService(
  random: Random,
  { asks, leads }: { readonly asks: boolean; readonly leads: readonly Lead[] },
): DrawnService {
  const isHonest = random.chance(0.36);
  const seeing = isHonest || random.chance(0.3) ? 'honest' : random.pick(SEEING);
  const deed = isHonest ? 'takes' : random.pick(DEEDS);
  const tells = asks && /honest|customer/.test(seeing);
  const names = random.chance(0.75);
  const ids = drawIds(random);
  const style = { chatty: random.pick([0, 0, 1, 1, 2, 3]), names };
  const taken = [drawShape(random, [200, 200, 201, 201, 202, 203], style)];
  const [first] = taken as [Shape];
  if (!names && first.type === null) taken[0] = { ...first, status: random.pick([201, 202, 204]) };
  // Some say in two ways that they took a request; the second differs as a refusal may.
  if (random.chance(0.25)) taken.push(otherShape(first, random, [200, 201, 202]));
  const refusing = random.list(random.between(1, 2), () => {
    for (;;) {
      const shape = otherShape(taken[0] ?? first, random, [200, 200, 200, 201, 202, 400, 404, 409, 422]);
      if (taken.every((each) => differ(each, shape))) return shape;
    }
  });
  const knowing = otherShape(refusing[0] ?? first, random, [409, 200, 422, 208]);
  const isApart = knowing.status !== 201 && taken.every((each) => differ(each, knowing));
  const knownShape = isApart ? knowing : { ...knowing, status: 409 };
  const shareKnown = random.pick([0, 0, 0.05, 0.3]);
  const share = random.pick([0.05, 0.2, 0.5]);
  const turnsAt = random.between(1, 25);
  // Where nobody can look, an identifier under 201 counts for the first rows; whoever refuses with one from the first on
  // cannot be told from whoever takes.
  const isGoodAtFirst = !tells || random.chance(0.6) || deed === 'cache' || deed.startsWith('acts');
  const isNamed = names && taken.every(({ place, type }) => place === 'Location' || (place !== null && type !== null));
  const status = random.pick(deed === 'acts and 4xx' ? [400, 403, 404, 410, 422, 301, 307] : [429, 503]);
  const isPlaced = isNamed && taken.every(({ place, type }) => place === 'Location' || !type?.startsWith('text'));
  // The place of the identifier is learned where validate tells, or from a 201 that names one as such. Of a second way to say
  // so nothing is learned where nobody can look.
  const last = Array.isArray(first.place) ? first.place.at(-1) : 'id';
  const isNamedAsSuch = first.status === 201 && /(?:id|uuid)$/i.test(last ?? '');
  const isLearned = isPlaced && (tells || (taken.length === 1 && isNamedAsSuch));
  // An answer that never names anything is the same whether it comes from a cache or not.
  // One that repeats an identifier that nobody can know by its name to be one says the same, taken or not.
  const isCalledOne = isPlaced && (first.place === 'Location' || /(?:id|uuid)$/i.test(last ?? ''));
  const isLie =
    (/throttles|4xx/.test(deed) && !(isLearned && isCalledOne)) || (/cache|repeats/.test(deed) && !isCalledOne);
  // Where nobody can look, the first 201 that names an identifier counts. Here that may be a refusal.
  const isFirstNamed = first.status === 201 && first.place !== null;
  const isTrap = !tells && !isFirstNamed && refusing.some((shape) => shape.status === 201 && shape.place !== null);
  const lagMs = random.pick([2_000, 20_000, 90_000]);
  const failsFrom = random.between(0, 40);
  const failsFor = random.pick([5, 20, 1_000_000]);
  // It is never empty, or it could be the very answer that means a duplicate.
  const failed = drawShape(random, [200, 200, 409, 500, 503, 422], { chatty: 1, names: false });
  const failing = { ...failed, type: random.pick(JSON_TYPES) };
  const slow = random.chance(0.2) ? random.pick([20, 200, 2_000]) : 0;
  // Some have a validate that everybody reads, so that what stands behind it is reached by every reader.
  const plain: Validating = (isDuplicate) => json(200, { duplicate: isDuplicate });
  const validating = random.chance(0.3) ? plain : drawValidate(random);
  const absent = drawShape(random, [404, 404, 501, 200], { chatty: 0, names: false });
  const counts = { creates: 0, validates: 0, ids: 0 };
  const answers: Reply[] = [];
  const customers = new Set<string>();
  const asked = new Set<string>();
  const takenAtMs = new Map<string, number>();
  // What nobody has ever sent, no service knows.
  const before = leads.map(contentOf).filter((content) => fraction(content) < shareKnown);
  const knownBefore = new Set(before);
  const wasKnown = (content: string) => knownBefore.has(content);

  const takes = (call: Call): Reply => {
    counts.ids += 1;
    const shape = random.pick(taken);
    return { ...render(shape, { id: ids(counts.ids), n: counts.ids, call }), takes: 0 };
  };
  const refuses = (call: Call): Reply =>
    render(random.pick(refusing), {
      id: random.chance(0.7) ? ids(10_000 + counts.creates) : null,
      n: counts.creates,
      call,
    });
  const create = (call: Call, has: (content: string) => boolean): Reply => {
    counts.creates += 1;
    const n = counts.creates;
    if (wasKnown(call.content) && !has(call.content)) {
      return { ...render(knownShape, { id: ids(90_000 + n), n, call }), knows: true };
    }
    const isEarly = isGoodAtFirst && counts.ids < 4;
    const isHit = !isEarly && random.chance(share);
    if (deed === 'refuses some' && isHit) return refuses(call);
    if (deed === 'flips' && n > turnsAt && !isEarly) return refuses(call);
    if (deed === 'flips back' && n <= turnsAt && !isEarly) return refuses(call);
    if (deed === 'alternates' && n % 2 === 0 && !isEarly) return refuses(call);
    const canned = answers[random.below(answers.length)];
    if (deed === 'cache' && isHit && canned) return withoutDeed(canned);
    const reply = takes(call);
    answers.push(reply);
    if (deed === 'repeats identifiers' && n > turnsAt) {
      const same = { ...render(first, { id: ids(1), n, call }) };
      return random.chance(0.5) ? same : { ...same, takes: 0 };
    }
    if (deed === 'loses identifiers' && isHit && isNamed && first.place !== 'Location') {
      return render(first, { id: [null, 0, '', undefined, false][random.below(5)], n, call });
    }
    if (deed === 'acts and 401' && isHit) return { ...reply, status: 401 };
    if (deed === 'acts and 401 at all' && n > turnsAt && !isEarly) return { ...reply, status: 401 };
    const later = status === 301 || status === 307 ? { location: '/v2/request/create' } : { 'retry-after': '1' };
    if (/throttles|4xx/.test(deed) && isHit) return { ...reply, status, headers: { ...later, ...reply.headers } };
    if (deed === 'acts and 5xx' && isHit) return { ...reply, status: random.pick([500, 502, 504]) };
    if (deed === 'cuts' && isHit) {
      const cut = random.pick(['unwritten', 'unanswered', 'unanswered', 'body'] as const);
      return cut === 'unwritten' || random.chance(0.5) ? { ...withoutDeed(reply), cut } : { ...reply, cut };
    }
    return reply;
  };

  const sees = (call: Call, has: (content: string) => boolean): boolean => {
    const { content, atMs, params } = call;
    const isThere = has(content) || wasKnown(content);
    const isAgain = asked.has(content);
    asked.add(content);
    if (seeing === 'lagging') return isThere && atMs - (takenAtMs.get(content) ?? 0) >= lagMs;
    if (seeing === 'blind') return false;
    if (seeing === 'the same to all') return true;
    if (seeing === 'remembers') return isThere || isAgain;
    if (seeing === 'customer-wise') return isThere || customers.has(params['phone'] ?? '');
    return isThere;
  };
  const validate = (call: Call, has: (content: string) => boolean): Reply => {
    const n = counts.validates++;
    if (seeing === 'absent') return render(absent, { id: 0, n, call });
    if (seeing === 'fails' && n >= failsFrom && n < failsFrom + failsFor) return render(failing, { id: null, n, call });
    const isDuplicate = sees(call, has);
    const isKnown = seeing === 'customer-wise' ? isDuplicate : wasKnown(call.content);
    return { ...validating(isDuplicate, { id: null, n, call }), ...(isKnown ? { knows: true } : {}) };
  };

  return {
    name: `${deed}${isGoodAtFirst ? '' : ' at once'}, validate ${asks ? seeing : 'not asked'}, ${first.status} ${isPlaced ? 'with' : isNamed ? 'a text with' : 'without'} an identifier`,
    isHonest: isHonest && tells,
    lie: !isLie
      ? isTrap
        ? { name: `${deed}, its first 201 with an identifier is a refusal`, excuses: /not taken/ }
        : null
      : /4xx|throttles/.test(deed)
        ? { name: `${deed}: ${status}, no identifier at a known place`, excuses: /^taken|, taken/ }
        : { name: `${deed}, no identifier`, excuses: /not taken/ },
    mostTaken: deed.startsWith('acts and 401') && !tells ? 2 : 1,
    answer: (call, has) => {
      const reply = call.operation === 'validate' ? validate(call, has) : create(call, has);
      if (reply.takes !== undefined) {
        customers.add(call.params['phone'] ?? '');
        takenAtMs.set(call.content, call.atMs);
      }
      return slow > 0 ? { ...reply, afterMs: 1 + random.below(slow) } : reply;
    },
  };
}

function withoutDeed({ status, headers, body }: Reply): Reply {
  return { status, headers, body };
}

/** The same for the same content, from 0 to below 1 (FNV-1a). */
export function fraction(text: string): number {
  let sum = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return ((sum ^ (sum >>> 15)) >>> 0) / 2 ** 32;
}
