import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/server.ts';
import { axeFindings, DESKTOP, overflowOf, PHONE, test, withoutBrowser } from '../../helpers/browser.ts';
import { LEAD, partnerOf, sandboxWith, send, startCalmSandbox } from '../sandbox-client.ts';

const HOSTILE = {
  fullname: '<img src=x onerror="alert(1)">',
  request_text: '</script><script>alert(2)</script>',
  location: '\u202Egnp.exe',
  '<b onclick=alert(3)>': "'-alert(4)-'",
};

/** `expect` of what becomes so within reach of a busy machine. */
const soon = <Value>(look: () => Value) => expect.poll(look, { timeout: 90_000 });

const rows = (page: Page) => page.locator('#list tbody tr');
const opened = (page: Page) => page.getByRole('region', { name: /^Request \d+$/ });

/** Creates of so many rows; they are the requests from 2 on. */
async function createRows(sandbox: Sandbox, count: number, changes: Record<string, string> = {}) {
  const { create } = await partnerOf(sandbox);
  for (let row = 1; row <= count; row++) await create({ ...LEAD, fullname: `Row ${row}`, ...changes });
}

/** As many requests as earlier runs of a sandbox may have left. */
async function sandboxRecalling(count: number): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'srq-inbox-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const storeFile = join(folder, 'received.ndjson');
  const lines = Array.from({ length: count }, (_, at) => {
    const key = at.toString(16).padStart(32, '0');
    const params = { ...LEAD, fullname: `Row ${at + 1}`, country: at % 2 === 0 ? 'PT' : 'DE' };
    return JSON.stringify({
      operation: 'create',
      receivedAt: '2026-11-21T09:30:00.000Z',
      encoding: 'form',
      params,
      audio: null,
      key,
      status: 201,
      fault: null,
      requestId: String(at + 1),
    });
  });
  writeFileSync(storeFile, `${lines.join('\n')}\n`);
  return sandboxWith({ storeFile });
}

