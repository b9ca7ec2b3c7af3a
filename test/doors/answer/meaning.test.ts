import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Described, meaningOf, type Proven, SENT, type ServiceAnswer } from '../answer.ts';

/** The tables of `meaning.md`, row by row. */
const TABLES = readFileSync(new URL('meaning.md', import.meta.url), 'utf8')
  .split('\n## ')
  .slice(1)
  .map((part) => part.split('\n').filter((line) => line.startsWith('|')))
  .map((lines) =>
    lines.slice(2).map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    ),
  );
const [KNOWN = [], CREATE = [], VALIDATE = []] = TABLES;

const TYPES: Readonly<Record<string, string>> = {
  ...{ json: 'application/json', text: 'text/plain; charset=utf-8', html: 'text/html', xml: 'application/xml' },
};

/** Reads an answer as the tables have it: `201 json @/v1/request/7 {"id":"R-7"}`. */
function answerOf(cell: string): ServiceAnswer {
  const found = /^`(?<status>\d{3})(?: (?<type>[a-z]+))?(?: @(?<location>\S+))?(?<cut> cut)?(?: (?<body>.+))?`$/.exec(
    cell,
  );
  if (!found?.groups) throw new Error(`no answer: ${cell}`);
  const { status, type, location, cut, body = '' } = found.groups;
  const headers = {
    ...(type ? { 'content-type': TYPES[type] ?? '' } : {}),
    ...(location ? { location } : {}),
  };
  return { status: Number(status), headers, body, isCut: cut !== undefined };
}

const plain = (cell: string) => cell.replace(/^`|`$/g, '');

function knownAs(name: string): { proven: Proven[]; described: Described } {
  const rows = KNOWN.filter(([each]) => each === name);
  if (name !== '' && rows.length === 0) throw new Error(`nothing is known as ${name}`);
  const isDescription = ([, what]: string[]) => what === 'described';
  const described = rows.filter(isDescription).map(([, , , , cell = '']) => JSON.parse(plain(cell)));
  const proven = rows
    .filter((row) => !isDescription(row))
    .map(([, operation, means, by, cell = '']) => ({ operation, means, by, answer: answerOf(cell) }) as Proven);
  return { proven, described: Object.assign({}, ...described) };
}

describe('create', () => {
  test.each(CREATE)('an answer to create, %s: %s means %s %s', async (known, answer = '', told, ids = '') => {
    const meaning = await meaningOf('create', knownAs(known ?? ''), answerOf(answer));
    expect([meaning.told, meaning.ids]).toEqual([told, ids === '' ? {} : JSON.parse(plain(ids))]);
  });
});

describe('validate', () => {
  test.each(VALIDATE)('an answer to validate, %s: %s means %s', async (known, answer = '', told) => {
    expect((await meaningOf('validate', knownAs(known ?? ''), answerOf(answer))).told).toBe(told);
  });
});

/** What zod calls a wrong input in its languages: words that nobody here has written. */
const LOCALES = new URL('../../../node_modules/zod/v4/locales/', import.meta.url);
const FOREIGN = readdirSync(LOCALES)
  .filter((name) => name.endsWith('.js'))
  .flatMap((name) => {
    const [, words] = /default:\s+return [`"]([^`"$]+)[`"]/.exec(readFileSync(new URL(name, LOCALES), 'utf8')) ?? [];
    return words === undefined ? [] : [[name, words] as const];
  });

test.each(FOREIGN)('the words of %s, %s, mean what was proven of them, and nothing otherwise', async (_, words) => {
  const word = JSON.stringify(words);
  const said = answerOf(`\`201 json {"id":"R-9","state":${word}}\``);
  const proven = { operation: 'create', means: 'taken', by: 'experiment', answer: said } as const;
  const again = answerOf(`\`201 json {"id":"R-10","state":${word}}\``);
  expect((await meaningOf('create', knownAs('queued'), said)).told).toBe('unknown');
  expect((await meaningOf('create', { proven: [proven], described: {} }, again)).told).toBe('created');
  for (const answer of [`\`200 json {"duplicate":${word}}\``, `\`409 text ${words}\``])
    expect((await meaningOf('validate', knownAs('flag'), answerOf(answer))).told).toBe('unknown');
});

