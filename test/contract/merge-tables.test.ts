import { describe, expect, test } from 'vitest';
import { mergeProposals } from '../../src/contract/merge-contracts.ts';
import {
  type Contract,
  type CreateOperation,
  DOCUMENTED_CONTRACT,
  type Proposal,
  type Question,
  type TokenOperation,
} from '../../src/request/contract.ts';
import { parameter } from '../sandbox/contract-client.ts';

interface Said {
  readonly create?: Partial<CreateOperation>;
  readonly token?: Partial<TokenOperation>;
  readonly rest?: Partial<Contract>;
  /** Settings of which the document speaks. */
  readonly found?: readonly string[];
  readonly questions?: readonly string[];
}

const found = (setting: string) => ({
  setting,
  value: 'x',
  where: `/${setting}`,
  confidence: 'certain' as const,
  why: '',
});
const question = (name: string): Question => ({ name, text: name, answer: '' });

function proposal(file: string, { create, token, rest, found: settings = [], questions = [] }: Said): Proposal {
  const contract: Contract = {
    ...DOCUMENTED_CONTRACT,
    source: { files: [file], title: file, kind: 'OpenAPI 3.1', learnedAt: '' },
    ...rest,
    create: { ...DOCUMENTED_CONTRACT.create, ...create },
    token: { ...DOCUMENTED_CONTRACT.token, ...token },
    findings: ['create.path', ...settings].map(found),
  };
  return { contract, questions: questions.map(question), notes: [] };
}
const merged = (one: Said, other: Said) => mergeProposals(proposal('a', one), proposal('b', other));
const placesOf = ({ contract }: Proposal, setting: string) =>
  contract.findings.filter((each) => each.setting === setting).map(({ where }) => where);

describe('The time for which a key is known', () => {
  const key = (windowSeconds: number | null, header = 'K') => ({
    idempotency: { header, format: 'text' as const, windowSeconds },
  });
  const setting = ['create.idempotency'];

  test.each<[string, Said, Said, number | null | undefined, string]>([
    ['is the shorter one', { create: key(900), found: setting }, { create: key(300), found: setting }, 300, 'b'],
    [
      'is the first one of two that are equal',
      { create: key(300), found: setting },
      { create: key(300), found: setting },
      300,
      'a',
    ],
    [
      'is the first one if that is shorter',
      { create: key(300), found: setting },
      { create: key(900), found: setting },
      300,
      'a',
    ],
    [
      'is shorter than the usual one',
      { create: key(null), found: setting },
      { create: key(599), found: setting },
      599,
      'b',
    ],
    ['is the usual one', { create: key(null), found: setting }, { create: key(600), found: setting }, null, 'a'],
    ['is that of the other document', {}, { create: key(300), found: setting }, 300, 'b'],
    ['is that of the first one', { create: key(300), found: setting }, {}, 300, 'a'],
    ['is none where the first one denies it', { found: setting }, { create: key(300), found: setting }, undefined, 'a'],
    ['is none where the second one denies it', { create: key(300), found: setting }, { found: setting }, 0, 'b'],
    ['is that of a demand without words', { create: key(0) }, { create: key(300), found: setting }, 300, 'b'],
    ['is nothing where both only demand it', { create: key(0) }, { create: key(0, 'L') }, 0, ''],
  ])('%s', (_, one, other, seconds, file) => {
    const proposal = merged(one, other);
    expect(proposal.contract.create.idempotency?.windowSeconds).toBe(seconds);
    expect(placesOf(proposal, 'create.idempotency')).toEqual(file === '' ? [] : [`${file} /create.idempotency`]);
  });

  test('is noted where it is shortened, and so is another header', () => {
    const notes = (one: Said, other: Said) => merged(one, other).notes;
    expect(notes({ create: key(900), found: setting }, { create: key(null), found: setting })).toEqual([
      'create.idempotency: the documents name 900 and 600 seconds. The shorter time is used.',
    ]);
    expect(notes({ create: key(900), found: setting }, { create: key(300, 'L'), found: setting })).toEqual([
      'create.idempotency: K by a /create.idempotency, but L by b /create.idempotency. The first one is used.',
    ]);
    expect(notes({ create: key(300), found: setting }, { create: key(300), found: setting })).toEqual([]);
  });
});

describe('Questions', () => {
  const names = (one: Said, other: Said) => merged(one, other).questions.map(({ name }) => name);
  const all = ['validate.path', 'token.path'];

  test.each<[string, Said, Said, string[]]>([
    ['of the first document stay', { questions: ['constant:x'], found: all }, {}, ['constant:x']],
    ['of the second do not, where the first has all operations', { found: all }, { questions: ['constant:x'] }, []],
    [
      'of the second stay, where the first lacks one',
      { found: ['validate.path'] },
      { questions: ['constant:x'] },
      ['constant:x'],
    ],
    [
      'of both are asked once',
      { questions: ['constant:x'] },
      { questions: ['constant:x', 'constant:y'] },
      ['constant:x', 'constant:y'],
    ],
    [
      'for an operation that the other has are answered',
      { questions: ['operation:validate'] },
      { found: ['validate.path'] },
      [],
    ],
    ['for an operation that none has are open', { questions: ['operation:validate'] }, {}, ['operation:validate']],
    [
      'for tokens are answered by credentials',
      { questions: ['operation:token'] },
      { rest: { auth: { kind: 'basic' } } },
      [],
    ],
    [
      'for a constant that the other has are answered',
      { questions: ['constant:x'], create: { parameters: [parameter('x')] }, found: all },
      { create: { parameters: [parameter('x', { constant: '7' })] } },
      [],
    ],
    [
      'for a constant that none has are open',
      {
        questions: ['constant:x'],
        create: { parameters: [parameter('x'), parameter('y', { path: ['a', 'x'], constant: '1' })] },
        found: all,
      },
      {},
      ['constant:x'],
    ],
    [
      'for a key are answered by the other',
      { questions: ['idempotency:K'], found: all },
      { create: { idempotency: { header: 'K', format: 'text', windowSeconds: 60 } }, found: ['create.idempotency'] },
      [],
    ],
    ['for a key that none knows are open', { questions: ['idempotency:K'], found: all }, {}, ['idempotency:K']],
  ])('%s', (_, one, other, expected) => {
    expect(names(one, other)).toEqual(expected);
  });
});

