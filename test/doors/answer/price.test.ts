import { expect, test } from 'vitest';
import { deliver } from '../deliver.ts';
import type { Call, Lead, Reply, Service } from '../judged-service.ts';
import { Random } from './random.ts';
import { json } from './services.ts';

/*
 * What it costs to learn the answers of ordinary services: no row may end unknown while validate is honest, and the calls
 * beyond the two of every row are counted. Who learns less asks more, and who learns nothing leaves rows unknown.
 */

const ROWS = 50;
const FOR_A_NEW_SERVICE = 9;
const FOR_A_NEW_FORM = 2;
/** From so many values on a member varies for no reason, and nobody asks about it any more. */
const OPEN = 8;

/** An answer to a create: `n` counts them, `id` is another one for each. */
type Saying = (id: string, n: number, call: Call, random: Random) => Reply;

const text = (status: number, body: string, type = 'text/plain; charset=utf-8'): Reply => ({
  status,
  headers: { 'content-type': type },
  body,
});
const typed = (status: number, value: unknown, type: string): Reply => text(status, JSON.stringify(value), type);

/** Each has one form: what differs from answer to answer is the identifier. */
const ORDINARY: Readonly<Record<string, Saying>> = {
  flat: (id) => json(201, { request_id: id, status: 'received' }),
  number: (id) => json(200, { id: Number(id), ok: true }),
  camel: (id) => json(200, { requestId: id, createdAt: '2026-11-21T10:00:00Z' }),
  nested: (id) => json(201, { data: { request: { id, state: 'new' } }, meta: { trace_id: `t-${id}` } }),
  'json:api': (id) => typed(201, { data: { type: 'requests', id, attributes: {} } }, 'application/vnd.api+json'),
  array: (id) => json(200, [{ uuid: `0d5c7a7e-6a0e-4b56-9a1c-${id.padStart(12, '0')}` }]),
  soap: (id) => json(200, { Envelope: { Body: { CreateResponse: { OrderNumber: `A-${id}` } } } }),
  location: (id) => ({ status: 201, headers: { location: `/v1/request/${id}` }, body: '' }),
  words: (id) => text(200, `Request ${id} received, thank you!`),
  xml: (id) => text(200, `<?xml version="1.0"?><response><requestId>${id}</requestId></response>`, 'application/xml'),
  reference: (id) => json(202, { result: 'queued', reference: `REF/${id}` }),
  'codes beside': (id) => json(200, { code: 0, message: 'OK', data: { lead_id: id } }),
  'no content': () => ({ status: 204, headers: {}, body: '' }),
  'created, empty': () => ({ status: 201, headers: { 'content-length': '0' }, body: '' }),
  'status ok': () => json(200, { status: 'ok' }),
  success: () => json(200, { success: true, message: 'Obrigado!' }),
  'word ok': () => text(200, 'OK'),
  'empty object': () => json(200, {}),
  'xml ok': () => text(200, '<result>ok</result>', 'text/xml'),
};

const OFFICES = ['Lisboa', 'Porto', 'Coimbra', 'Braga', 'Faro'];
const THANKS = ['Obrigado!', 'Gracias.', 'Merci, à bientôt'];

/** What stands beside the identifier, and how many forms that makes. */
const CHATTY: Readonly<Record<string, readonly [forms: number, beside: (...of: Parameters<Saying>) => object]>> = {
  'optional members': [
    4,
    (_, n) => ({ ...(n % 3 === 0 ? { agent: 'web' } : {}), ...(n % 2 === 0 ? { region: 'south' } : {}) }),
  ],
  'queue position': [OPEN, (_, n) => ({ position: ((n * 7) % 40) + 1 })],
  'office name': [OFFICES.length, (_, n) => ({ office: OFFICES[(n * 3) % OFFICES.length] })],
  timestamps: [
    OPEN,
    (_, __, { atMs }) => ({ at: new Date(atMs).toISOString(), day: new Date(atMs).toDateString(), unix: atMs / 1000 }),
  ],
  counter: [OPEN, (_, n) => ({ today: 4000 + n })],
  'list of matches': [
    OPEN,
    (_, n, __, random) => ({ pros: random.list(n % 4, () => ({ pro: random.hex(6), stars: random.below(6) })) }),
  ],
  'random tokens': [OPEN, (_, __, ___, random) => ({ trace: random.hex(24), session: random.word() })],
  'two status words': [2, (_, n) => ({ state: n % 3 === 0 ? 'queued' : 'created' })],
  echoes: [1, (_, __, { params }) => ({ lead: { text: params['request_text'], phone: params['phone'] } })],
  'localized message': [THANKS.length, (_, n) => ({ message: THANKS[n % THANKS.length] })],
};

type Way = (isDuplicate: boolean, call: Call, beside: object) => Reply;
/** How validate tells a duplicate; where an answer chats, validate chats as well. */
const WAYS: Readonly<Record<string, Way>> = {
  flag: (is, _, beside) => json(200, { ...beside, duplicate: is }),
  status: (is, _, beside) => (is ? json(409, { ...beside, error: 'exists' }) : json(200, { ...beside, status: 'ok' })),
  list: (is, { params }, beside) =>
    json(200, { ...beside, matches: is ? [{ id: 'L-7', phone: params['phone'] }] : [] }),
  count: (is, _, beside) => json(200, { ...beside, found: is ? 1 : 0 }),
  echo: (is, { params }, beside) => {
    const asked = { text: params['request_text'], phone: params['phone'] };
    return json(200, { ...beside, asked, ...(is ? { existing: { ...asked, id: 'L-7' } } : {}) });
  },
};

