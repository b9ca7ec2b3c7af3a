import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { propose, readDocuments, saidOperations } from '../../src/commands/contract/contract-documents.ts';
import { openFolder } from '../../src/commands/contract/description-folder.ts';
import type { SrqError } from '../../src/request/errors.ts';
import { contractWith } from '../sandbox/contract-client.ts';

const MAX_BYTES = 10 * 1024 * 1024;

/** A folder with these files, which is removed with the test. */
function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'srq-contract-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const errorOf = (run: () => unknown): Promise<SrqError> =>
  Promise.resolve()
    .then(run)
    .then(
      () => Promise.reject(new Error('It was expected to be refused.')),
      (error: SrqError) => error,
    );

describe('A file of a description', () => {
  test('is read whole, and known by its name alone', async () => {
    const text = 'ä'.repeat(100_000);
    const folder = folderOf({ 'sub/a.yaml': text, 'env.json': '{}' });
    const { documents, environment } = await readDocuments([join(folder, 'sub/a.yaml')], join(folder, 'env.json'));
    expect(documents.map(({ name, bytes, folder: of }) => [name, bytes.toString(), of])).toEqual([
      ['a.yaml', text, undefined],
    ]);
    expect([environment?.name, environment?.bytes.toString()]).toEqual(['env.json', '{}']);
    expect((await readDocuments([join(folder, 'env.json')])).environment).toBeNull();
  });

  test.each([
    [MAX_BYTES, true],
    [MAX_BYTES + 1, false],
  ])('may have 10 MB and no byte more: %i', async (size, isRead) => {
    const folder = folderOf({ 'a.yaml': '' });
    truncateSync(join(folder, 'a.yaml'), size);
    const read = readDocuments([join(folder, 'a.yaml')]).then(({ documents }) => documents[0]?.bytes.length);
    if (isRead) expect(await read).toBe(size);
    else await expect(read).rejects.toThrow(`${join(folder, 'a.yaml')} cannot be read (it is larger than 10 MB).`);
  });

  test('is a file that is there', async () => {
    const folder = folderOf();
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    const hint = 'Name the OpenAPI description or the collection that you were given: srq contract learn FILE';
    for (const [name, why] of [
      ['pipe.yaml', 'it is not a regular file'],
      ['none.yaml', 'ENOENT'],
    ] as const) {
      const path = join(folder, name);
      expect(await errorOf(() => readDocuments([path]))).toMatchObject({
        ...{ reason: 'file.unreadable', message: `${path} cannot be read (${why}).`, hint },
      });
    }
    expect((await errorOf(() => readDocuments([join(folder, 'none.yaml')], folder))).message).toContain('ENOENT');
    writeFileSync(join(folder, 'a.yaml'), 'x');
    const environment = await errorOf(() => readDocuments([join(folder, 'a.yaml')], folder));
    expect(environment.message).toBe(`${folder} cannot be read (it is a folder).`);
  });
});

