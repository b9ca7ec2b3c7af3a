import * as m from './market.ts';
import { each, json, PARK, playAll, text } from './market.ts';

/** Answers of validate that speak of duplicates, and none says that this request is one. */
const NO_PROOF: Readonly<Record<string, string>> = {
  'a check that failed': json(409, { error: 'Duplicate check failed' }),
  'an empty 409': text(409, ''),
  'a service that is away': json(409, { message: 'duplicates service unavailable' }),
  'a count in words': text(200, 'Duplicates found: 0'),
  'professionals that match': json(200, { matches: [{ professional: 'Joaquim' }, { professional: 'Rosa' }] }),
  'a lock': json(409, { title: 'Lock wait timeout', detail: 'table duplicate_requests' }),
  'a count below': json(200, { duplicates: { total: 0, items: [] } }),
  'a remark on the check': json(200, { duplicate: 'n/a', duplicateCheck: 'nicht durchgeführt' }),
  'Polish for none': text(200, 'Nie znaleziono duplikatów'),
  'an XML count': text(200, '<v><duplicates count="0"/></v>', { 'content-type': 'application/xml' }),
  'a list of no': json(200, { duplicate: [false] }),
  'a job that was queued': json(202, { duplicateCheck: { job: 17 }, exists: true }),
  'a hit that is none': json(200, { hits: 1, hit: [{ kind: 'postal code', exact: false }] }),
  'a conflict of versions': json(409, { conflict: 'API v1 is gone in May', current: 'v2' }),
};

/** Close to the words that were proven. Only what a duplicate always looked like is one. */
const NEARLY: Readonly<Record<string, string>> = {
  'the flag beside an error': json(200, { duplicate: true, error: 'index is being rebuilt' }),
  'the flag, and what nobody has seen': json(200, { duplicate: true, täydellinen: false }),
  'the flag under another status': json(207, { duplicate: true }),
  'the flag as a word': json(200, { duplicate: 'true' }),
  'no flag': json(200, {}),
};

/** Ways in which a good service tells them apart: clear and duplicate. */
const HONEST: Readonly<Record<string, readonly [clear: string, duplicate: string]>> = {
  'a flag': [json(200, { duplicate: false }), json(200, { duplicate: true })],
  'a status': [json(200, { duplicate: false }), json(409, { error: 'duplicate_request' })],
  'a list': [json(200, { duplicates: [] }), json(200, { duplicates: [{ id: 17 }] })],
  'a count': [json(200, { duplicates: 0, took_ms: 4 }), json(200, { duplicates: 2, took_ms: 11 })],
};

/** Validate is honest until the eighth row is asked about, and knows two of those before. */
const since = (then: (call: m.Call, market: m.Market) => string): m.Scene => ({
  knows: [1, 4],
  validate: (call, market) =>
    market.asked.some(({ row }) => row >= 7) ? then(call, market) : m.honestValidate(call, market),
});
const always = (says: string): m.Scene => ({ validate: () => says });

playAll({
  'validate gives no proof, from the first row on': each(NO_PROOF, always),
  'validate gives no proof since an outage': each({ ...NO_PROOF, ...NEARLY }, (says) => since(() => says)),
  'validate is no witness': {
    'duplicate to everything': always(json(200, { duplicate: true })),
    'duplicate to everything, in its own words': always(json(200, { onko: 'jo olemassa' })),
    'duplicate to everything since an outage': since(() => json(200, { duplicate: true })),
    'clear to everything': always(json(200, { duplicate: false })),
    'clear to everything since an outage': since(() => json(200, { duplicate: false })),
    'it remembers what it was asked': {
      validate: (call, market) => json(200, { duplicate: market.finds(call) || call.time > 1 }),
      runs: [PARK, PARK],
    },
    'it says more since an update': since((call, market) =>
      json(200, { duplicate: market.finds(call), engine: 'v2', score: 0.3 }),
    ),
  },
  'an honest validate tells duplicates by': each(HONEST, ([clear, duplicate]) => ({
    knows: [2, 5, 9],
    validate: (call: m.Call, market: m.Market) => (market.finds(call) ? duplicate : clear),
    runs: [PARK, PARK],
    honest: true,
  })),
});