interface Priced {
  readonly form: string;
  readonly forms: number;
  readonly says: Saying;
  readonly beside: (...of: Parameters<Saying>) => object;
}

const nothing = () => ({});
const PRICED: readonly Priced[] = [
  ...Object.entries(ORDINARY).map(([form, says]) => ({ form, forms: 1, says, beside: nothing })),
  ...Object.entries(CHATTY).map(([form, [forms, beside]]) => ({
    form,
    forms,
    says: (...of: Parameters<Saying>) => json(201, { request_id: of[0], ...beside(...of) }),
    beside,
  })),
];

function serviceOf({ says, beside }: Priced, way: Way | null): Service {
  const random = new Random(7);
  const counts = { validate: 0, create: 0 };
  return {
    answer: (call, has) => {
      counts[call.operation] += 1;
      const n = counts[call.operation];
      const id = String(7_000 + n * 13);
      if (call.operation === 'create') return { ...says(id, n, call, random), takes: 0 };
      return way === null
        ? json(404, { error: 'no such operation' })
        : way(has(call.content), call, beside(id, n, call, random));
    },
  };
}

const leadsOf = (count: number) =>
  Array.from({ length: count }, (_, at): Lead => {
    const customer = 10_000_000 + at * 7;
    return { text: `Need ${at} of a painter`, phone: `+3519${customer}`, email: `c${customer}@example.pt` };
  });
const leads = leadsOf(ROWS);

/** What differs from a row that was sent once and told as created. */
function countsOf(rows: readonly { readonly told: string; readonly taken: number }[]): string {
  const counts = new Map<string, number>();
  for (const { told, taken } of rows) {
    const name = `${told}, taken ${taken}`;
    if (name !== 'created, taken 1') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} × ${name}`).join('; ');
}

test('no row of an ordinary service with an honest validate ends unknown, and learning costs few calls', async () => {
  const table: string[] = [];
  const wrong: string[] = [];
  for (const priced of PRICED) {
    const bound = FOR_A_NEW_SERVICE + FOR_A_NEW_FORM * (priced.forms - 1);
    const cells: string[] = [];
    for (const [name, way] of Object.entries(WAYS)) {
      // One at a time, so that each form is new once. Eight at once may ask about the same form together.
      for (const concurrency of priced.forms > 1 ? [1, 8] : [1]) {
        const { rows, calls, stop } = await deliver({
          rows: leads,
          service: serviceOf(priced, way),
          options: { concurrency },
        });
        const extra = calls.validate + calls.create - 2 * ROWS;
        const bad = stop === null ? countsOf(rows) : `${countsOf(rows)} (${stop})`;
        const title = `${priced.form}, ${name}, ${concurrency} at once`;
        if (bad !== '') wrong.push(`${title}: ${bad}`);
        else if (concurrency === 1 && extra > bound) wrong.push(`${title}: ${extra} extra calls, at most ${bound}`);
        cells.push(`${name} ${bad === '' ? extra : '-'}`);
      }
    }
    table.push(`  ${priced.form.padEnd(18)} at most ${bound}: ${cells.join(', ')}`);
  }
  process.stdout.write(
    `extra calls for ${ROWS} rows, of chatty services for 1 and for 8 at once\n${table.join('\n')}\n`,
  );
  expect(wrong).toEqual([]);
});

test('a row without an answer is settled by the created rows before it, with many refused ones between', async () => {
  // The created ones come first; they have the longer texts, as those must that validate is tried with.
  const rows = leadsOf(170).reverse();
  const service: Service = {
    answer: ({ operation, params, content }, has) => {
      const at = Number(/\d+/.exec(params['request_text'] ?? ''));
      if (operation === 'validate') return json(200, { duplicate: has(content) });
      if (at === 0) return { ...json(201, {}), takes: 0, cut: 'unanswered' };
      return at >= 150 ? { ...json(201, { id: `R-${at}` }), takes: 0 } : json(422, { message: 'no such place' });
    },
  };
  expect(countsOf((await deliver({ rows, service })).rows)).toBe('149 × rejected, taken 0');
});

test.each([
  ['that is not asked', { validate: false }],
  ['that the service does not have', { validate: true }],
])('without a validate %s a run asks one question or ends with all created, and never lies', async (_, options) => {
  const wrong: string[] = [];
  const asks: string[] = [];
  for (const priced of PRICED) {
    const { rows, calls, stop } = await deliver({ rows: leads, service: serviceOf(priced, null), options });
    const lies = rows.filter(({ told, taken }) => (told === 'created' ? taken !== 1 : told !== 'unknown' && taken > 0));
    if (lies.length > 0) wrong.push(`${priced.form}: ${countsOf(lies)}`);
    // Whoever does not know stops to ask before it has sent more than a few.
    if (stop === null && countsOf(rows) !== '') wrong.push(`${priced.form}: ${countsOf(rows)}, and nobody is asked`);
    if (stop !== null && calls.create > 3) wrong.push(`${priced.form}: asks after ${calls.create} creates (${stop})`);
    if (stop !== null) asks.push(priced.form);
  }
  process.stdout.write(`${asks.length} of ${PRICED.length} forms end in a question: ${asks.join(', ')}\n`);
  expect(wrong).toEqual([]);
});