test('the answers that are tried have words in many languages', () => {
  expect(FOREIGN.length).toBeGreaterThan(40);
});

test('a place where every answer has another number may hold any number, and no word', async () => {
  const said = (order: string) => answerOf(`\`200 json {"code":0,"order":"${order}"}\``);
  const proven = Array.from({ length: 8 }, (_, at): Proven => {
    return { operation: 'create', means: 'taken', by: 'experiment', answer: said(`A-${4711 + at * 7}`) };
  });
  const told = async (order: string) => (await meaningOf('create', { proven, described: {} }, said(order))).told;
  expect([await told('A-9000'), await told('failed'), await told('')]).toEqual(['created', 'unknown', 'unknown']);
});

test('what is reported of an answer repeats neither what was sent, nor the secret, nor the token', async () => {
  const repeated = JSON.stringify({ lead: SENT, note: `${SENT.fullname}, ${SENT.phone}`, key: 'the-client-secret' });
  for (const status of [200, 201, 409, 422, 500]) {
    const answer = { ...answerOf(`\`${status} json {}\``), body: repeated };
    const { whole } = await meaningOf('create', knownAs(''), answer);
    for (const part of ['Inês', 'Exemplo', 'ines@', '912345678', 'Lisboa', 'torneira', 'client-secret'])
      expect(whole).not.toContain(part);
  }
});

test('a number that has differed in the first answers, and then is one of those again, names no request', async () => {
  const said = (at: number) => answerOf(`\`200 json {"msg":"Lead L-${4711 + at * 7} saved","slot":${1 + (at % 3)}}\``);
  const proven = [0, 1, 2].map((at): Proven => {
    return { operation: 'create', means: 'taken', by: 'experiment', answer: said(at) };
  });
  const earlier = Array.from({ length: 9 }, (_, at) => said(3 + at));
  expect((await meaningOf('create', { proven, described: {} }, said(12), earlier)).told).toBe('created');
});

test('an answer that differs nowhere from that of another request, where all others differ, is a copy', async () => {
  const said = (at: number) => answerOf(`\`200 json {"state":"received","position":${12 + at * 3}}\``);
  const proven = Array.from({ length: 9 }, (_, at): Proven => {
    return { operation: 'create', means: 'taken', by: 'experiment', answer: said(at) };
  });
  const earlier = [said(9), said(10)];
  const told = async (at: number) => (await meaningOf('create', { proven, described: {} }, said(at), earlier)).told;
  expect([await told(12), await told(10)]).toEqual(['created', 'unknown']);
});

test('of many kinds of answers the newest are known, and those that a person has explained', async () => {
  const said = (at: number) => answerOf(`\`200 json {"kind${'i'.repeat(at)}":"as ever","of":"this service"}\``);
  const proven = Array.from({ length: 120 }, (_, at): Proven => {
    return { operation: 'create', means: 'taken', by: at === 0 ? 'person' : 'experiment', answer: said(at) };
  });
  const told = async (at: number) => (await meaningOf('create', { proven, described: {} }, said(at))).told;
  expect([await told(0), await told(1), await told(119)]).toEqual(['created', 'unknown', 'created']);
});

test('a place of numbers or of times holds neither a number below zero nor a time that is none', async () => {
  const said = (position: number, at: string) =>
    answerOf(`\`200 json {"ticket":"R-${4720 + position}","position":${position},"at":"${at}"}\``);
  const time = (second: number) => `2026-11-27T07:05:${10 + second}Z`;
  const proven = Array.from({ length: 9 }, (_, at): Proven => {
    return { operation: 'create', means: 'taken', by: 'experiment', answer: said(at + 1, time(at)) };
  });
  const told = async (position: number, at: string) =>
    (await meaningOf('create', { proven, described: {} }, said(position, at))).told;
  expect(await told(12, time(40))).toBe('created');
  for (const [position, at] of [
    [-1, time(40)],
    [0, time(40)],
    [12, '0000-00-00T00:00:00Z'],
    [12, '00:00:00'],
    [12, '0001-01-01T00:00:00Z'],
    [12, '1970-01-01'],
  ] as const)
    expect(await told(position, at)).toBe('unknown');
});

