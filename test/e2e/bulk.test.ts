import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const bulk = (desk: Desk, ...args: string[]) => desk.run('bulk', '--rate', 'max', ...args);
const needs = (sandbox: Parameters<typeof creates>[0]) => creates(sandbox).map(({ params }) => params['request_text']);
/** X */
const _withLanguages = (leads: string, languageOf: (at: number) => string) =>
  leads.replace('ref,', 'lang,').replaceAll(/^L-(\d+)/gm, (_, at) => languageOf(Number(at)));

describe.concurrent('bulk', () => {
  test('sends every row, accounts for it on stdout and talks on stderr', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(5));
    const ended = await bulk(partner, leads);
    expect(ended.code).toBe(0);
    expect(ended.stdout).toMatch(/5\s+created/);
    expect(ended.stdout).toContain(join(partner.work, 'leads.results.csv'));
    expect(ended.stderr).toContain('Columns');
    expect(ended.stderr).toContain('5 ready');
    expect(needs(sandbox).sort()).toEqual([0, 1, 2, 3, 4].map((at) => `Pintar a sala ${at}`));
  });

  test('shows its plan before anything is sent', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(2));
    const { stderr } = await bulk(partner, leads);
    for (const shown of ['UTF-8', 'comma', 'fullname', 'Row 1 as it will be sent', '+351912345678', sandbox.baseUrl])
      expect(stderr).toContain(shown);
  });

  test('sends nothing twice, and says that all was there already', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(4));
    await bulk(partner, leads);
    const again = await bulk(partner, leads, '--json');
    expect(again.code).toBe(0);
    expect(documentOf(again)).toMatchObject({ rows: 4, created: 0, repeated: 4, next: null });
    expect(creates(sandbox)).toHaveLength(4);
    // Rows sorted or added do not change which requests they are.
    const [header = '', ...rows] = leadsCsv(6).trim().split('\n');
    const shuffled = partner.write('shuffled.csv', [header, ...rows.reverse(), ''].join('\n'));
    expect(documentOf(await bulk(partner, shuffled, '--json'))).toMatchObject({ created: 2, repeated: 4 });
    expect(await statsOf(sandbox)).toMatchObject({ created: 6, doubled: 0 });
  });

  test('sends nothing on a dry run and asks for no login', async ({ desk }) => {
    const leads = desk.write('leads.csv', `${leadsCsv(3)}X,FR,Ana,a@example.com,,Paris,Obras\n`);
    const ended = await desk.run('bulk', leads, '--dry-run', '--json');
    expect(ended.code).toBe(3);
    expect(documentOf(ended)).toMatchObject({ rows: 4, ready: 3, invalid: 1, results: null });
    expect(desk.files().filter((name) => /^(?:state|work.*results)/.test(name))).toEqual([]);
  });

  test('takes rows by --skip and --limit, and gives the rest to the next run', async ({ partner, sandbox }) => {
    const leads = partner.write('leads.csv', leadsCsv(6));
    expect(documentOf(await bulk(partner, leads, '--skip', '2', '--limit', '2', '--json'))).toMatchObject({ rows: 2 });
    expect(needs(sandbox)).toEqual(['Pintar a sala 2', 'Pintar a sala 3']);
    expect(documentOf(await bulk(partner, leads, '--json'))).toMatchObject({ created: 4, repeated: 2 });
  });

  test('maps columns by --map, --set and a stored mapping alike', async ({ partner, sandbox }) => {
    const text = 'Wer,Was,Ort,PLZ,Mobilnummer\nAna Exemplo,Obras,Berlin,10115,+4915123456789\n';
    const leads = partner.write('odd.csv', text);
    const mapping = join(partner.work, 'mapping.json');
    const flags = [
      '--map',
      'Wer=fullname',
      '--map',
      'Was=request_text',
      '--set',
      'country=DE',
      '--set',
      'location={Ort} {PLZ}',
    ];
    expect(await bulk(partner, leads, ...flags, '--save-mapping', mapping)).toMatchObject({ code: 0 });
    expect(creates(sandbox)[0]?.params).toMatchObject({
      fullname: 'Ana Exemplo',
      country: 'DE',
      location: 'Berlin 10115',
      request_text: 'Obras',
    });
    expect(documentOf(await bulk(partner, leads, '--mapping', mapping, '--json'))).toMatchObject({ repeated: 1 });
  });

  test('reads standard input', async ({ partner, sandbox }) => {
    const { ended } = partner.start(['bulk', '-', '--rate', 'max', '--json'], { stdin: leadsCsv(3) });
    expect(documentOf(await ended)).toMatchObject({ created: 3 });
    expect(creates(sandbox)).toHaveLength(3);
    expect(partner.files().filter((name) => name.startsWith('temp/'))).toEqual([]);
  });

  test('ends with exit code 3 and a results file that says what is wrong where', async ({ partner }) => {
    const leads = partner.write('leads.csv', `${leadsCsv(2)}X-1,FR,Ana,a@example.com,,Paris,Obras\n`);
    const ended = await bulk(partner, leads, '--json');
    expect(ended.code).toBe(3);
    expect(documentOf(ended)).toMatchObject({ rows: 3, created: 2, invalid: 1 });
    expect(documentOf(ended)['next']).toContain('leads.results.csv');
    const results = readFileSync(join(partner.work, 'leads.results.csv'), 'utf8');
    expect(results).toContain('srq_status,srq_id,srq_message,srq_row');
    expect(results).toMatch(/X-1.*,invalid,,.*FR.*,3\r\n/);
  });

  test('counts what the service knows as a duplicate as an end that was wanted', async ({ partner }) => {
    const leads = partner.write('leads.csv', leadsCsv(3));
    await bulk(partner, leads);
    const elsewhere = ['--log', join(partner.work, 'other.ndjson'), '--json'];
    const ended = await bulk(partner, leads, ...elsewhere);
    expect(ended.code).toBe(0);
    expect(documentOf(ended)).toMatchObject({ duplicate: 3, created: 0 });
  });
});
