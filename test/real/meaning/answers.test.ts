import { readFileSync } from 'node:fs';
import { contractFile } from '../../helpers/contracts.ts';
import type * as m from './market.ts';
import { blindValidate, type Create, each, honestCreate, json, PARK, playAll, refuses, takes, text } from './market.ts';

type Said = (id: number) => string;
const located = (status: number, id: number | string, body = '') =>
  text(status, body, { location: `/v1/request/${id}` });

/** How a word is said beside an identifier. The last of them are those that no list would think of. */
const SHAPES: Readonly<Record<string, (word: string) => Said>> = {
  flat: (word) => (id) => json(201, { id, outcome: word }),
  'under 200': (word) => (id) => json(200, { request: { request_id: `R-${id}` }, note: word }),
  nested: (word) => (id) => json(201, { data: { lead: { id, stage: { label: word } } } }),
  location: (word) => (id) => located(201, id, word),
  text: (word) => (id) => text(201, `${id}: ${word}`),
  list: (word) => (id) => json(201, [{ uuid: `0d5c7a7e-6a0e-4b56-9a1c-00000000${id}`, trail: ['api', word] }]),
  xml: (word) => (id) => text(201, `<odp><id>${id}</id><o>${word}</o></odp>`, { 'content-type': 'application/xml' }),
  'a name': (word) => (id) => json(201, { id, [word]: true }),
};

/** With or without the help of validate: no refusal may be told as a creation. */
const HELP: Readonly<Record<string, m.Scene>> = {
  honest: {},
  blind: { validate: blindValidate },
  'not asked': { runs: [[...PARK, '--no-validate']] },
};

/** A taken request and a refused one, in languages in which nobody looked for words of refusal. */
const WORDS: readonly (readonly [language: string, taken: string, refused: string, shape: string, help: string])[] = [
  ['Finnish', 'hyväksytty', 'hylätty', 'flat', 'honest'],
  ['Polish', 'przyjęto', 'odrzucono', 'flat', 'blind'],
  ['Turkish', 'kabul edildi', 'reddedildi', 'flat', 'not asked'],
  ['Japanese', '受付済', '却下', 'under 200', 'honest'],
  ['Hungarian', 'elfogadva', 'elutasítva', 'nested', 'blind'],
  ['Basque', 'onartua', 'ukatua', 'nested', 'not asked'],
  ['Georgian', 'მიღებულია', 'უარყოფილია', 'location', 'honest'],
  ['Swahili', 'imekubaliwa', 'imekataliwa', 'location', 'not asked'],
  ['Korean', '접수', '반려', 'text', 'honest'],
  ['Hebrew', 'התקבל', 'נדחה', 'list', 'honest'],
  ['Thai', 'รับแล้ว', 'ปฏิเสธ', 'list', 'blind'],
  ['Welsh', 'derbyniwyd', 'gwrthodwyd', 'xml', 'honest'],
  ['Icelandic', 'móttekið', 'hafnað', 'a name', 'honest'],
  ['Amharic', 'ተቀብሏል', 'ውድቅ', 'a name', 'not asked'],
  ['trade', 'sold', 'unsold', 'flat', 'honest'],
  ['mail', 'ham', 'spam', 'nested', 'honest'],
  ['letters', 'A', 'B', 'flat', 'blind'],
];

/** The same for what is no word. An identifier is always there. */
const FLAGS: readonly (readonly [name: string, taken: object, refused: object, status: number, help: string])[] = [
  ['a flag', { status: true }, { status: false }, 200, 'honest'],
  ['one and zero', { accepted_by: 1 }, { accepted_by: 0 }, 201, 'honest'],
  ['a code', { errcode: 0 }, { errcode: 40001 }, 200, 'honest'],
  ['a match', { matched: true }, { matched: false }, 201, 'not asked'],
  ['a position in a list', { r: [7, 'ms'] }, { r: [3, 'ms'] }, 200, 'honest'],
  ['bits', { flags: 3 }, { flags: 1 }, 201, 'blind'],
  ['a hexadecimal code', { hr: '0x0' }, { hr: '0x80070057' }, 201, 'honest'],
  ['a place in the queue', { queue: { place: 1 } }, { queue: { place: -1 } }, 201, 'not asked'],
  ['no buyer', { buyer: { city: 'Faro' } }, { buyer: null }, 200, 'honest'],
  ['no buyers', { buyers: ['Faro'] }, { buyers: [] }, 201, 'blind'],
  ['no price', { price: 12.5 }, { price: 0 }, 201, 'honest'],
  ['one member more', {}, { held: 'until you call' }, 201, 'not asked'],
  ['one member less', { office: 'Faro' }, {}, 200, 'honest'],
  ['another kind of value', { done: 'true' }, { done: false }, 201, 'blind'],
];