/** Returns what is told of an answer with `last` at a place where nine proven ones had the values of `said`. */
async function toldAfter(said: (at: number) => string, last: string): Promise<string> {
  const answer = (at: number, value: string) => answerOf(`\`200 json {"ticket":"R-${4711 + at}","x":${value}}\``);
  const proven = Array.from({ length: 9 }, (_, at): Proven => {
    return { operation: 'create', means: 'taken', by: 'experiment', answer: answer(at, said(at)) };
  });
  return (await meaningOf('create', { proven, described: {} }, answer(9, last))).told;
}

const TOWNS = ['porto', 'braga', 'faro', 'evora', 'viseu', 'aveiro', 'leiria', 'beja', 'tomar', 'sintra'];

test.each([
  ['an address', (at: number) => `"/leads/${4711 + at}"`, '"/leads/9000"', '"/rejections/9000"'],
  ['an address with words that differ', (at: number) => `"/leads/${TOWNS[at]}"`, '"/leads/elvas"', '"/spam/elvas"'],
  ['a slug', (at: number) => `"${TOWNS[at]}-accepted"`, '"elvas-accepted"', '"elvas-refused"'],
  ['a word before random signs', (at: number) => `"acc_${4711 + at}f"`, '"acc_9000f"', '"rej_9000f"'],
  ['a share', (at: number) => `"${12 + at}%"`, '"47%"', '"0%"'],
  ['a change', (at: number) => `"+${12 + at}"`, '"+47"', '"-47"'],
  ['an amount', (at: number) => `"€${12 + at}.50"`, '"€47.50"', '"€0.00"'],
  ['a list that always has one word', (at: number) => `["new","x${12 + at}"]`, '["new","x47"]', '["spam","x47"]'],
])('%s that always differs is known by what has never differed in it', async (_, said, good, bad) => {
  expect([await toldAfter(said, good), await toldAfter(said, bad)]).toEqual(['created', 'unknown']);
});

test.each([
  ['a list as a whole', (at: number) => `\`200 json [0,${4711 + at}]\``],
  ['a list that mixes kinds of values', (at: number) => `\`200 json {"r":[${4711 + at},"ok"]}\``],
  ['a list with nothing beside a value', (at: number) => `\`200 json {"r":[null,${4711 + at}]}\``],
  ['a Location with a query', (at: number) => `\`201 json @/leads/${48211 + at}?state=open {}\``],
  ['a Location with a fragment', (at: number) => `\`201 json @/leads/${48211 + at}#open {}\``],
  ['a Location with a parameter', (at: number) => `\`201 json @/leads/${48211 + at};state=open {}\``],
])('%s has no form, so nothing is learned of it', async (_, answer) => {
  await expect(toldBeside(answer, answer)).rejects.toThrow('Nothing can be learned');
});

test('flags that have differed are compared together', async () => {
  // The third one is always there, and never differs.
  const answer = (queued: boolean, sold: boolean, at: number) =>
    answerOf(`\`200 json {"id":${4711 + at},"test":false,"queued":${queued},"to":{"sold":${sold}}}\``);
  const proven = [0, 1, 2, 3].map((at): Proven => {
    return { operation: 'create', means: 'taken', by: 'experiment', answer: answer(at % 2 === 0, at % 2 === 1, at) };
  });
  const told = async (queued: boolean, sold: boolean) =>
    (await meaningOf('create', { proven, described: {} }, answer(queued, sold, 9))).told;
  expect([await told(false, true), await told(false, false)]).toEqual(['created', 'unknown']);
});

/** Returns what is told of each of two answers, where the answers of the first kind are known. */
async function toldBeside(known: (at: number) => string, bad: (at: number) => string): Promise<readonly string[]> {
  const proven = Array.from({ length: 9 }, (_, at): Proven => {
    return { operation: 'create', means: 'taken', by: 'experiment', answer: answerOf(known(at)) };
  });
  const told = async (cell: string) => (await meaningOf('create', { proven, described: {} }, answerOf(cell))).told;
  return [await told(known(20)), await told(bad(21))];
}

