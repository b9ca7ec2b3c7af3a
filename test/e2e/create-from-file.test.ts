import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf, documentsOf } from '../helpers/run-srq.ts';
import { creates, LEAD } from '../sandbox/sandbox-client.ts';

const need = (text: string): Record<string, string> => ({ ...LEAD, request_text: text });
const statuses = (documents: Record<string, unknown>[]) => documents.map(({ status }) => status);

describe.concurrent('create --file', () => {
  test('reads one object from a file; flags fill what it leaves out', async ({ partner, sandbox }) => {
    const { fullname: _, ...partial } = need('do ficheiro');
    const path = partner.write('one.json', JSON.stringify({ ...partial, ref: 'J-1' }));
    const ended = await partner.call(
      'create',
      '--file',
      path,
      '--fullname',
      'Da linha',
      '--phone',
      '+4915123456789',
      '--json',
    );
    expect(documentOf(ended)).toMatchObject({ status: 'created', ref: 'J-1' });
    expect(creates(sandbox)[0]?.params).toEqual({ ...need('do ficheiro'), fullname: 'Da linha' });
  });

  test.for([
    ['my leads.csv', 'ref,phone\nA,1\n'],
    ['my leads.json', JSON.stringify(Array.from({ length: 1_001 }, () => need('muitos')))],
  ] as const)('tells for %j a command that can be pasted', async ([name, text], { partner }) => {
    partner.write(name, text);
    const ended = await partner.call('create', '--file', name, '--json');
    expect(documentOf(ended)).toMatchObject({ error: { hint: expect.stringContaining(`srq bulk '${name}'`) } });
  });

  test('reads an array and returns an array, each request by itself', async ({ partner, sandbox }) => {
    const path = partner.write(
      'few.json',
      JSON.stringify([need('um'), { ...need('dois'), country: 'FR' }, need('um'), need('três')]),
    );
    const ended = await partner.call('create', '--file', path, '--json');
    expect(ended.code).toBe(3);
    const documents = documentsOf(ended);
    expect(statuses(documents)).toEqual(['created', 'invalid', 'repeated', 'created']);
    expect(documents.map(({ row }) => row)).toEqual([1, 2, 3, 4]);
    expect(documents[1]?.['problems']).toMatchObject([
      { code: 'country.unknown', severity: 'error', field: 'country', value: 'FR' },
    ]);
    expect(creates(sandbox).map(({ params }) => params['request_text'])).toEqual(['um', 'três']);
  });

  test('reads one object a line', async ({ partner, sandbox }) => {
    const path = partner.write(
      'few.ndjson',
      `${JSON.stringify(need('linha 1'))}\n${JSON.stringify(need('linha 2'))}\n`,
    );
    const ended = await partner.call('create', '--file', path, '--json');
    expect(statuses(documentsOf(ended))).toEqual(['created', 'created']);
    expect(creates(sandbox)).toHaveLength(2);
  });

  test('reads standard input and leaves no copy of it behind', async ({ partner, sandbox }) => {
    const before = partner.files();
    const ended = await partner.start(['create', '--file', '-', '--json'], {
      stdin: JSON.stringify(need('da entrada')),
    }).ended;
    expect(documentOf(ended)).toMatchObject({ status: 'created' });
    expect(creates(sandbox)).toHaveLength(1);
    const added = partner.files().filter((name) => !before.includes(name));
    expect(added.filter((name) => name.startsWith('temp'))).toEqual([]);
  });
});
