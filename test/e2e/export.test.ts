import { describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { leadsCsv } from '../helpers/leads.ts';
import { documentsOf } from '../helpers/run-srq.ts';
import { creates } from '../sandbox/sandbox-client.ts';

const bulk = (desk: Desk, ...args: string[]) => desk.call('bulk', '--rate', 'max', ...args);

/** The lines of a CSV text without quoted cells, as lists of cells. */
const linesOf = (text: string, delimiter = ',') =>
  text
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(delimiter));

/** The identifiers of the sandbox by the text of the request. */
const idsOf = (sandbox: Sandbox) =>
  new Map(creates(sandbox).map(({ requestId, params }) => [params['request_text'], requestId]));

const HEADER = 'Nr;Name;Telefon;Stadt;Land;Anfrage;Betreuer intern;Bemerkung';
const lead = (nr: string, need: string, country = 'PT') =>
  `${nr};Ana Exemplo;+351912345678;Lisboa;${country};${need};=1+1;-x`;
/** Numbers with zeros in front, columns that nobody knows, content that repeats, a market that does not exist. */
const LEADS = [
  HEADER,
  lead('007', 'Pintar a sala'),
  lead('008', 'Pintar o quarto'),
  lead('009', 'Pintar a sala'),
  lead('010', 'Pintar tudo', 'FR'),
  '',
].join('\n');
const MAPPED = ['--map', 'Nr=ref'];

describe.concurrent('export', () => {
  test('an export of a results file has the outcome of now, and the older ones', async ({ partner, sandbox }) => {
    partner.write('leads.csv', LEADS);
    await bulk(partner, 'leads.csv', ...MAPPED);
    expect(partner.read('leads.results.csv')).toContain("'=1+1");
    const { code, stdout } = await partner.call('export', 'leads.results.csv', ...MAPPED);
    const [header, row] = linesOf(stdout, ';');
    const id = idsOf(sandbox).get('Pintar a sala');
    expect([code, header?.join(';')]).toEqual([0, `${HEADER};srq_status;srq_id;srq_at`]);
    expect(row?.slice(0, -1)).toEqual([...lead('007', 'Pintar a sala').split(';'), 'created', id]);
  });

  test('an export keeps every row below its columns, ragged ones too', async ({ partner }) => {
    const [header = '', row = ''] = leadsCsv(1).split('\n');
    partner.write('leads.csv', `${header},"a, b",Tag,Tag\n${row},"x\ny",1,2\nL-1,PT\n${row},x,1,2,3,4\n`);
    const without = ['--map', 'Tag=-'];
    await bulk(partner, 'leads.csv', ...without);
    const { stdout, stderr } = await partner.call('export', 'leads.csv', ...without);
    expect(stdout).toContain('\r\nL-1,PT,,,,,,,,,invalid,,\r\n');
    expect(stdout).toMatch(/,x,1,2,invalid,,\r\n$/);
    expect(stderr).toContain('1 row has more cells than the file has columns');
    const [document] = documentsOf(await partner.call('export', 'leads.csv', ...without, '--json'));
    expect(document).toMatchObject({ 'a, b': 'x\ny', Tag: '1', 'Tag (2)': '2', srq_status: 'created' });
  });
});
