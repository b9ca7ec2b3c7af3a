import { describe, expect, test } from 'vitest';
import {
  duplicateRules,
  errorTextPlaces,
  identifierPlaces,
  verdictRules,
} from '../../src/contract/learn/answer-meaning.ts';
import type { AnswerPlace, DescribedAnswer } from '../../src/contract/learn/answers.ts';
import type { Json } from '../../src/request/contract.ts';
import { nameWords } from '../../src/request/names.ts';

type Some = Partial<Omit<AnswerPlace, 'path' | 'pointer' | 'words'>>;

/** A place in an answer by its path: `data.*.id`. */
const at = (path: string, more: Some = {}): AnswerPlace => {
  const names = path.split('.');
  const words = nameWords(names.findLast((name) => name !== '*') ?? '');
  const pointer = names.map((name) => `/${name}`).join('');
  return { pointer, path: names, words, types: ['string'], values: [], isEnum: false, description: '', ...more };
};
const flag = (path: string, description = '') => at(path, { types: ['boolean'], description });
const codes = (path: string, ...values: Json[]) => at(path, { values, isEnum: true });
const shown = (path: string, ...values: Json[]) => at(path, { values });
const answer = (status: number, places: readonly AnswerPlace[] = [], description = ''): DescribedAnswer => ({
  ...{ status, description, places, pointer: `/${status}`, headers: [], source: 'schema', sample: null },
});

describe('What was created is identified', () => {
  const named = (path: string, ...places: readonly string[]) =>
    identifierPlaces(
      [
        answer(
          201,
          places.map((place) => at(place)),
        ),
      ],
      path,
    ).map(({ name, pointer }) => `${name} ${pointer}`);

  test.each<[string, string, readonly string[], readonly string[]]>([
    ['by its id', '/requests', ['id', 'status'], ['id /id']],
    ['by several', '/requests', ['id', 'reference'], ['id /id', 'reference /reference']],
    ['by the whole path where names are alike', '/requests', ['a.id', 'b.id'], ['a.id /a/id', 'b.id /b/id']],
    ['by one of a list', '/requests', ['leads.*.id', 'ids.*'], ['id /leads/*/id']],
    ['by a code where there is nothing else', '/requests', ['code'], ['code /code']],
    ['not by a code beside an id', '/requests', ['code', 'id'], ['id /id']],
    ['not by what is about another', '/requests', ['customer.id', 'links.id', 'meta.id', 'user_id'], []],
    ['not by what is about another, in a word of several', '/requests', ['contactMethods.id', 'partnerInfo.id'], []],
    ['by the request of another', '/requests', ['customerRequest.id'], ['id /customerRequest/id']],
    [
      'by the request of another, where leads are created',
      '/leads',
      ['customerRequest.id'],
      ['id /customerRequest/id'],
    ],
    ['not by what is about earlier ones', '/requests', ['duplicates.id', 'errors.id', 'matches.id'], []],
    [
      'by what is created, of which others would be about another',
      '/contacts',
      ['contact_id', 'contact.id'],
      ['contact_id /contact_id', 'id /contact/id'],
    ],
    ['by what is created, in the singular', '/partner/categories', ['category_id'], ['category_id /category_id']],
    ['not by what the path names before', '/users/leads', ['user_id'], []],
  ])('%s', (_, path, places, expected) => {
    expect(named(path, ...places)).toEqual(expected);
  });

  test('in answers of success alone, by texts or numbers, each place once', () => {
    const id = at('id');
    const of = (...answers: DescribedAnswer[]) => identifierPlaces(answers, '/requests').map(({ pointer }) => pointer);
    expect(of(answer(200, [id]), answer(201, [id]))).toEqual(['/id']);
    expect([of(answer(208, [id])), of(answer(300, [id])), of(answer(199, [id]))]).toEqual([[], [], []]);
    for (const type of ['object', 'array', 'boolean'])
      expect(of(answer(200, [at('id', { types: [type] })]))).toEqual([]);
    expect(of(answer(299, [at('id', { types: ['integer', 'null'] })]))).toEqual(['/id']);
  });
});

