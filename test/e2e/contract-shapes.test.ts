import { describe, expect } from 'vitest';
import { answersFor, contractFile, contractOf, EXPECTED, type Expected } from '../helpers/contracts.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const TEXT_ROWS = 18;
const SOUND = Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt not really a sound', 'latin1');
const COLUMNS = ['country', 'lang', 'location', 'fullname', 'email', 'phone', 'request_text', 'category'] as const;
const PHONES: Readonly<Record<string, string>> = { PT: '+351912345678', ES: '+34612345678', DE: '+4915123456789' };

/** A lead per row; where the interface takes recordings, the last two have one in place of text. */
function leadsFor({ audio, categories: [even, odd] = ['Plumbing', 'photography'] }: Expected): string {
  const text = Array.from({ length: TEXT_ROWS }, (_, at) => {
    const country = ['PT', 'ES', 'DE'][at % 3] ?? '';
    const lang = country.toLowerCase();
    const contact = [`ana${at}@example.com`, PHONES[country]].join(',');
    const category = at % 2 === 0 ? even : odd;
    return `L-${at},${country},${lang},Centro,Ana Exemplo ${at},${contact},Pintar a sala ${at},${category},`;
  });
  const british = `L-UK,UK,en,London,Ana Exemplo,ana@example.com,+447400123456,Paint the room,${even},`;
  const recorded = [1, 2].map(
    (at) => `L-A${at},PT,pt,Lisboa ${at},Rui Exemplo ${at},rui${at}@example.com,+351912345678,,${even},need.wav`,
  );
  const rows = [...text, british, ...(audio === null ? [] : recorded)];
  return [`ref,${COLUMNS.join(',')},audio_file`, ...rows, ''].join('\n');
}

function bulk(desk: Desk, leads: string) {
  return desk.call('bulk', leads, '--rate', 'max', '--yes', '--json');
}

describe.concurrent('learned, rehearsed and imported:', () => {
  test.for(Object.entries(EXPECTED))(
    '%s is learned, rehearsed, imported',
    async ([name, expected], { desk, openSandbox }) => {
      // The sandbox reads the same document, without what the partner says about it.
      const sandbox = await openSandbox({ contract: await contractOf(name) });
      desk.use(sandbox);
      const learned = await desk.call('contract', 'learn', contractFile(name), ...answersFor(name), '--yes', '--json');
      expect(learned, learned.stdout + learned.stderr).toMatchObject({ code: 0 });

      desk.write('need.wav', SOUND);
      const leads = desk.write('leads.csv', leadsFor(expected));
      const ended = await bulk(desk, leads);
      const rows = leadsFor(expected).trim().split('\n').length - 1;
      expect(documentOf(ended), ended.stdout + ended.stderr).toMatchObject({ rows, created: rows });

      // What arrived, by the names of the document.
      const arrived = creates(sandbox);
      const audioNames = ['audio_file', 'audio_type', 'audio_name'].map((field) => expected.wire[field]);
      const usual = Object.values(expected.wire)
        .filter((wire) => !audioNames.includes(wire))
        .map((place) => place.replace(/\.0$/, ''));
      // The only element of a list has a place of its own.
      const names = Object.keys(arrived[0]?.params ?? {}).map((place) => place.replace(/\.0$/, ''));
      expect(names).toEqual(expect.arrayContaining(usual));
      for (const { params } of arrived) expect(params).toMatchObject(expected.constants);
      const first = arrived.find(({ params }) => params[expected.wire['request_text'] ?? ''] === 'Pintar a sala 0');
      expect(first?.params).toMatchObject({
        [expected.wire['fullname'] ?? '']: 'Ana Exemplo 0',
        [expected.wire['phone'] ?? '']: '+351912345678',
        ...expected.alternatives['request_text'],
      });

      // The log has the identifiers that the service gave, by the document's names, each once.
      const logged = desk.records().filter(({ event }) => event === 'created');
      const ids = logged.map((record) => record['ids'] as Record<string, string>);
      expect(ids.map((each) => Object.keys(each))).toEqual(ids.map(() => expected.identifiers));
      const given = arrived.map(({ requestId }) => requestId);
      expect(ids.map((each) => each[expected.identifiers[0] ?? '']).sort()).toEqual(given.sort());
      expect(new Set(given).size).toBe(rows);

      const again = await bulk(desk, leads);
      expect(documentOf(again)).toMatchObject({ rows, created: 0, repeated: rows });
      expect(creates(sandbox)).toHaveLength(rows);
    },
  );
});

test('learning an API description makes no request new: what was sent before is not sent again', async ({
  desk,
  openSandbox,
}) => {
  const sandbox = await openSandbox();
  desk.use(sandbox);
  const leads = desk.write('leads.csv', leadsFor({ ...(EXPECTED['form-openapi30.yaml'] as Expected), audio: null }));
  expect(documentOf(await bulk(desk, leads))).toMatchObject({ created: TEXT_ROWS + 1 });
  for (const name of ['nested-json-openapi31.yaml', 'json-api-openapi30.json']) {
    expect(await desk.call('contract', 'learn', contractFile(name), ...answersFor(name), '--yes')).toMatchObject({
      code: 0,
    });
    expect(documentOf(await bulk(desk, leads))).toMatchObject({ created: 0, repeated: TEXT_ROWS + 1 });
  }
  expect(creates(sandbox)).toHaveLength(TEXT_ROWS + 1);
});
