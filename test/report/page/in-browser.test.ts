import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect } from 'vitest';
import { reportPage } from '../../../src/report/page/report-page.ts';
import { RunFigures } from '../../../src/report/page/run-figures.ts';
import { DESKTOP, overflowOf, PHONE, seriousViolations, test, withoutBrowser } from '../../helpers/browser.ts';
import { beginOf, mixedFigures, recordOf, rowOf, second } from './figures.ts';

const folder = mkdtempSync(join(tmpdir(), 'srq-page-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes the page to a file and gives its address. */
function fileOf(name: string, figures: RunFigures): string {
  const path = join(folder, `${name}.html`);
  writeFileSync(path, reportPage(figures, { writtenAt: second(60), hasInput: true }));
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
  test('is searched, filtered, sorted, paged and opened', async ({ openPage }) => {
    const { page } = await openPage(MIXED);
    const found = page.locator('#found');
    const firstRow = page.locator('#table tbody tr').first();
    await page.locator('#list').waitFor();
    expect(await found.textContent()).toBe('400 of 400 listed rows');
    expect(await page.locator('#table tbody tr').count()).toBe(50);
    await page.getByRole('button', { name: 'Next' }).click();
    expect(await page.locator('#page').textContent()).toBe('Page 2 of 8');
    expect(await firstRow.textContent()).toContain('L-51');
    await page.getByLabel('Status').selectOption('rejected');
    expect(await found.textContent()).toBe('20 of 400 listed rows');
    await page.getByRole('button', { name: 'Row', exact: true }).click();
    expect(await firstRow.textContent()).toContain('L-383');
    expect(await page.locator('th[aria-sort]').getAttribute('aria-sort')).toBe('descending');
    await page.getByLabel('Search').fill('l-23 refused');
    expect(await found.textContent()).toBe('1 of 400 listed rows');
    await page.getByRole('button', { name: 'Clear' }).click();
    expect(await found.textContent()).toBe('400 of 400 listed rows');
    await page.getByLabel('Search').fill('no such row');
    expect(await found.textContent()).toBe('No row matches.');
    await page.getByLabel('Search').fill('L-1');
    const opener = page.getByRole('button', { name: 'Row 1, details' });
    await page.getByRole('button', { name: 'Row', exact: true }).click();
    await opener.focus();
    await page.keyboard.press('Enter');
    expect(await opener.getAttribute('aria-expanded')).toBe('true');
    expect(await page.locator('tr.details').textContent()).toContain('90000000000000000001');
  });

  test('shows the rows of a reason', async ({ openPage }) => {
    const { page } = await openPage(MIXED);
    const reason = page.locator('.reasons li', { hasText: 'HTTP 422' });
    await reason.getByRole('button', { name: 'Show in the list' }).click();
    await page.getByText('20 of 400 listed rows with one reason').waitFor();
    expect(await page.locator('#table tbody tr').first().textContent()).toContain('L-3');
  });

  test('asks for nothing but itself', async ({ openPage }) => {
    const { page, requests } = await openPage(MIXED);
    await page.getByRole('button', { name: 'Next' }).click();
    expect(requests).toEqual([MIXED]);
  });

  test('shows hostile texts as texts', async ({ openPage }) => {
    const figures = new RunFigures(HOSTILE);
    figures.note(beginOf(4, { file: HOSTILE[0], service: HOSTILE[1], settings: { [HOSTILE[3] ?? '']: HOSTILE[2] } }));
    for (const [at, text] of HOSTILE.entries()) {
      const said = { ref: text, market: text, message: text, ids: { [text]: text }, cells: HOSTILE };
      figures.add(rowOf(at + 1, { ...said, status: at % 2 === 0 ? 'unknown' : 'rejected' }));
      figures.record(recordOf(second(at)));
    }
    figures.note({ event: 'end', stopped: HOSTILE[1] ?? '', run: 'r', at: second(9) });
    const { page, requests } = await openPage(fileOf('hostile', figures));
    await page.getByRole('button', { name: 'Row 1, details' }).click();
    await page.getByRole('button', { name: 'Row 3, details' }).click();
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
  ] as const)('is readable and no wider than the window, %s on a %s', async ([colorScheme, device], { openPage }) => {
    const { page } = await openPage(MIXED, { ...(device === 'phone' ? PHONE : DESKTOP), colorScheme });
    await page.locator('#table button').nth(6).click();
    await page.locator('summary').click();
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      colorScheme === 'dark' ? 'rgb(22, 24, 27)' : 'rgb(247, 247, 245)',
    );
  });

  test('prints dark on white, without what only works on a screen', async ({ openPage }) => {
    const { page } = await openPage(MIXED, { ...DESKTOP, colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
    expect(await page.evaluate('getComputedStyle(document.body).color')).toBe('rgb(0, 0, 0)');
    expect(await page.getByLabel('Search').isVisible()).toBe(false);
    expect(await page.locator('nav').isVisible()).toBe(false);
    expect(await page.getByRole('heading', { name: 'Outcome' }).isVisible()).toBe(true);
    expect((await page.pdf()).subarray(0, 4).toString()).toBe('%PDF');
  });

  test('of more rows than it lists can be used', async ({ openPage }) => {
    const { page } = await openPage(fileOf('large', mixedFigures(25_000)));
    expect(await page.locator('#found').textContent()).toBe('20,000 of 20,000 listed rows');
    await page.getByLabel('Status').selectOption('unknown');
    expect(await page.locator('#found').textContent()).toBe('500 of 20,000 listed rows');
  });

  test('of a log without anything is whole too', async ({ openPage }) => {
    const { page } = await openPage(fileOf('empty', new RunFigures(null)), PHONE);
    expect(await page.locator('#list').isVisible()).toBe(false);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await seriousViolations(page)).toEqual([]);
  });
});
