import { describe, expect, test } from 'vitest';
import { painter, textWidth } from '../../src/report/output.ts';
import {
  contractName,
  contractText,
  contradictionText,
  placeText,
  proposalText,
  secretAddressText,
} from '../../src/report/terminal/contract-text.ts';
import { type Contract, type ContractFinding, DOCUMENTED_CONTRACT, type Proposal } from '../../src/request/contract.ts';

const paint = painter(false);
/** Shows which colour a text has. */
const loud = Object.fromEntries(
  Object.keys(paint).map((name) => [name, (text: string) => `<${name}>${text}</>`]),
) as unknown as typeof paint;

const finding = (changes: Partial<ContractFinding> = {}): ContractFinding => ({
  ...{ setting: 'create.path', value: '/leads', where: '/paths/~1leads', confidence: 'certain', why: 'it says so' },
  ...changes,
});
const SOURCE = { kind: 'OpenAPI 3.1', title: 'Lead intake', files: ['api.yaml', 'b.json'] };
const contractOf = (changes: Partial<Contract> = {}): Contract => ({ ...DOCUMENTED_CONTRACT, ...changes });
const proposalOf = (findings: readonly ContractFinding[], changes: Partial<Proposal> = {}): Proposal => ({
  ...{ contract: contractOf({ findings: [...findings] }), questions: [], notes: [] },
  ...changes,
});
const linesOf = (findings: readonly ContractFinding[], width: number, painted = paint) =>
  proposalText(proposalOf(findings), width, painted).split('\n').slice(1);

test('a contract is named by its title and its files, or as the public document', () => {
  expect(contractName(contractOf({ source: SOURCE } as never))).toBe('Lead intake (api.yaml, b.json)');
  expect(contractName(DOCUMENTED_CONTRACT)).toBe('what the public document says');
  const text = (contract: Contract) => proposalText(proposalOf([], { contract }), 80, paint).split('\n')[0];
  expect(text(contractOf({ source: SOURCE } as never))).toBe(
    'Learned from Lead intake (api.yaml, b.json), OpenAPI 3.1',
  );
  expect(text(DOCUMENTED_CONTRACT)).toBe('Learned from what the public document says');
});

describe('the findings', () => {
  test('are a table as wide as its texts, with the place beside from 120 columns on', () => {
    expect(linesOf([finding()], 120)).toEqual([
      '  setting      value   sure     where',
      '  create.path  /leads  certain  /paths/~1leads',
    ]);
    expect(linesOf([finding()], 119)).toEqual([
      '  setting      value   sure',
      '  create.path  /leads  certain',
      '               /paths/~1leads',
    ]);
    expect(linesOf([finding({ where: '' })], 119)).toHaveLength(2);
    expect(linesOf([finding({ where: '' })], 120)[1]).toBe('  create.path  /leads  certain');
    expect(linesOf([], 120)).toEqual([]);
  });

  test('that are not stated have their reason below, and each confidence its colour', () => {
    const lines = linesOf(
      [finding({ confidence: 'weak' }), finding({ confidence: 'likely' as never, where: '' }), finding()],
      120,
      loud,
    );
    expect(lines[1]).toMatch(/<yellow>weak {3}<\/> {2}<dim>\/paths\/~1leads<\/>$/);
    expect(lines[2]).toBe('               <dim>it says so</>');
    expect(lines[3]).toMatch(/\/leads {2}likely$/);
    expect(lines[5]).toMatch(/<green>certain<\/>/);
    expect(lines).toHaveLength(6);
  });

  test.each([
    // A name of more than 26 letters is cut in its middle, where the room ends.
    ['x'.repeat(26), 'x'.repeat(26)],
    [`a${'x'.repeat(25)}b`, `a${'x'.repeat(11)}…${'x'.repeat(12)}b`],
  ])('have names of at most 26 columns: %s', (setting, shown) => {
    expect(linesOf([finding({ setting })], 120)[1]).toMatch(new RegExp(`^  ${shown}  /leads`));
  });

  test.each([60, 80, 119, 120, 161])('are shown whole on %d columns, on as few lines as there is room for', (width) => {
    const value = 'v'.repeat(400);
    const lines = linesOf([finding({ value, where: 'w'.repeat(400) })], width).slice(1);
    expect(lines.join('').match(/v/g)).toHaveLength(400);
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
    // Beside the name, the confidence and the gaps the value has the rest, or, with the place beside it, half of that.
    const room = width - 2 - 11 - 2 - 2 - 7;
    const valueWidth = width >= 120 ? Math.ceil((room - 2) / 2) : room;
    expect(lines[0]?.match(/v/g)).toHaveLength(valueWidth);
    const place = lines.find((line) => line.includes('w')) ?? '';
    expect(place.match(/w/g)).toHaveLength((width >= 120 ? room - valueWidth - 2 : width - 15) - 1);
  });

  test('on fewer than 60 columns wrap as on 60: a narrower table is not legible', () => {
    const long = [finding({ value: 'v'.repeat(90) })];
    expect(linesOf(long, 20)).toEqual(linesOf(long, 60));
    expect(linesOf(long, 61)).not.toEqual(linesOf(long, 60));
  });

  test.each([
    [200, null],
    [201, '… and 1 more; all are in: srq contract show --json'],
    [1_400, '… and 1,200 more; all are in: srq contract show --json'],
  ])('of %d the first 200 are shown, and every guess', (count, more) => {
    const many = Array.from({ length: count }, () => finding({ where: '' }));
    const lines = linesOf(many, 120).slice(1);
    expect(lines).toHaveLength(200 + (more === null ? 0 : 1));
    expect(more === null || lines.at(-1) === `  ${more}`).toBe(true);
    const guess = finding({ confidence: 'weak', setting: 'guess' });
    expect(linesOf([...many, guess], 120).join('\n')).toContain('guess');
  });
});

