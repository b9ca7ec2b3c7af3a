import type { Socket } from 'node:net';
import * as m from './market.ts';
import {
  type Answer,
  each,
  honestCreate,
  honestValidate,
  json,
  PARK,
  playAll,
  refuses,
  SETTLE,
  takes,
} from './market.ts';

/** The row whose create is cut, and enough others that are created before and after it. */
const CUT = 14;
const leads = m.leads(24);

const reset: Answer = (socket) => socket.resetAndDestroy();
const half: Answer = (socket) =>
  socket.write('HTTP/1.1 201 Created\r\ncontent-length: 11\r\n\r\n{"id"', () => socket.destroy());
const interim: Answer = (socket) => socket.write('HTTP/1.1 102 Processing\r\n\r\n', () => socket.end());

const isCut = ({ sent }: m.Market) => sent.some(({ row }) => row === CUT);

/** The line is cut at the first create of one row. All others are taken. */
const cutting = (takesIt: boolean, scene: m.Scene, says = reset): m.Scene => ({
  leads,
  create: (call, market) =>
    call.row === CUT && call.time === 1 ? { takes: takesIt, says } : honestCreate(call, market),
  runs: [SETTLE],
  ...scene,
});

/** Two rows share something. The first of them is the one that is cut. */
const sharing = (...names: (keyof m.Lead)[]): m.Lead[] =>
  leads.map((lead, at) =>
    at === CUT + 1 ? { ...lead, ...Object.fromEntries(names.map((name) => [name, leads[CUT]?.[name]])) } : lead,
  );
const saying = (isDuplicate: (call: m.Call, market: m.Market) => boolean): m.Scene => ({
  validate: (call, market) => json(200, { duplicate: isDuplicate(call, market) }),
});

/** It was not taken, and validate calls it a duplicate for another reason. */
const FALSELY_THERE: m.Scenes = {
  'it looks at telephones': { leads: sharing('phone'), sameness: ({ phone }) => phone },
  'it looks at e-mail addresses': { leads: sharing('email'), sameness: ({ email }) => email },
  'it looks at needs': { leads: sharing('request_text'), sameness: ({ request_text }) => request_text },
  'it looks at customers and what their needs are like': {
    leads: sharing('phone', 'email', 'fullname'),
    sameness: ({ phone, request_text }) => `${phone} ${request_text.replace(/\d+/g, '')}`,
  },
  'it says so to everything since an outage': saying((call, market) => isCut(market) || market.finds(call)),
  'it remembers what it was asked': saying((call, market) => market.finds(call) || call.time > 1),
  'its check fails': {
    validate: (call, market) =>
      isCut(market) ? json(409, { error: 'Duplicate check failed' }) : honestValidate(call, market),
  },
};

/** What validate sees of what the service has, since the cut. */
const seeing = (sees: (row: number, at: number, all: readonly m.Lead[]) => boolean): m.Scene =>
  saying((call, market) => {
    const rowOf = ({ email }: m.Lead) => Number(/\d+/.exec(email)?.[0]);
    const seen = market.has.filter((lead, at, all) => !isCut(market) || sees(rowOf(lead), at, all));
    return market.finds(call, seen);
  });

/** It was taken, and validate does not see it. */
const FALSELY_CLEAR: m.Scenes = {
  'it forgets everything': seeing(() => false),
  'it forgets what is old': seeing((_, at, all) => at >= all.length - 5),
  'it shows the first page': seeing((_, at) => at < 8),
  'it lags by shard': seeing((row) => row % 2 === 1),
  'it lags by shard of three': seeing((row) => row % 3 !== 2),
  'it stands still since': seeing((row) => row < CUT),
  'each second answer is of a copy that lags': saying(
    (call, market) => market.finds(call) && (!isCut(market) || call.number % 2 === 0),
  ),
  'it says nothing any more': {
    validate: (call, market) => (isCut(market) ? json(200, {}) : honestValidate(call, market)),
  },
};

const HONESTLY_CUT: m.Scenes = {
  'by a reset, taken': cutting(true, { honest: true }),
  'by a reset, not taken': cutting(false, { honest: true }),
  'in its answer, taken': cutting(true, { honest: true }, half),
  'after an interim answer, not taken': cutting(false, { honest: true }, interim),
};

/** It takes what it answers with 401. With an honest validate nothing goes twice. */
const denying = (
  isDenied: (row: number) => boolean,
  more: m.Scene = {},
  body: object = { error: 'invalid_token' },
): m.Scene => ({
  leads,
  create: (call, market) => (isDenied(call.row) ? takes(json(401, body)) : honestCreate(call, market)),
  runs: [PARK, PARK],
  ...more,
});
const BLIND: m.Scene = { validate: m.blindValidate, atMost: 2 };
const DENIED: m.Scenes = {
  'one row': denying((row) => row === 6),
  'one row, and validate is blind': denying((row) => row === 6, BLIND),
  'the first row': denying((row) => row === 0, { atMost: 2 }),
  'all that is in flight': denying((row) => row > 6),
  'all that is in flight, and validate is blind': denying((row) => row > 6, BLIND),
  'all that is in flight, with an identifier': denying((row) => row > 6, {}, { id: 'K-17' }),
  'none, by an honest service whose token had ended': {
    leads,
    create: (call, market) =>
      call.number > 6 && market.tokens < 2 ? refuses(json(401, {})) : honestCreate(call, market),
    honest: true,
  },
};

/**
 * After one answer a connection is one answer behind: each request gets what the one before it should have had. That one
 * is followed by itself once more, or comes too late, after a failure.
 */
function falling(path: 'create' | 'validate' | 'none', row: number, instead?: string): m.Scene {
  const owed = new WeakMap<Socket, string>();
  const fallAt =
    (own: string, at: typeof path, call: m.Call): Answer =>
    (socket) => {
      const before = owed.get(socket);
      const isHere = at === path && call.row === row && call.time === 1;
      if (isHere || before !== undefined) owed.set(socket, own);
      socket.write(before ?? (isHere ? instead : undefined) ?? own);
    };
  return {
    leads,
    knows: [10],
    validate: (call, market) => fallAt(json(200, { duplicate: market.finds(call) }), 'validate', call),
    // Each third row is refused, so that the answer of another row is not as good as its own.
    create: (call) =>
      call.row % 3 === 2
        ? refuses(fallAt(json(422, { field: 'phone' }), 'create', call))
        : takes(fallAt(json(201, { id: 5000 + call.number }), 'create', call)),
  };
}
const FAILED = json(500, { message: 'upstream' });
const UNASKED: m.Scene = { knows: [], runs: [[...PARK, '--no-validate']] };

playAll({
  'a create was cut and not taken, and validate calls it a duplicate:': each(FALSELY_THERE, (it) => cutting(false, it)),
  'a create was cut and taken, and validate calls it clear:': each(FALSELY_CLEAR, (it) => cutting(true, it)),
  'a create was cut, and validate is honest:': HONESTLY_CUT,
  'a 401 to what was taken:': DENIED,
  'the answer of another request, on a kept connection:': {
    'a verdict follows a failure': falling('validate', 10, FAILED),
    'it is written twice': falling('create', 6),
    'it is written twice, and validate is not asked': { ...falling('create', 6), ...UNASKED },
    'it follows a failure, and validate is not asked': { ...falling('create', 6, FAILED), ...UNASKED },
    'it follows a failure': falling('create', 6, FAILED),
    'none, by a service that refuses some': falling('none', 0),
  },
});
