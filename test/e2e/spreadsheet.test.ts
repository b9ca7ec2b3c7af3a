import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { describe, expect } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { unescapeFormulas } from '../doors/read.ts';
import { type Desk, test } from '../helpers/desk.ts';
import { documentOf } from '../helpers/run-srq.ts';
import { statsOf } from '../helpers/sandbox-view.ts';
import { creates } from '../sandbox/sandbox-client.ts';

/** LibreOffice, in which the results of a run are opened and saved; null where it is not installed. */
const office = installedOffice();

function installedOffice(): string | null {
  try {
    return execFileSync('sh', ['-c', 'command -v soffice'], { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}

/** How a spreadsheet of each market writes dates and separates cells. */
const LOCALES = [
  { locale: 'de-DE', delimiter: ';', date: (day: string, month: string) => `${day}.${month}.2026` },
  { locale: 'en-US', delimiter: ',', date: (day: string, month: string) => `${month}/${day}/2026` },
] as const;
type Locale = (typeof LOCALES)[number];

const COLUMNS = [
  ...['ref', 'country', 'lang', 'postal_code', 'city', 'fullname', 'email', 'phone', 'request_text', 'Day', 'Number'],
] as const;
type Lead = Record<(typeof COLUMNS)[number], string>;
const ROWS = 80;
/** The first run sends so many; the others stand in its results without an outcome. */
const FIRST_ROWS = 60;
const MAP = ['--map', 'Day=desired_date', '--map', 'Number=customer_number', '--rate', 'max', '--json'];

const isRejected = (at: number) => at % 20 === 3;
const isInvalid = (at: number) => at % 20 === 7;

function leadAt(at: number, { date }: Locale): Lead {
  const inGermany = at % 2 === 0;
  const two = (number: number) => String(number).padStart(2, '0');
  return {
    ref: `R-${at}`,
    country: inGermany ? 'DE' : 'PT',
    lang: '',
    postal_code: inGermany ? `0${1067 + at}` : '1200-109',
    city: inGermany ? 'Dresden' : 'Lisboa',
    fullname: `Zoé Beispiel ${at}`,
    email: `zoe${at}@example.com`,
    phone: inGermany ? '015123456789' : '+351912345678',
    request_text: at % 5 === 0 ? '=1+1' : `Küche streichen; ${at} m², "weiß"`,
    Day: at % 3 === 0 ? date(two(1 + (at % 28)), two(1 + (at % 12))) : '',
    Number: at % 4 === 0 ? `123456789012345${String(67890 + at)}` : '',
  };
}

const csv = (rows: readonly (readonly string[])[], delimiter = ',') =>
  rows.map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter)).join('\r\n');

/** The records of a CSV file by the names of their columns. */
function readCsv(path: string, delimiter: string): Record<string, string>[] {
  return parse(readFileSync(path), { bom: true, delimiter, columns: true });
}

function writeCsv(
  desk: Desk,
  name: string,
  rows: readonly Readonly<Record<string, string>>[],
  delimiter = ',',
): string {
  const names = Object.keys(rows[0] ?? {});
  return desk.write(name, csv([names, ...rows.map((row) => names.map((column) => row[column] ?? ''))], delimiter));
}

/** A spreadsheet program of one locale. It opens CSV by double-click: numbers and dates are taken for such. */
class Spreadsheet {
  readonly #folder = mkdtempSync(join(tmpdir(), 'srq-office-'));
  readonly #delimiter: string;

  constructor({ locale, delimiter }: Locale) {
    this.#delimiter = delimiter;
    mkdirSync(join(this.#folder, 'profile', 'user'), { recursive: true });
    const setting = `<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>${locale}</value></prop></item>`;
    writeFileSync(
      join(this.#folder, 'profile', 'user', 'registrymodifications.xcu'),
      `<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${setting}</oor:items>`,
    );
  }

  /** Opens a CSV file, saves it as a workbook, and that as CSV again. Returns both paths. */
  async save(path: string, delimiter: string): Promise<{ workbook: string; csv: string }> {
    const from = `CSV:${delimiter.charCodeAt(0)},34,76,1,,0,false,true`;
    await this.#convert(path, 'xlsx', [`--infilter=${from}`]);
    const workbook = join(this.#folder, 'out.xlsx');
    renameSync(join(this.#folder, `${stemOf(path)}.xlsx`), workbook);
    return { workbook, csv: await this.saveAsCsv(workbook) };
  }

  /** Opens a workbook and saves it as CSV. Returns its path. */
  async saveAsCsv(workbook: string): Promise<string> {
    const to = `csv:Text - txt - csv (StarCalc):${this.#delimiter.charCodeAt(0)},34,76,1,,0,false,true`;
    await this.#convert(workbook, to, []);
    return join(this.#folder, `${stemOf(workbook)}.csv`);
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #convert(path: string, to: string, more: readonly string[]) {
    const profile = `-env:UserInstallation=file://${join(this.#folder, 'profile')}`;
    const words = [profile, '--headless', '--convert-to', to, ...more, '--outdir', this.#folder, path];
    return promisify(execFile)(office ?? '', words, { timeout: 120_000 });
  }
}

const stemOf = (path: string) => /([^/]*)\.[^.]*$/.exec(path)?.[1] ?? '';

/** What the marketplace has taken, by the e-mail address, which tells all leads apart. */
function taken(sandbox: Sandbox): Map<string, Record<string, string>[]> {
  const found = new Map<string, Record<string, string>[]>();
  for (const { params, status } of creates(sandbox)) {
    if (status !== 201) continue;
    const email = params['email'] ?? '';
    found.set(email, [...(found.get(email) ?? []), params]);
  }
  return found;
}

describe
  .skipIf(office === null)
  .concurrent(`results opened and saved in LibreOffice (${office ?? 'not installed'})`, () => {
    for (const each of LOCALES) {
      test(`results saved by LibreOffice in ${each.locale}: nothing is sent twice, and nothing is lost`, async ({
        partner,
        sandbox,
        onTestFinished,
      }) => {
        const leads = Array.from({ length: ROWS }, (_, at) => leadAt(at, each));
        const broken = leads.map((lead, at) => ({
          ...lead,
          lang: isRejected(at) ? '??' : '',
          country: isInvalid(at) ? 'Atlantis' : lead.country,
        }));
        const run = (file: string, ...more: string[]) => partner.call('bulk', file, ...MAP, ...more);
        await run(writeCsv(partner, 'leads.csv', broken), '--limit', String(FIRST_ROWS));
        const first = readCsv(join(partner.work, 'leads.results.csv'), ',');
        expect(first).toHaveLength(ROWS);
        const ready = leads.filter((_, at) => at < FIRST_ROWS && !isRejected(at) && !isInvalid(at)).length;
        expect(await statsOf(sandbox)).toMatchObject({ created: ready });

        const spreadsheet = new Spreadsheet(each);
        onTestFinished(() => spreadsheet.close());
        const saved = await spreadsheet.save(join(partner.work, 'leads.results.csv'), ',');
        const came = readCsv(saved.csv, each.delimiter);
        const corrected = came.map((row, at) => ({ ...row, lang: '', country: leads[at]?.country ?? '' }));
        partner.write('leads.results.xlsx', readFileSync(saved.workbook));

        // The workbook itself, without a correction: nothing that was taken is sent, nothing that was refused is.
        const dry = documentOf(
          await run(join(partner.work, 'leads.results.xlsx'), '--dry-run', '--limit', String(FIRST_ROWS)),
        );
        expect(dry).toMatchObject({ repeated: ready, rows: FIRST_ROWS });

        // Rows to be sent are checked as in any file: digits that the spreadsheet has lost are refused.
        const open = first.filter((row) => row['srq_status'] !== 'created').length;
        const second = documentOf(await run(writeCsv(partner, 'leads.results.csv', corrected, each.delimiter)));
        const refused = Number(second['invalid']);
        expect(second).toMatchObject({ rows: ROWS, repeated: ready, created: open - refused });
        expect(second['results']).toBe(join(partner.work, 'leads.results-2.csv'));

        // The identifiers are those of the first run, whatever the spreadsheet made of them.
        const after = readCsv(join(partner.work, 'leads.results-2.csv'), each.delimiter);
        for (const [at, row] of first.entries()) {
          if (row['srq_status'] === 'created')
            expect(after[at]).toMatchObject({ srq_status: 'created', srq_id: row['srq_id'] });
        }

        // A person writes what was refused once more.
        const mended = after.map((row, at) =>
          row['srq_status'] === 'invalid'
            ? { ...row, Day: leads[at]?.Day ?? '', Number: leads[at]?.Number ?? '' }
            : row,
        );
        const third = documentOf(await run(writeCsv(partner, 'leads.results-2.csv', mended, each.delimiter)));
        expect(third).toMatchObject({ rows: ROWS, repeated: ROWS - refused, created: refused, invalid: 0 });

        expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, doubled: 0 });
        const requests = taken(sandbox);
        for (const { email } of leads) expect(requests.get(email)).toHaveLength(1);
        const last = readCsv(join(partner.work, 'leads.results-3.csv'), each.delimiter);
        expect(last.map((row) => row['srq_status'])).toEqual(Array(ROWS).fill('created'));
        expect(new Set(last.map((row) => row['srq_id'])).size).toBe(ROWS);
        expect(unescapeFormulas(last[0]?.['request_text'] ?? '')).toBe('=1+1');
      });
    }

    test('results saved by LibreOffice as a workbook: all cells stay texts, the corrected ones too', async ({
      partner,
      sandbox,
      onTestFinished,
    }) => {
      const [german] = LOCALES;
      const leads = Array.from({ length: ROWS }, (_, at) => leadAt(at, german));
      const broken = leads.map((lead, at) => ({ ...lead, country: isInvalid(at) ? 'Atlantis' : lead.country }));
      const file = writeCsv(partner, 'leads.csv', broken);
      expect(documentOf(await partner.call('bulk', file, ...MAP, '--results', 'leads.xlsx'))).toMatchObject({
        invalid: ROWS / 20,
      });
      const spreadsheet = new Spreadsheet(german);
      onTestFinished(() => spreadsheet.close());
      const came = readCsv(await spreadsheet.saveAsCsv(join(partner.work, 'leads.xlsx')), german.delimiter);
      expect(came.map((row) => COLUMNS.map((column) => unescapeFormulas(row[column] ?? '')))).toEqual(
        broken.map((lead) => COLUMNS.map((column) => lead[column])),
      );
      const corrected = came.map((row, at) => ({ ...row, country: leads[at]?.country ?? '' }));
      const ended = await partner.call('bulk', writeCsv(partner, 'corrected.csv', corrected, german.delimiter), ...MAP);
      expect(documentOf(ended)).toMatchObject({ created: ROWS / 20, repeated: ROWS - ROWS / 20 });
      expect(await statsOf(sandbox)).toMatchObject({ created: ROWS, doubled: 0 });
    });
  });