/** Four rows are taken. Then all are refused, or each second one, so that no row of refusals stops the run. */
const turning =
  (yes: Said, no: Said, step = 1): Create =>
  ({ number }) => {
    const isTaken = number <= 4 || number % step === 1;
    return isTaken ? takes(yes(5000 + number)) : refuses(no(5000 + number));
  };

const ID: Said = (id) => json(201, { id });
const member =
  (status: number, members: object): Said =>
  (id) =>
    json(status, { ...members, id });
const PAIRS: readonly (readonly [name: string, help: string, taken: Said, refused: Said])[] = [
  ...WORDS.map(([language, taken, refused, shape, help]) => {
    const said = SHAPES[shape] ?? (() => ID);
    return [`${language}, ${shape}`, help, said(taken), said(refused)] as const;
  }),
  ...FLAGS.map(([name, taken, refused, status, help]) => {
    return [name, help, member(status, taken), member(status, refused)] as const;
  }),
];
const TURNS: m.Scenes = {
  ...Object.fromEntries(
    PAIRS.map(([name, help, taken, refused], at) => {
      return [`${name}; validate is ${help}`, { create: turning(taken, refused, 1 + (at % 2)), ...HELP[help] }];
    }),
  ),
  'another status': { create: turning(ID, (id) => json(202, { id })) },
  'another type': { create: turning(ID, (id) => json(201, { id }, { 'content-type': 'application/hal+json' }), 2) },
};

const STEADY: m.Scenes = {
  ...each(SHAPES, (said) => ({
    create: ({ number }: m.Call) => takes(said('vastaanotettu')(5000 + number)),
    honest: true,
  })),
  'two words for the same, a place in the queue and the time': {
    create: ({ number }) => {
      const tila = number % 3 === 0 ? 'jonossa' : 'vastaanotettu';
      return takes(json(201, { id: 5000 + number, tila, place: number % 7, at: new Date().toISOString() }));
    },
    honest: true,
  },
};

/** Refusals of every row that name something. Validate says all the while that the service does not have them. */
const NUMBERED: Readonly<Record<string, Said>> = {
  'a code': () => json(200, { code: 1001, msg: 'phone format' }),
  'a code that differs': (id) => json(200, { code: `E-${id}`, hint: 'puhelinnumero' }),
  'a ticket': (id) => json(201, { ticketNo: `T-${id}`, text: 'the desk will look at it' }),
  'a reference': (id) => json(200, { reference: `REF/${id}`, nota: 'zona sem cobertura' }),
  'a number': (id) => json(202, { number: id, numberType: 'case' }),
  'a number in a text': (id) => text(200, `Ref. ${id} – puhelinnumero puuttuu`),
  'an incident': (id) => json(201, { incident: { id, opened: true } }),
  'a transaction': (id) => json(200, { transaction_id: id, rc: '91' }),
  'an identifier of the refusal': (id) => json(201, { refusal: { uuid: `9b1d-${id}` }, Grund: 'PLZ unbekannt' }),
  'a place of the refusal': (id) => located(201, `refused/${id}`),
  'a list of lists': (id) => json(201, [[{ message_id: id }], []]),
};

/** What proves nothing where validate cannot help: no identifier under any status, and any under 200. */
const UNHELPED: Readonly<Record<string, Said>> = {
  'a number, created': (id) => json(201, { number: id }),
  'a reference, created': (id) => json(201, { reference: `R${id}` }),
  'a code, created': (id) => json(201, { result: { code: id } }),
  'an identifier, 200': (id) => json(200, { id }),
};

const SAME: Readonly<Record<string, Said>> = {
  'a type': () => json(201, { id: 'string' }),
  'a template': () => json(201, { request_id: '{{id}}' }),
  'a printed object': () => json(201, { id: '[object Object]' }),
  'an example': () => json(201, { data: { leads: [{ id: 17, seen: false }] } }),
  'a place': () => located(201, 4711),
  'a hash': () => json(201, { id: 'd41d8cd98f00b204e9800998ecf8427e', meta: { build: 9 } }),
};

