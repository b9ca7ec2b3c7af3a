import { describe, expect } from 'vitest';
import { test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';

const HEADER = 'Lead ID,Country,Name,Phone,Notes,Message';
const rows = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => from + at).map(
    (lead) => `L-${lead},PT,Ana Exemplo,9123456${10 + lead},Flat ${lead},Paint the living room ${lead}`,
  );
const csv = (from: number, to: number) => `${[HEADER, ...rows(from, to)].join('\n')}\n`;
const REMAPPED = ['--map', 'Notes=location'];

describe.concurrent('Rows whose references were created before with other content', () => {
  test('are not sent without a person, and are with --again', async ({ partner, sandbox }) => {
    const file = partner.write('leads.csv', csv(0, 6));
    expect((await partner.run('bulk', file)).code).toBe(0);
    const created = () => sandbox.requests().filter(({ operation }) => operation === 'create').length;
    expect(created()).toBe(6);
    const refused = await partner.run('bulk', file, ...REMAPPED, '--json');
    expect([refused.code, documentOf(refused)]).toEqual([
      2,
      { error: expect.objectContaining({ code: 'usage', message: expect.stringContaining('6 of the first 6 rows') }) },
    ]);
    expect(created()).toBe(6);
    const again = await partner.run('bulk', file, ...REMAPPED, '--again', '--on-duplicate', 'create', '--json');
    expect([again.code, documentOf(again)]).toEqual([0, expect.objectContaining({ created: 6 })]);
  });

  test('are no matter if they are the smaller part of the file', async ({ partner }) => {
    partner.write('leads.csv', csv(0, 4));
    expect((await partner.run('bulk', partner.write('leads.csv', csv(0, 4)))).code).toBe(0);
    const more = partner.write('more.csv', csv(0, 20));
    const ended = await partner.run('bulk', more, ...REMAPPED, '--on-duplicate', 'create', '--json');
    expect([ended.code, documentOf(ended)]).toEqual([0, expect.objectContaining({ rows: 20, created: 20 })]);
  });

  test('are no matter if the column is no reference of requests: few values come again and again', async ({
    partner,
  }) => {
    const campaign = (name: string) => `${[HEADER, ...rows(0, 6)].join('\n').replace(/L-\d+/g, name)}\n`;
    expect((await partner.run('bulk', partner.write('a.csv', campaign('C-1')))).code).toBe(0);
    const ended = await partner.run(
      'bulk',
      partner.write('b.csv', campaign('C-1')),
      ...REMAPPED,
      '--on-duplicate',
      'create',
    );
    expect(ended.code).toBe(0);
  });
});