describe('A folder of a description', () => {
  const API = 'openapi: 3.1.0\n';

  test('is that of the references of its own files alone', async () => {
    const folder = folderOf({ 'api/a.yaml': API, 'api/sub/b.yaml': API, 'c.yaml': API });
    const at = (name: string) => join(folder, name);
    const named = [at('api/sub/b.yaml'), at('api'), at('c.yaml')];
    const { documents } = await readDocuments(named);
    expect(documents.map(({ name, folder: of }) => [name, of?.path])).toEqual([
      ['b.yaml', 'sub/b.yaml'],
      ['c.yaml', undefined],
    ]);
    expect(documents[0]?.folder?.read('a.yaml')?.toString()).toBe(API);
    // No file of it is named, so it is its description that is meant.
    expect((await readDocuments([at('c.yaml'), at('api')])).documents.map(({ name }) => name)).toEqual([
      'a.yaml',
      'c.yaml',
    ]);
    expect((await readDocuments([at('api')])).documents.map(({ name }) => name)).toEqual(['a.yaml']);
  });

  test('is one', async () => {
    const [one, other] = [folderOf({ 'a.yaml': API }), folderOf()];
    expect(await errorOf(() => readDocuments([one, other]))).toMatchObject({
      ...{ reason: 'flags.contradict', message: 'Several folders were named.' },
    });
  });

  test.each<[string, Readonly<Record<string, string>>, string | null]>([
    ['openapi in YAML', { 'a.yaml': API, 'b.yaml': 'type: object\n' }, 'a.yaml'],
    ['swagger in YAML', { 'a.yml': 'swagger: "2.0"\n' }, 'a.yml'],
    ['a name in quotes', { 'a.YML': "'openapi': 3.1.0\n" }, 'a.YML'],
    ['JSON', { 'a.json': '{\n  "openapi" : "3.1.0"}' }, 'a.json'],
    ['JSON in one line', { 'a.json': '{"swagger":"2.0"}' }, 'a.json'],
    ['a later line', { 'a.yaml': '# Leads\ninfo: {}\nopenapi: 3.1.0\n' }, 'a.yaml'],
    ['a later line of JSON', { 'a.json': '{"info": {},\n    "openapi": "3.1.0"}' }, 'a.json'],
    ['a line that is too deep', { 'a.json': '{"x": {\n       "openapi": "3.1.0"}}' }, null],
    ['another word', { 'a.yaml': 'myopenapi: 3.1.0\nx-openapi: 3\nopenapi-x: 1\n' }, null],
    ['another ending', { 'a.txt': API, 'a.yaml.bak': API }, null],
    ['a folder below', { 'sub/a.yaml': API }, null],
  ])('has its description at the top, by %s', (_, files, found) => {
    const folder = folderOf(files);
    const { mainDocument } = openFolder(folder);
    if (found !== null) expect(mainDocument()).toBe(join(folder, found));
    else
      expect(mainDocument).toThrow(
        expect.objectContaining({
          ...{ reason: 'file.unreadable', message: `${folder} holds no description.` },
          hint: `Name the one that is meant, and the folder of the others: srq contract learn ${join(folder, 'api.yaml')} ${folder}`,
        }),
      );
  });

  test('with several descriptions leaves the choice to a person', () => {
    const folder = folderOf({ 'b.yaml': API, 'a.yaml': API });
    expect(openFolder(folder).mainDocument).toThrow(
      expect.objectContaining({
        message: `${folder} holds several descriptions: a.yaml, b.yaml.`,
        hint: `Name the one that is meant, and the folder of the others: srq contract learn ${join(folder, 'a.yaml')} ${folder}`,
      }),
    );
  });

  test('is not searched without end: of its names the first two hundred, of each file the beginning', () => {
    const names = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${String(at).padStart(3, '0')}.json`, '{}']));
    expect(openFolder(folderOf({ ...names(199), 'b.yaml': API })).mainDocument()).toMatch(/b\.yaml$/);
    expect(openFolder(folderOf({ ...names(200), 'b.yaml': API })).mainDocument).toThrow('holds no description');
    const beginning = (bytes: number) => `${'#'.repeat(bytes - API.length)}\n${API}`;
    expect(openFolder(folderOf({ 'a.yaml': beginning(64 * 1024 + 6) })).mainDocument()).toMatch(/a\.yaml$/);
    expect(openFolder(folderOf({ 'a.yaml': beginning(64 * 1024 + 7) })).mainDocument).toThrow('holds no description');
  });

  test('is read up to one byte more than a document may have', () => {
    const folder = folderOf({ 'a.yaml': API, 'big.yaml': '' });
    truncateSync(join(folder, 'big.yaml'), MAX_BYTES + 7);
    const inside = openFolder(folder).within(join(folder, 'a.yaml'));
    expect(inside?.read('big.yaml')?.length).toBe(MAX_BYTES + 1);
    expect(inside?.read('a.yaml')?.toString()).toBe(API);
  });

  test('is not left by a link, nor by "..", and has files alone', () => {
    const outside = folderOf({ 'secret.yaml': 'x', 'api-too/b.yaml': 'x' });
    const folder = join(outside, 'api');
    mkdirSync(join(folder, 'sub.yaml'), { recursive: true });
    writeFileSync(join(folder, 'a.yaml'), API);
    symlinkSync(join(outside, 'secret.yaml'), join(folder, 'linked.yaml'));
    symlinkSync(join(folder, 'a.yaml'), join(folder, 'inner.yaml'));
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    const { within } = openFolder(folder);
    const read = within(join(folder, 'a.yaml'))?.read ?? (() => null);
    const left = ['linked.yaml', '../secret.yaml', '../api-too/b.yaml', 'sub.yaml', 'pipe.yaml', 'none.yaml', '.'];
    expect(left.map((name) => read(name))).toEqual(left.map(() => null));
    expect(read('inner.yaml')?.toString()).toBe(API);
    for (const path of [
      join(outside, 'secret.yaml'),
      join(outside, 'api-too/b.yaml'),
      folder,
      join(folder, 'none.yaml'),
    ])
      expect(within(path), path).toBeNull();
    // The folder itself may be named by a link.
    symlinkSync(folder, join(outside, 'link'));
    expect(openFolder(join(outside, 'link')).within(join(folder, 'a.yaml'))?.path).toBe('a.yaml');
    expect(openFolder(join(outside, 'link')).mainDocument).toThrow('holds several descriptions: a.yaml, inner.yaml.');
  });

  test('may be the root of all files', () => {
    const folder = folderOf({ 'a.yaml': API });
    expect(openFolder('/').within(join(folder, 'a.yaml'))?.path).toMatch(/a\.yaml$/);
  });
});

describe('An operation that a person names', () => {
  test('is one of the service', () => {
    const said = [
      ['create', 'POST /a'],
      ['validate', 'none'],
      ['token', '/t'],
    ] as const;
    expect(saidOperations(said)).toEqual({ create: 'POST /a', validate: 'none', token: '/t' });
    expect(saidOperations([])).toEqual({});
    expect(() => saidOperations([...said, ['delete\n', 'x']])).toThrow(
      expect.objectContaining({
        reason: 'operation.unknown',
        message: '"delete " is not an operation of the service.',
      }),
    );
  });
});

describe('What is proposed of a contract file', () => {
  const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
  const file = (contract: object) => ({ name: 'mine.json', bytes: Buffer.from(JSON.stringify(contract)) });
  const proposedOf = (documents: { name: string; bytes: Buffer }[]) =>
    propose({ documents, environment: null }, { constants: {}, operations: {} }, null, NOW_MS);

  test('is from where it says, and learned now', async () => {
    const learnedAt = '2026-11-21T12:00:00.000Z';
    const source = { files: ['api.yaml'], title: 'Leads', kind: 'OpenAPI 3.1', learnedAt: '2026-01-01T00:00:00Z' };
    const { contract, notes } = await proposedOf([file({ ...contractWith({}), source })]);
    expect([contract.source, notes]).toEqual([{ ...source, learnedAt }, []]);
    expect((await proposedOf([file(contractWith({}))])).contract.source).toEqual({
      ...{ files: ['mine.json'], title: 'What the public document says', kind: 'contract', learnedAt },
    });
  });

  test('is none of several files, nor of one that is no contract', async () => {
    const api = { openapi: '3.1.0', info: { title: 'Leads' }, paths: {} };
    const { contract } = await proposedOf([file({ ...api, create: 1 })]);
    expect(contract.source).toMatchObject({ title: 'Leads', kind: 'OpenAPI 3.1' });
    await expect(proposedOf([file(contractWith({})), file(api)])).rejects.toMatchObject({ code: 'input' });
  });
});