describe('Validate shows a duplicate', () => {
  const rules = (...answers: DescribedAnswer[]) =>
    verdictRules(answers).map(({ rule, confidence }) => ({ ...rule, confidence }));
  const value = (pointer: string, duplicate: string[], clear: string[], confidence: string) => [
    { kind: 'value', pointer, duplicate, clear, confidence },
  ];
  const isDuplicate = value('/duplicate', ['true'], ['false'], 'certain');

  test.each<[string, AnswerPlace, readonly object[]]>([
    ['a flag', flag('duplicate'), isDuplicate],
    ['a flag that is only shown', at('duplicate', { types: [], values: [false] }), isDuplicate],
    ['no flag, where other values are shown', at('duplicate', { types: [], values: [false, 'x'] }), []],
    ['a possible one', flag('possibleDuplicate'), value('/possibleDuplicate', ['true'], ['false'], 'weak')],
    ['what exists', flag('exists'), value('/exists', ['true'], ['false'], 'likely')],
    ['what is existing', flag('isExisting'), value('/isExisting', ['true'], ['false'], 'likely')],
    ['what exists within', flag('data.exists'), value('/data/exists', ['true'], ['false'], 'weak')],
    ['what is unique', flag('isUnique'), value('/isUnique', ['false'], ['true'], 'likely')],
    ['what is new', flag('new'), value('/new', ['false'], ['true'], 'likely')],
    ['what is valid', flag('valid'), value('/valid', ['false'], ['true'], 'weak')],
    [
      'what is valid if it is not there already',
      flag('valid', 'false if it already came'),
      value('/valid', ['false'], ['true'], 'likely'),
    ],
    [
      'what is valid if it is no duplicate',
      flag('isValid', 'not a duplicate'),
      value('/isValid', ['false'], ['true'], 'likely'),
    ],
    ['no success', flag('success'), []],
    ['no flag of an address', flag('email.exists'), []],
    ['no flag of a customer', flag('customer.duplicate'), []],
    [
      'a list',
      at('duplicates', { types: ['array'] }),
      [{ kind: 'list', pointer: '/duplicates', confidence: 'likely' }],
    ],
    [
      'a list of similar ones',
      at('similar', { types: ['array'] }),
      [{ kind: 'list', pointer: '/similar', confidence: 'likely' }],
    ],
    ['no other list', at('items', { types: ['array'] }), []],
    ['codes for both', codes('status', 'duplicate', 'new', 'x'), value('/status', ['duplicate'], ['new'], 'certain')],
    ['a code for a duplicate alone', codes('status', 'duplicate', 'x'), value('/status', ['duplicate'], [], 'weak')],
    ['examples of both', shown('status', 'exists', 'unique'), value('/status', ['exists'], ['unique'], 'likely')],
    ['an example of one', shown('status', 'duplicate'), value('/status', ['duplicate'], [], 'weak')],
    ['no text of none', shown('status', 'unique'), []],
    [
      'codes of sixty letters',
      codes('status', 'duplicate', 'x'.repeat(60)),
      value('/status', ['duplicate'], [], 'weak'),
    ],
    ['no text of more', codes('status', 'duplicate', 'x'.repeat(61)), []],
  ])('by %s', (_, place, expected) => {
    expect(rules(answer(200, [place]))).toEqual(expected);
    expect(rules(answer(400, [place]))).toEqual([]);
  });

  test('by the most certain place alone', () => {
    const [weak, likely, certain] = [flag('valid'), flag('unique'), flag('duplicate')];
    expect(rules(answer(200, [weak, likely, certain]))).toEqual(isDuplicate);
    expect(rules(answer(200, [weak, likely]))).toMatchObject([{ pointer: '/unique' }]);
    expect(rules(answer(200, [certain, flag('isDuplicate')]))).toEqual(isDuplicate);
  });

  const status = (status: number, verdict: string, confidence: string) => ({
    kind: 'status',
    status,
    verdict,
    confidence,
  });
  test.each<[string, DescribedAnswer, readonly object[]]>([
    ['409 that says so', answer(409, [], 'Duplicate'), [status(409, 'duplicate', 'certain')]],
    ['409 that says something besides', answer(409, [], 'Duplicate or conflict'), [status(409, 'duplicate', 'weak')]],
    ['409 that says nothing', answer(409, [], 'Conflict'), [status(409, 'duplicate', 'weak')]],
    ['208 that says nothing', answer(208, [], ''), [status(208, 'duplicate', 'likely')]],
    ['409 that says something else', answer(409, [], 'The account is locked'), []],
    ['409 that says that it is none', answer(409, [], 'Not a duplicate'), []],
    ['409 of another thing', answer(409, [], 'The e-mail already exists'), []],
    ['409 whose codes all say so', answer(409, [codes('code', 'DUPLICATE')]), [status(409, 'duplicate', 'certain')]],
    [
      '409 with another code, too',
      answer(409, [codes('code', 'DUPLICATE', 'LOCKED')]),
      [{ kind: 'value', pointer: '/code', duplicate: ['DUPLICATE'], clear: [], confidence: 'likely' }],
    ],
    [
      '409 with an example',
      answer(409, [shown('code', 'DUPLICATE')]),
      [{ kind: 'value', pointer: '/code', duplicate: ['DUPLICATE'], clear: [], confidence: 'likely' }],
    ],
    [
      '409 with an example and words',
      answer(409, [shown('code', 'DUPLICATE')], 'Duplicate'),
      [status(409, 'duplicate', 'certain')],
    ],
    ['409 with other codes', answer(409, [codes('error', 'LOCKED')], 'Duplicate'), [status(409, 'duplicate', 'weak')]],
    [
      '409 with codes of something else',
      answer(409, [codes('country', 'PT')], 'Duplicate'),
      [status(409, 'duplicate', 'certain')],
    ],
    [
      '409 with examples of something else',
      answer(409, [shown('code', 'LOCKED')], 'Duplicate'),
      [status(409, 'duplicate', 'certain')],
    ],
    ['409 with a text and no words', answer(409, [shown('code', 'LOCKED')], 'Conflict'), []],
    ['404 that says that there is none', answer(404, [], 'No match'), [status(404, 'clear', 'likely')]],
    ['404 that was never seen', answer(404, [], 'Request not seen before'), [status(404, 'clear', 'likely')]],
    ['404 that says nothing', answer(404, [], 'Not found'), []],
    ['410', answer(410, [], 'No match'), []],
  ])('by its status: %s', (_, described, expected) => {
    expect(rules(described)).toEqual(expected);
  });

  test('and success says that there is none where another status tells a duplicate', () => {
    expect(rules(answer(200), answer(409, [], 'Duplicate'))).toEqual([
      status(409, 'duplicate', 'certain'),
      status(200, 'clear', 'likely'),
    ]);
    expect(rules(answer(200), answer(404, [], 'No match'))).toEqual([status(404, 'clear', 'likely')]);
    expect(rules(answer(200), answer(409, [codes('code', 'DUPLICATE', 'LOCKED')]))).toHaveLength(2);
  });
});