const listed = (rest: string) => (at: number) => `\`200 json {"id":"R-${4711 + at}",${rest}}\``;

test.each([
  ['lacks a member', listed('"log":["received","stored"]'), listed('"log":["received"]')],
  [
    'has another flag beside a word',
    listed('"res":[{"op":"store","ok":true},{"op":"mail","ok":false}]'),
    listed('"res":[{"op":"store","ok":false},{"op":"mail","ok":true}]'),
  ],
  [
    'has a word that only another member had',
    (at: number) => listed(`"sent":[{"to":"crm","ok":true}${at % 2 === 0 ? ',{"to":"sms","ok":false}' : ''}]`)(at),
    listed('"sent":[{"to":"crm","ok":false}]'),
  ],
  ['lacks what one always has', listed('"done":[true,false,false]'), listed('"done":[false,false,false]')],
  ['has its words in another order', listed('"way":["inbox","stored"]'), listed('"way":["stored","inbox"]')],
])('a list that %s says something else', async (_, known, bad) => {
  expect(await toldBeside(known, bad)).toEqual(['created', 'unknown']);
});

test.each([
  ['ld_', 'rj_'],
  ['live_', 'test_'],
  ['PT-LEAD-', 'PT-SPAM-'],
])('an identifier of random signs behind %s is not like one behind %s', async (good, bad) => {
  const named = (words: string) => (at: number) => `\`201 json {"id":"${words}${hexOf(at)}"}\``;
  expect(await toldBeside(named(good), named(bad))).toEqual(['created', 'unknown']);
});

/** Random signs, of which every other text begins with a letter. */
const hexOf = (at: number) => `${at % 2 === 0 ? 'c' : ''}${(0x9f3a81 + at * 7919).toString(16)}e07`;

test('a list of as many members as there are, each with a number of its own, says the same', async () => {
  const answer = (at: number) => listed(`"jobs":[${Array(1 + (at % 4)).fill(`{"no":${900 + at},"state":"new"}`)}]`)(at);
  expect(await toldBeside(answer, listed('"jobs":[{"no":940,"state":"dropped"}]'))).toEqual(['created', 'unknown']);
});

test('a Location that differs in a short number before the identifier says something else', async () => {
  const at = (status: number) => (row: number) => `\`201 json @/status/${status}/leads/${48211 + row} {}\``;
  expect(await toldBeside(at(1), at(9))).toEqual(['created', 'unknown']);
});

test.each([
  ['JSON in a text', '{\\"code\\":0,\\"id\\":#}', '{\\"code\\":1042,\\"id\\":#}'],
  ['a code before the identifier', '100-#', '204-#'],
  ['a digit before the identifier', '1|#', '0|#'],
  ['a code behind the identifier', '#:200', '#:403'],
  ['a version in an address', '/v1/leads/#', '/v2/leads/#'],
])('%s that was always the same is compared', async (_, good, bad) => {
  const said = (text: string) => (row: number) => `\`200 json {"d":"${text.replace('#', `${48211 + row * 3}`)}"}\``;
  expect(await toldBeside(said(good), said(bad))).toEqual(['created', 'unknown']);
});

test('what validate lists may stand together in any way, for it names requests of any time', async () => {
  const answer = (...states: string[]) =>
    answerOf(`\`200 json {"matches":[${states.map((state) => `{"state":"${state}"}`).join()}]}\``);
  const known = (means: 'clear' | 'duplicate', said: ServiceAnswer): Proven => {
    return { operation: 'validate', means, by: 'experiment', answer: said };
  };
  const proven = [known('clear', answer()), ...['open', 'closed'].map((state) => known('duplicate', answer(state)))];
  const told = async (said: ServiceAnswer) => (await meaningOf('validate', { proven, described: {} }, said)).told;
  expect([await told(answer('open', 'closed')), await told(answer())]).toEqual(['duplicate', 'clear']);
});