describe('Tokens', () => {
  const both = { found: ['token.path'] };

  test('are issued where the first document says, with what the second adds', () => {
    const proposal = merged(
      { ...both, token: { path: '/a', origin: 'service', extra: { scope: 'x' } } },
      { ...both, token: { path: '/b', extra: { scope: 'y', audience: 'z' }, lifetimeSeconds: 60, tokenPointer: '/t' } },
    );
    expect(proposal.contract.token).toMatchObject({
      ...{ path: '/a', origin: 'service', extra: { scope: 'x', audience: 'z' } },
      ...{ lifetimeSeconds: 60, tokenPointer: '/t', lifetimePointer: null },
    });
    expect(proposal.notes).toEqual([
      'token.path: /a by a /token.path, but /b by b /token.path. The first one is used.',
      'token.scope: x by a, but y by b. The first one is used.',
    ]);
    expect(Object.keys(merged(both, both).contract.token)).not.toContain('origin');
  });

  test('are those of the only document that has them, unless calls need none', () => {
    const second = { ...both, token: { path: '/b' } };
    expect(merged({}, second).contract.token.path).toBe('/b');
    expect(placesOf(merged({}, second), 'token.path')).toEqual(['b /token.path']);
    const basic = merged({ ...both, rest: { auth: { kind: 'basic' } } }, second);
    expect([basic.contract.auth, placesOf(basic, 'token.path')]).toEqual([{ kind: 'basic' }, []]);
    expect(merged({}, { rest: { auth: { kind: 'basic' } } }).contract.auth).toEqual({ kind: 'basic' });
    expect(merged(both, { rest: { auth: { kind: 'basic' } } }).contract.auth).toBeUndefined();
  });
});

describe('What both documents describe', () => {
  test('has the answers of the first that shows any', () => {
    const success = (body: object | null) => ({ status: 200, contentType: 'application/json', body: body as never });
    const of = (one: CreateOperation['success'], other: CreateOperation['success']) =>
      merged({ create: { success: one } }, { create: { success: other } }).contract.create.success;
    const [a, b, none] = [success({ a: 1 }), success({ b: 1 }), success(null)];
    expect([of(a, b), of(none, b), of(null, b), of(none, null)]).toEqual([a, b, b, none]);
  });

  test('has the parameters of the first, and of the second those that fit beside them', () => {
    const parametersOf = (encoding: 'form' | 'json') => {
      const others = [
        parameter('phone', { maxLength: 9 }),
        parameter('lang'),
        parameter('deep', { path: ['other', 'deep'] }),
        parameter('trace', { in: 'header', path: ['X-Trace'] }),
        parameter('whole', { path: ['city'] }),
      ];
      const one = { create: { parameters: [parameter('phone'), parameter('city')] } };
      const proposal = merged(one, { create: { encoding, parameters: others } });
      return { all: proposal.contract.create.parameters ?? [], notes: proposal.notes };
    };
    expect(parametersOf('form').all).toEqual([
      parameter('phone'),
      parameter('city'),
      parameter('lang', { required: false }),
      parameter('trace', { in: 'header', path: ['X-Trace'], required: false }),
    ]);
    expect(parametersOf('form').notes).toEqual([
      'lang: b has it as lang, a does not know it.',
      'trace: b has it as X-Trace, a does not know it.',
    ]);
    expect(parametersOf('json').all.map(({ field }) => field)).toEqual(['phone', 'city', 'trace']);
  });

  test('has its servers once, and whether there is validate from the first that says so', () => {
    const server = (url: string) => ({ name: 'live', url, description: '', test: null });
    const proposal = merged(
      { rest: { servers: [server('https://a')], hasValidate: null, unavailableIsNotActed: false } },
      {
        rest: { servers: [server('https://a'), server('https://b')], hasValidate: false, unavailableIsNotActed: true },
      },
    );
    expect(proposal.contract).toMatchObject({ hasValidate: false, unavailableIsNotActed: true });
    expect(proposal.contract.servers.map(({ url }) => url)).toEqual(['https://a', 'https://b']);
    expect(merged({ rest: { unavailableIsNotActed: true } }, {}).contract.unavailableIsNotActed).toBe(true);
  });

  test.each<[string, Said, Said, string]>([
    ['its own', { rest: { basePath: '/v1' } }, { rest: { basePath: '/v2' } }, '/v1'],
    ['that of the other, where it names no server', {}, { rest: { basePath: '/v2' } }, '/v2'],
    [
      'none, where it names a server',
      { rest: { servers: [{ name: 'a', url: 'https://a', description: '', test: null }] } },
      { rest: { basePath: '/v2' } },
      '',
    ],
    ['none, where its path is another', { create: { path: '/x' } }, { rest: { basePath: '/v2' } }, ''],
  ])('has %s base path', (_, one, other, basePath) => {
    expect(merged(one, other).contract.basePath).toBe(basePath);
  });
});
