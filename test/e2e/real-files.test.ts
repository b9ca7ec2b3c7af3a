import { copyFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { pathOf, promisedCounts, REAL_FILES } from '../helpers/real-files.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const importIt = (desk: Desk, file: string) => desk.call('bulk', file, '--rate', 'max', '--json');

function copyOf(desk: Desk, name: string): string {
  const path = join(desk.work, name);
  copyFileSync(pathOf(name), path);
  return path;
}

describe.concurrent('a file as it really comes', () => {
  test.for(REAL_FILES)(
    'every row of $name ends as a person would expect',
    async ({ name, people }, { partner, sandbox }) => {
      const { rows, created, repeated, invalid } = promisedCounts(name);
      const ended = await importIt(partner, copyOf(partner, name));
      expect(documentOf(ended)).toMatchObject({ rows, created, repeated, invalid, rejected: 0, failed: 0, unknown: 0 });
      expect([ended.code, rows, created > 0]).toEqual([3, people.length, true]);

      const received = creates(sandbox);
      expect(received.map(({ status }) => status)).toEqual(Array(created).fill(201));
      // The log and the sandbox tell the same story, identifier by identifier, row by row.
      const logged = partner.records().filter(({ event }) => event === 'created');
      const rowOf = new Map(logged.map(({ ids, row }) => [(ids as Record<string, string>)['request_id'], Number(row)]));
      expect([...rowOf.keys()].sort()).toEqual(received.map(({ requestId }) => requestId).sort());
      for (const { requestId, params } of received) {
        const row = rowOf.get(requestId ?? '') ?? 0;
        expect({ row, ...params }).toMatchObject({ row, ...people[row - 1] });
      }
      expect(new Set(received.map(({ params }) => params['country'])).has('GB')).toBe(false);
    },
  );

  test.for(REAL_FILES)(
    '$name is not sent again by a second run, nor its results, of which only a corrected row is sent',
    async (file, { partner, sandbox }) => {
      const { rows, created, repeated, invalid } = promisedCounts(file.name);
      const copy = copyOf(partner, file.name);
      await importIt(partner, copy);
      const before = sandbox.requests().length;
      const again = await importIt(partner, copy);
      expect(documentOf(again)).toMatchObject({ rows, created: 0, repeated: created + repeated, invalid });
      expect(sandbox.requests()).toHaveLength(before);
      const results = `${basename(file.name).replace(/\.\w+$/, '')}.results.csv`;
      const unchanged = await importIt(partner, join(partner.work, results));
      expect(documentOf(unchanged)).toMatchObject({ rows, created: 0, repeated: created + repeated, invalid });
      const text = partner.read(results);
      const corrected = text.replace(...file.correction);
      expect(corrected).not.toBe(text);
      const ended = await importIt(partner, partner.write('corrected.csv', corrected));
      expect(documentOf(ended)).toMatchObject({ rows, created: 1, invalid: invalid - 1 });
      expect(await statsOf(sandbox)).toMatchObject({ created: created + 1, doubled: 0 });
    },
  );
});

test('accents, quotes and line breaks arrive as they were written', async ({ partner, sandbox }) => {
  await importIt(partner, copyOf(partner, 'thousand.csv'));
  expect(creates(sandbox)[0]?.params).toMatchObject({
    country: 'PT',
    fullname: 'Zoé Nuñez 0',
    location: 'Straße 0',
    phone: '+351912345678',
    request_text: 'Olá,\npreciso de ajuda (0).\nObrigado, "até já"',
  });
  expect(creates(sandbox).find(({ params }) => params['fullname'] === 'Zoé Nuñez 6')?.params).toMatchObject({
    country: 'UK',
    phone: '+447400123456',
    request_text: 'Ação n.º 6: façade & Größe, 50 €',
  });
});

test('a test lead of an ad platform is not sent when the results file is imported either', async ({
  partner,
  sandbox,
}) => {
  const lead = (id: string, isTest: boolean) => ({
    lead_id: id,
    is_test: isTest,
    user_column_data: Object.entries({ COUNTRY: 'DE', PHONE_NUMBER: '+4915123456789', message: `Haus ${id}` }).map(
      ([column_id, string_value]) => ({ column_id, string_value }),
    ),
  });
  const lines = [lead('real', false), lead('proof', true)].map((each) => JSON.stringify(each));
  const first = await importIt(partner, partner.write('ads.ndjson', lines.join('\n')));
  expect(documentOf(first)).toMatchObject({ created: 1, invalid: 1 });
  const second = await importIt(partner, join(partner.work, 'ads.results.csv'));
  expect(documentOf(second)).toMatchObject({ created: 0, repeated: 1, invalid: 1 });
  expect(creates(sandbox).map(({ params }) => params['request_text'])).toEqual(['Haus real']);
});