describe.skipIf(withoutBrowser)('the inbox in a browser', () => {
  test('shows requests as they arrive, each of them in full, and goes back', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    const { page, requests } = await openPage(sandbox.baseUrl);
    await page.getByText('Nothing has arrived yet.').waitFor();
    const { create, validate, token } = await partnerOf(sandbox);
    await create(LEAD);
    await validate(LEAD);
    await page.getByText('3 requests, 1 created').waitFor();
    await soon(() => rows(page).count()).toBe(3);
    expect(await rows(page).allTextContents()).toEqual([
      expect.stringMatching(/^3\d\d:[\d:.]+validate200 duplicatePTInês Exemplo · /),
      expect.stringMatching(/^2\d\d:[\d:.]+create201 createdPTInês Exemplo · /),
      expect.stringMatching(/^1\d\d:[\d:.]+token200/),
    ]);
    await page.getByRole('link', { name: 'Request 2, create' }).press('Enter');
    const view = opened(page);
    await view.getByRole('heading', { name: 'Request 2' }).waitFor();
    await soon(() => page.evaluate('document.activeElement.id')).toBe('request-title');
    for (const text of ['A torneira da cozinha pinga.', 'POST /v1/request/create', 'HTTP 201']) {
      expect(await view.textContent()).toContain(text);
    }
    expect(await view.getByLabel('Body as received', { exact: true }).textContent()).toBe(
      new URLSearchParams(LEAD).toString(),
    );
    expect(await view.getByLabel('Body of the answer', { exact: true }).textContent()).toContain(
      sandbox.requests()[1]?.requestId ?? '',
    );
    expect(await page.content()).not.toContain(token);
    await view.getByRole('link', { name: '3', exact: true }).click();
    await view.getByRole('heading', { name: 'Request 3' }).waitFor();
    await page.goBack();
    await view.getByRole('heading', { name: 'Request 2' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('#request').isVisible()).toBe(false);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('2');
    await page.keyboard.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('1');
    expect(requests.filter((address) => !address.startsWith(`${sandbox.baseUrl}/`))).toEqual([]);
  });

  test('is searched, filtered and paged; an older page stays while requests arrive', async ({ openPage }) => {
    const sandbox = await sandboxRecalling(250);
    const { page } = await openPage(sandbox.baseUrl);
    const found = page.locator('#found');
    await page.getByText('1 to 100 of 250').waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText('101 to 200 of 250').waitFor();
    expect(await rows(page).first().locator('a').textContent()).toBe('150');
    await createRows(sandbox, 1);
    await page.getByText('2 newer').waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText('201 to 250 of 250').waitFor();
    expect(await page.getByRole('button', { name: 'Older' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Newest' }).click();
    await page.getByText('1 to 100 of 252').waitFor();
    await page.getByLabel('Country').selectOption('DE');
    await page.getByText('1 to 100 of 125').waitFor();
    await page.getByLabel('Search').fill('row 24');
    await soon(() => found.textContent()).toMatch(/^1 to \d of \d$/);
    await page.getByLabel('Search').fill('row 24 nobody');
    await page.getByText('No request fits.').waitFor();
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByText('1 to 100 of 252').waitFor();
    await page.getByLabel('Operation').selectOption('token');
    await page.getByText('1 to 1 of 1').waitFor();
    expect(await page.locator('#said').textContent()).toBe('1 request');
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByText('1 to 100 of 252').waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText('101 to 200 of 252').waitFor();
    await send('DELETE', `${sandbox.baseUrl}/_sandbox/requests`);
    await page.getByText('Nothing has arrived yet.').waitFor();
  });

  test('goes by keys: j and k, Enter, Escape, / and ?; they can be switched off', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    await createRows(sandbox, 3);
    const { page } = await openPage(sandbox.baseUrl);
    await soon(() => rows(page).count()).toBe(4);
    const focus = () => page.evaluate('document.activeElement.textContent || document.activeElement.id');
    const press = (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    await press('j');
    expect(await focus()).toBe('4');
    await press('j', 'j', 'k');
    expect(await focus()).toBe('3');
    await press('Enter');
    await opened(page).getByRole('heading', { name: 'Request 3' }).waitFor();
    await press('j');
    await opened(page).getByRole('heading', { name: 'Request 2' }).waitFor();
    expect(page.url()).toBe(`${sandbox.baseUrl}/#2`);
    await press('Escape');
    expect(await page.locator('#request').isVisible()).toBe(false);
    expect(await focus()).toBe('2');
    await press('/');
    await page.keyboard.type('jk?');
    expect(await page.getByLabel('Search').inputValue()).toBe('jk?');
    await press('Escape', 'Escape');
    expect(await page.getByLabel('Search').inputValue()).toBe('');
    expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
    await press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await keys.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await keys.getByRole('checkbox').uncheck();
    await press('Escape');
    await keys.waitFor({ state: 'hidden' });
    await press('/');
    expect(await page.evaluate('document.activeElement.id')).not.toBe('text');
    await press('?');
    expect(await keys.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Keys' }).click();
    expect(await keys.isVisible()).toBe(true);
  });

  test('switches a fault on and off; what a program changes shows as well', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    const { create } = await partnerOf(sandbox);
    const { page } = await openPage(sandbox.baseUrl);
    await page.getByText('Faults and settings').click();
    const inForce = page.locator('#in-force');
    await page.getByLabel('Probability of 429 in percent').fill('100');
    await page.getByRole('switch', { name: /^429 / }).check();
    await soon(() => inForce.textContent()).toMatch(/^429 100 % · /);
    expect((await create(LEAD)).status).toBe(429);
    await soon(() => rows(page).first().textContent()).toContain('429 fault 429');
    await page.getByRole('button', { name: 'All off' }).click();
    await soon(() => inForce.textContent()).toMatch(/^no faults · /);
    expect((await create(LEAD)).status).toBe(201);
    sandbox.setFaults({ slow: 0.07 });
    await soon(() => page.getByRole('switch', { name: /^slow / }).isChecked()).toBe(true);
    expect(await page.getByLabel('Probability of slow in percent').inputValue()).toBe('7');
  });

  test('clears everything, once that was said twice', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    await createRows(sandbox, 3);
    const { page } = await openPage(sandbox.baseUrl);
    await rows(page).first().click();
    await opened(page).getByRole('heading', { name: 'Request 4' }).waitFor();
    const asked = page.getByRole('alertdialog');
    await page.getByRole('button', { name: 'Forget all…' }).click();
    await asked.getByRole('heading', { name: 'Forget all? 4 requests, 3 created' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    // Enter and Escape keep everything.
    await page.keyboard.press('Enter');
    await asked.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Forget all…' }).click();
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'hidden' });
    expect(sandbox.requests()).toHaveLength(4);
    await page.getByRole('button', { name: 'Forget all…' }).click();
    await asked.getByRole('button', { name: 'Forget all' }).click();
    await page.getByText('Nothing has arrived yet.').waitFor();
    expect(sandbox.requests()).toEqual([]);
    expect(await page.locator('#request').isVisible()).toBe(false);
    await createRows(sandbox, 1);
    await soon(() => rows(page).count()).toBe(2);
  });

  test('shows hostile texts as texts', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    const { create } = await partnerOf(sandbox);
    await create({ ...LEAD, ...HOSTILE });
    const { page } = await openPage(`${sandbox.baseUrl}/#2`);
    await opened(page).getByRole('heading', { name: 'Parameters' }).waitFor();
    await soon(() => rows(page).count()).toBe(2);
    expect(await page.locator('body :is(img, b, script)').count()).toBe(0);
    const text = await page.locator('main').textContent();
    for (const each of [HOSTILE.fullname, HOSTILE.request_text, '<b onclick=alert(3)>', '\\u{202e}gnp.exe']) {
      expect(text).toContain(each);
    }
    expect(text).not.toContain('\u202E');
  });

  test.for([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ] as const)(
    'is readable and no wider than the window on a %s, light and dark',
    async ([device, size], { openPage }) => {
      const sandbox = await sandboxWith({ faults: { '429': 0.5, 'reset-after': 0.2 } });
      const { create } = await partnerOf(sandbox);
      for (let row = 1; row <= 12; row++) {
        const lead = { ...LEAD, phone: row % 5 === 0 ? '12' : '+351912345678', fullname: 'x'.repeat(row ** 2) };
        await create(lead).catch(() => undefined);
      }
      const { page } = await openPage(sandbox.baseUrl, size);
      const looksWell = async () => {
        for (const [colorScheme, background] of [
          ['light', 'rgb(247, 247, 245)'],
          ['dark', 'rgb(22, 24, 27)'],
        ] as const) {
          await page.emulateMedia({ colorScheme });
          expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(background);
          expect([colorScheme, await overflowOf(page), await axeFindings(page)]).toEqual([colorScheme, 0, []]);
        }
      };
      await soon(() => rows(page).count()).toBe(13);
      await page.getByText('Faults and settings').click();
      await looksWell();
      await rows(page).first().click();
      await opened(page).getByRole('heading', { name: 'As a command' }).waitFor();
      const headers = opened(page).getByText(/^\d+ headers?$/);
      await headers.first().click();
      await looksWell();
      expect(await rows(page).first().isVisible()).toBe(device === 'desktop');
    },
  );

  // Not by `openPage`: the browser notes what was refused as an error.
  test('says why a change is refused, and that the sandbox is gone', async ({ browser }) => {
    const sandbox = await startCalmSandbox();
    const page = await browser.newPage();
    await page.goto(sandbox.baseUrl);
    await page.getByText('Faults and settings').click();
    await page.getByLabel('Probability of slow in percent').fill('700');
    await page.getByRole('switch', { name: /^slow / }).check();
    await page.getByText('The probability of fault slow is not a number from 0 to 1.').waitFor();
    await page.getByLabel('Latency').fill('-1');
    await page.getByLabel('Latency').press('Enter');
    await page.getByText('Cannot understand the settings').waitFor();
    await sandbox.close();
    await page.getByText('The sandbox cannot be reached. Start it again: srq sandbox').waitFor();
    await page.close();
  });
});