test('notes stand below the findings, and what only a person can say below these; what has a default is a note already', () => {
  const questions = [
    { text: 'What is the id?', answer: '--set partner_id=…' },
    { text: 'Answered.', answer: '--x', unanswered: 'the usual' },
  ] as unknown as Proposal['questions'];
  const told = (changes: Partial<Proposal>) => proposalText(proposalOf([], changes), 80, paint).split('\n').slice(1);
  expect(told({ notes: ['One.', 'Two.'], questions })).toEqual([
    '! One.',
    '! Two.',
    'Only you can say',
    '  What is the id?',
    '    --set partner_id=…',
  ]);
  expect(told({ questions: questions.slice(1) })).toEqual([]);
});

test.each<[Record<string, { confirmed: number; contradicted: number }>, string[]]>([
  [{}, ['  nothing yet']],
  [
    { 'create.duplicate': { confirmed: 1, contradicted: 0 }, token: { confirmed: 2_000, contradicted: 0 } },
    ['  create.duplicate  confirmed 1 time', '  token             confirmed 2,000 times'],
  ],
  [{ token: { confirmed: 0, contradicted: 1 } }, ['  token  confirmed 0 times, contradicted 1 time']],
])('the contract in force says what live answers have shown of it: %j', (observations, lines) => {
  const text = contractText(contractOf({ findings: [finding()] }), observations, 80, paint).split('\n');
  expect(text[0]).toBe('Contract what the public document says');
  expect(text).toContain('  create.path  /leads  certain');
  expect(text.slice(text.indexOf('What live answers said') + 1)).toEqual(lines);
});

test.each<[string, Partial<Contract>, string | null, string]>([
  [
    'as HTTP Basic',
    { auth: { kind: 'basic' } as never },
    'https://a.example.com',
    'The client secret goes with each request to https://a.example.com, as HTTP Basic, with the client id. No token is asked for.',
  ],
  [
    'as a key in a header, to a place that is not known',
    { auth: { kind: 'apiKey', in: 'header', name: 'X-Api-Key', value: null } as never },
    null,
    'The key goes with each request to the base URL, in the header X-Api-Key. No token is asked for.',
  ],
  [
    'as a key in the query',
    { auth: { kind: 'apiKey', in: 'query', name: 'key', value: null } as never },
    'https://a.example.com',
    'The key goes with each request to https://a.example.com, in the query parameter key. No token is asked for.',
  ],
  [
    'for a token',
    { token: { ...DOCUMENTED_CONTRACT.token, path: '/t' } },
    'https://a.example.com/v1',
    'The client secret goes to https://a.example.com/v1/t for a token.',
  ],
  [
    'for a token below a base URL that is not known',
    { token: { ...DOCUMENTED_CONTRACT.token, path: '/t' } },
    null,
    'The client secret goes to /t below the base URL for a token.',
  ],
  [
    'for a token at the host of a base URL that is not known',
    { token: { ...DOCUMENTED_CONTRACT.token, path: '/t', origin: 'service' } },
    null,
    'The client secret goes to /t at the host of the base URL for a token.',
  ],
  [
    'for a token of another host',
    { token: { ...DOCUMENTED_CONTRACT.token, path: '/t', origin: 'https://login.example.net' } },
    null,
    'The client secret goes to https://login.example.net/t, another host than that of the service, for a token.',
  ],
])('a person is told where the secret goes: %s', (_, changes, baseUrl, text) => {
  expect(secretAddressText(contractOf(changes), baseUrl)).toBe(text);
});

test('a place is named as a person looks for it', () => {
  expect([placeText({ in: 'header', name: 'A' }), placeText({ in: 'query', name: 'b' })]).toEqual([
    'the header A',
    'the query parameter b',
  ]);
});

test('what answers contradict is told with its place in the document and its share', () => {
  const contract = contractOf({ findings: [finding()] });
  expect(contradictionText(contract, { 'create.path': { confirmed: 9, contradicted: 0 } })).toBeNull();
  expect(contradictionText(contract, {})).toBeNull();
  expect(
    contradictionText(contract, {
      'create.path': { confirmed: 1_999, contradicted: 1 },
      token: { confirmed: 0, contradicted: 2 },
      other: { confirmed: 1, contradicted: 0 },
    }),
  ).toBe(
    'The service does not answer as the contract says: create.path at /paths/~1leads (1 of 2,000 answers); token (2 of 2 answers). Those answers were read as without a contract.',
  );
});
