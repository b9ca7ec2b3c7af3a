import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect } from 'vitest';
import { reportPage } from '../../../src/report/page/report-page.ts';
import { RunFigures } from '../../../src/report/page/run-figures.ts';
import { axeFindings, DESKTOP, overflowOf, PHONE, test, withoutBrowser } from '../../helpers/browser.ts';
import { beginOf, mixedFigures, recordOf, rowOf, second } from './figures.ts';

const folder = mkdtempSync(join(tmpdir(), 'srq-page-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the page to a file and gives its address. */
function fileOf(name: string, figures: RunFigures): string {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, reportPage(figures, { writtenAt: second(60), withProfile: (text) => text }));
  return pathToFileURL(path).href;
}

const MIXED = fileOf('mixed', mixedFigures(400));
const HOSTILE = [
  '<img src=x onerror="alert(1)">',
  '</script><script>alert(2)</script>',
  '\u202Egnp.exe',
  "'-alert(3)-'",
];

describe.skipIf(withoutBrowser)('the report in a browser', () => {
  test('the page of a run is searched, filtered and opened', async ({ openPage }) => {
    const { page } = await openPage(MIXED);
    const found = page.locator('#found');
    const lines = page.locator('#table tbody tr');
    await page.locator('#listing').waitFor();
    await expect.poll(() => found.textContent()).toBe('400 of 400 listed rows');
    expect(await lines.count()).toBe(50);
    expect(await lines.first().textContent()).toContain('L-7');
    await page.getByRole('button', { name: 'Show more' }).click();
    expect(await lines.count()).toBe(250);
    await page.getByRole('combobox', { name: 'Status' }).selectOption('rejected');
    await expect.poll(() => found.textContent()).toBe('36 of 400 listed rows');
    expect(await page.getByRole('button', { name: 'Show more' }).isVisible()).toBe(false);
    await page.getByLabel('Search').fill('l-23 refused');
    await expect.poll(() => found.textContent()).toBe('1 of 400 listed rows');
    await page.getByRole('link', { name: 'Show all' }).click();
    await expect.poll(() => found.textContent()).toBe('400 of 400 listed rows');
    await page.getByLabel('Search').fill('no such row');
    await expect.poll(() => found.textContent()).toBe('No row matches.');
    await page.getByLabel('Search').fill('90000000000000000001');
    await lines.first().locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await lines.first().locator('dl').textContent()).toContain('90000000000000000001');
  });

  test('the page of a run lists the rows of an outcome or a reason, and leads back', async ({ openPage }) => {
    const { page } = await openPage(MIXED);
    const found = page.locator('#found');
    await page.getByRole('region', { name: 'Outcome' }).getByRole('link', { name: 'rejected' }).click();
    await expect.poll(() => found.textContent()).toBe('36 of 400 listed rows');
    expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('rejected');
    // What differs from row to row makes no reason of its own.
    const reason = page.locator('.reasons li', {
      hasText: 'rejected: The service refused it (HTTP 422). Location # is',
    });
    await reason.getByRole('link', { name: '20 rows' }).click();
    await expect.poll(() => found.textContent()).toBe('20 of 400 listed rows');
    expect(await page.locator('#table tbody tr').first().textContent()).toContain('L-3');
    await page.goBack();
    await expect.poll(() => found.textContent()).toBe('36 of 400 listed rows');
    expect(await page.locator('.reasons li').allTextContents()).toEqual([
      expect.stringMatching(/422.*results file.*20 rows$/),
      expect.stringMatching(/403.*Ask the marketplace.*16 rows$/),
      expect.stringMatching(/^unknown: The line failed.*8 rows$/),
    ]);
    await page.goBack();
    await expect.poll(() => found.textContent()).toBe('400 of 400 listed rows');
    expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('');
  });

  test('the page of a run keeps its filter in its address', async ({ openPage }) => {
    const { page } = await openPage(MIXED);
    await page.getByRole('combobox', { name: 'Status' }).selectOption('created');
    await page.getByLabel('Search').fill('l- &"é');
    const address = `${MIXED}#text=l-+%26%22%C3%A9&status=created`;
    await expect.poll(() => page.url()).toBe(address);
    const { page: other } = await openPage(address);
    expect(await other.getByLabel('Search').inputValue()).toBe('l- &"é');
    expect(await other.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('created');
    await other.goto(`${MIXED}#rows`);
    await expect.poll(() => other.locator('#found').textContent()).toBe('No row matches.');
    await other.goto(`${MIXED}#status=__proto__&reason=x&length=1`);
    await expect.poll(() => other.locator('#found').textContent()).toBe('400 of 400 listed rows');
  });

  test("the page of a run shows times on the reader's clock, and UTC on hover", async ({ openPage }) => {
    const { page } = await openPage(MIXED, { ...DESKTOP, timezoneId: 'Asia/Kolkata' });
    const [begun] = await page.locator('time').all();
    expect([await begun?.textContent(), await begun?.getAttribute('title')]).toEqual([
      '2026-11-21 15:30:00',
      '2026-11-21 10:00:00 UTC',
    ]);
    expect(await page.locator('footer').textContent()).toContain('Asia/Calcutta');
  });

  test('the page of a run draws the course of the run, and says it in words', async ({ openPage }) => {
    const { page } = await openPage(MIXED);
    expect(await page.locator('.plot canvas').count()).toBe(2);
    expect(await page.locator('.plot').first().getAttribute('aria-label')).toBe(
      'Outcomes a second: created at most 20, asked for a lower rate at most 12.',
    );
    expect(await page.locator('#course + .lead').textContent()).toContain('asked 13 times for a lower rate');
  });

  test('the page of a run copies the next command, and those that settle a row', async ({ openPage }) => {
    const { page } = await openPage(MIXED, { ...DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy srq resolve', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('srq resolve');
    const row = page.locator('#table tbody tr', { hasText: 'L-7' }).first();
    await row.locator('summary').click();
    expect(await row.locator('code').allTextContents()).toEqual([
      'srq resolve 000000000000 --created',
      'srq resolve 000000000000 --not-created',
    ]);
  });

  test('the page of a run says how the run ended without JavaScript', async ({ openPage }) => {
    const { page } = await openPage(MIXED, { ...DESKTOP, javaScriptEnabled: false });
    expect(await page.getByRole('heading', { name: '8 of 400 rows unknown' }).isVisible()).toBe(true);
    expect(await page.locator('main a[href]:visible, main button:visible').count()).toBe(0);
  });

  test('the page of a run requests nothing but itself', async ({ openPage }) => {
    const { page, requests } = await openPage(MIXED);
    await page.getByRole('button', { name: 'Show more' }).click();
    expect(requests).toEqual([MIXED]);
  });

  test('the page of a run shows hostile texts as texts', async ({ openPage }) => {
    const figures = new RunFigures();
    figures.note(beginOf(4, { file: HOSTILE[0], service: HOSTILE[1] }));
    for (const [at, text] of HOSTILE.entries()) {
      const said = { ref: text, message: text, ids: { [text]: text } };
      figures.add(rowOf(at + 1, { ...said, event: at % 2 === 0 ? 'unknown' : 'rejected' }));
      figures.record(recordOf(second(at)));
    }
    figures.note({ event: 'end', stopped: HOSTILE[1] ?? '', run: 'r', at: second(9) });
    const { page, requests } = await openPage(fileOf('hostile', figures));
    for (const summary of await page.locator('summary').all()) await summary.click();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(2);
    const text = (await page.locator('header, main').allTextContents()).join(' ');
    expect(text).toContain('<img src=x onerror="alert(1)">');
    expect(text).toContain('\\u{202e}gnp.exe');
    expect(text).not.toContain('\u202E');
    expect(requests).toHaveLength(1);
  });

  test.for([
    ['light', 'desktop'],
    ['dark', 'desktop'],
    ['light', 'phone'],
    ['dark', 'phone'],
  ] as const)('the page is readable and fits the window, %s on a %s', async ([colorScheme, device], { openPage }) => {
    const { page } = await openPage(MIXED, { ...(device === 'phone' ? PHONE : DESKTOP), colorScheme });
    await page.locator('summary').first().click();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      colorScheme === 'dark' ? 'rgb(22, 24, 27)' : 'rgb(247, 247, 245)',
    );
  });

  test('the page of a run prints dark on white, without what only works on a screen', async ({ openPage }) => {
    const { page } = await openPage(MIXED, { ...DESKTOP, colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)');
    expect(await page.getByLabel('Search').isVisible()).toBe(false);
    expect(await page.locator('button:visible, select:visible').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Outcome' }).isVisible()).toBe(true);
    expect((await page.pdf()).subarray(0, 4).toString()).toBe('%PDF');
  });

  test('the page of a run with more rows than it lists can be used', async ({ openPage }) => {
    const { page } = await openPage(fileOf('large', mixedFigures(25_000)));
    expect(await page.locator('#found').textContent()).toBe('20,000 of 20,000 listed rows');
    await page.getByRole('combobox', { name: 'Status' }).selectOption('unknown');
    expect(await page.locator('#found').textContent()).toBe('500 of 20,000 listed rows');
  });

  test('the page of a run from an empty log is whole, too', async ({ openPage }) => {
    const { page } = await openPage(fileOf('empty', new RunFigures()), PHONE);
    expect(await page.locator('#listing').isVisible()).toBe(false);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await axeFindings(page)).toEqual([]);
  });
});