describe('Create shows a duplicate', () => {
  const rules = (...answers: DescribedAnswer[]) => duplicateRules(answers, '/leads').map(({ rule }) => rule);
  const byCode = { kind: 'value', pointer: '/code', duplicate: ['DUPLICATE_LEAD'], clear: [] };

  test.each<[string, DescribedAnswer, readonly object[]]>([
    ['a code of a refusal', answer(422, [codes('code', 'DUPLICATE_LEAD', 'OTHER')]), [byCode]],
    ['the first status of a refusal', answer(400, [codes('code', 'DUPLICATE_LEAD')]), [byCode]],
    ['not a code of a failure', answer(500, [codes('code', 'DUPLICATE_LEAD')]), []],
    ['not a code of a success', answer(200, [codes('code', 'DUPLICATE_LEAD')]), []],
    ['not an example', answer(422, [shown('code', 'DUPLICATE_LEAD')]), []],
    ['not other codes', answer(422, [codes('code', 'OTHER')]), []],
    ['409', answer(409, [], 'The lead already exists'), [{ kind: 'status', status: 409, verdict: 'duplicate' }]],
    ['codes of 409 once', answer(409, [codes('code', 'DUPLICATE_LEAD', 'OTHER')]), [byCode]],
  ])('by %s', (_, described, expected) => {
    expect(rules(described)).toEqual(expected);
  });
});

describe('A refusal gives its reason', () => {
  const pointers = (...answers: DescribedAnswer[]) => errorTextPlaces(answers).pointers;
  const refusal = (...paths: string[]) =>
    answer(
      422,
      paths.map((path) => at(path)),
    );

  test.each<[readonly string[], readonly string[]]>([
    [['detail', 'message', 'title'], ['/detail']],
    [['title', 'message'], ['/message']],
    [['code', 'title'], ['/title']],
    [['details'], ['/details']],
    [['errorMessage'], ['/errorMessage']],
    [
      ['message', 'errors.*.message'],
      ['/message', '/errors/*/message'],
    ],
    [['code'], []],
  ])('of %j at %j', (paths, expected) => {
    expect(pointers(refusal(...paths))).toEqual(expected);
  });

  test('in the usual refusal that describes anything', () => {
    expect(errorTextPlaces([answer(200, [at('message')])])).toEqual({ pointers: [], where: '' });
    expect(pointers(answer(400), answer(404, [at('title')]), answer(422, [at('detail')]))).toEqual(['/detail']);
  });
});