/** They differ from row to row, so that only what they are can give them away. */
const NOBODY_MEANS: Readonly<Record<string, (n: number) => string | number>> = {
  'control characters': (n) => '\u0000'.repeat(n),
  'zero-width spaces': (n) => '\u200b'.repeat(n),
  'word joiners': (n) => '\u2060'.repeat(n),
  'soft hyphens': (n) => '\u00ad'.repeat(n),
  fractions: (n) => n + 0.5,
  'small fractions': (n) => n / 997,
  dates: (n) => `2026-11-${10 + n}`,
  'dates as in headers': (n) => `Sat, ${10 + n} Nov 2026 10:00:07 GMT`,
  'times of a clock': (n) => `10:00:${10 + n}.250`,
};

const refusing =
  (said: Said): Create =>
  ({ number }) =>
    refuses(said(5000 + number));
const odd =
  (value: (n: number) => unknown): Said =>
  (id) =>
    json(201, { id: value(id - 5000) });

const description = readFileSync(contractFile('form-openapi30.yaml'), 'utf8');
const documented =
  (status: string): Said =>
  (id) =>
    json(201, { request_id: id, status });
const DOCUMENTED: m.Scenes = {
  'a value that is documented, and of what was not taken': {
    contract: description.replace('example: received }', 'enum: [lodged, lapsed], example: lodged }'),
    create: turning(documented('lodged'), documented('lapsed')),
  },
  'a mock that answers with the example': {
    contract: description,
    create: refusing(() => json(201, { request_id: 81204467, reference: 'SR-81204467', status: 'received' })),
    validate: blindValidate,
  },
  'an honest service': {
    contract: description,
    create: ({ number }) => takes(documented('received')(7000 + number)),
    honest: true,
  },
};

/** All are taken, and some answers are such as usually mean the opposite. */
const contradicting = (isOne: (call: m.Call) => boolean, says: Said, usual: Said = ID): m.Scene => ({
  create: (call) => takes((isOne(call) ? says : usual)(5000 + call.number)),
  runs: [PARK, [...PARK, '--no-validate']],
});
const some = ({ number }: m.Call) => number > 4 && number % 2 === 1;
const sixth = ({ row, time }: m.Call) => row === 6 && time === 1;
const created =
  (status: number, headers = {}): Said =>
  (id) =>
    json(status, { id, status: 'created' }, { location: `/v1/request/${id}`, ...headers });
const ACTED: m.Scenes = {
  ...each(
    Object.fromEntries([400, 403, 422, 301, 307, 308, 410, 451].map((status) => [`${status}`, status])),
    (status) => contradicting(some, created(status), created(201)),
  ),
  '422 and from the first row on': contradicting(() => true, created(422)),
  '400 in a list': contradicting(
    some,
    (id) => json(400, [{ lead: { id } }]),
    (id) => json(201, [{ lead: { id } }]),
  ),
  '403 by its place alone': contradicting(
    some,
    (id) => located(403, id),
    (id) => located(201, id),
  ),
  '429': contradicting(sixth, created(429, { 'retry-after': '0' }), created(201)),
  '429 by its place alone': contradicting(
    sixth,
    (id) => located(429, id),
    (id) => located(201, id),
  ),
  '503': contradicting(sixth, created(503, { 'retry-after': '1' }), created(201)),
  'none, by an honest 429 that did not act': {
    create: (call, market) =>
      call.number % 5 === 0 ? refuses(json(429, { hint: 'slow' }, { 'retry-after': '0' })) : honestCreate(call, market),
    honest: true,
  },
};

playAll({
  'a service that takes, and then refuses beside an identifier': TURNS,
  'an honest service that says the same of each': STEADY,
  'a service that numbers its refusals': {
    ...each(NUMBERED, (said) => ({ create: refusing(said), runs: [PARK, PARK] })),
    ...each(UNHELPED, (said) => ({ create: refusing(said), validate: blindValidate })),
  },
  'a mock with the same identifier for every row': each(SAME, (said) => ({
    create: refusing(said),
    validate: blindValidate,
  })),
  'a cache with the identifier of the first row': each(SAME, (said) => ({
    create: ({ number }: m.Call) => (number === 1 ? takes : refuses)(said(number)),
  })),
  'an identifier that nobody means': each(NOBODY_MEANS, (value) => ({
    create: refusing(odd(value)),
    validate: blindValidate,
  })),
  'an identifier that nobody means, after good ones': each(NOBODY_MEANS, (value) => ({
    create: turning(ID, odd(value)),
  })),
  'a service with an API description': DOCUMENTED,
  'an identifier of what was taken, under': ACTED,
});
