import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/server.ts';
import { axeFindings, DESKTOP, overflowOf, PHONE, test, withoutBrowser } from '../../helpers/browser.ts';
import { FORM, JSON_TYPE, LEAD, partnerOf, sandboxWith, send, startCalmSandbox } from '../sandbox-client.ts';

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

/** Half a second of silence. */
function waveFile(): Buffer {
  const bytes = Buffer.alloc(44 + 8000, 0x80);
  bytes.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(16_000, 24);
  bytes.writeUInt32LE(16_000, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(8000, 40);
  return bytes;
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

  test('completes an open request when its answer has gone out', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    sandbox.setInstructions([{ match: {}, on: 'create', fault: 'slow', ms: 1_500 }]);
    const { page } = await openPage(sandbox.baseUrl);
    const slow = createRows(sandbox, 1);
    await page.getByRole('link', { name: 'Request 2, create' }).click();
    await opened(page).getByText('Answered after').waitFor();
    await slow;
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

  test('shows JSON pretty and forms decoded, and what came as it came', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    const { token } = await partnerOf(sandbox);
    const authorization = `Bearer ${token}`;
    const path = `${sandbox.baseUrl}/v1/request/create`;
    const lead = { ...LEAD, fullname: 'Inês & João', request_text: 'Uma linha\nduas' };
    await send('POST', path, { ...FORM, authorization }, new URLSearchParams(lead).toString());
    await send('POST', path, { ...JSON_TYPE, authorization }, JSON.stringify(lead));
    const { page } = await openPage(`${sandbox.baseUrl}/#2`);
    const view = opened(page);
    await view.getByRole('heading', { name: 'Request 2' }).waitFor();
    const body = await view.getByLabel('Body as received, readable').textContent();
    expect(body?.split('\n')).toEqual(
      expect.arrayContaining(['fullname = Inês & João', 'request_text = Uma linha', '  duas']),
    );
    const answer = await view.getByLabel('Body of the answer, readable').textContent();
    const [, second] = sandbox.requests();
    expect(answer?.split('\n')[1]).toBe(`  "request_id": ${second?.requestId},`);
    await page.goto(`${sandbox.baseUrl}/#3`);
    await view.getByRole('heading', { name: 'Request 3' }).waitFor();
    expect(await view.getByLabel('Body as received, readable').textContent()).toBe(JSON.stringify(lead, null, 2));
    expect(await view.getByLabel('Body as received', { exact: true }).textContent()).toBe(JSON.stringify(lead));
  });

  test("shows validate's verdict, and one colour for each end of a request", async ({ openPage }) => {
    const sandbox = await sandboxWith();
    const { create, validate } = await partnerOf(sandbox);
    await validate(LEAD);
    await create(LEAD);
    await validate(LEAD);
    sandbox.setInstructions([
      { match: {}, on: 'validate', fault: 'html' },
      { match: {}, on: 'validate', fault: '503' },
    ]);
    await validate(LEAD);
    await validate(LEAD);
    await validate({ ...LEAD, phone: '12' });
    const { page } = await openPage(sandbox.baseUrl);
    await soon(() => rows(page).count()).toBe(7);
    const told = await page.locator('tbody .answer').allTextContents();
    expect(told).toEqual([
      '422',
      '503 fault 503',
      '200 fault html',
      '200 duplicate',
      '201 created',
      '200 clear',
      '200',
    ]);
    const marks = await page.evaluate(
      `[...document.querySelectorAll('tbody .tag')].map((each) => getComputedStyle(each).getPropertyValue('--mark'))`,
    );
    expect(marks).toEqual(['#b3245c', '#a88900', '', '#3a7fc4', '#1f7a4d', '', '']);
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

  test('counts in the title of the tab what nobody has seen', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    await createRows(sandbox, 1);
    const { page } = await openPage(sandbox.baseUrl);
    await soon(() => rows(page).count()).toBe(2);
    expect(await page.title()).toBe('srq sandbox');
    const hide = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await hide(true);
    await createRows(sandbox, 2);
    await soon(() => page.title()).toBe('(3) srq sandbox');
    await hide(false);
    expect(await page.title()).toBe('srq sandbox');
    await page.getByRole('button', { name: 'Pause' }).click();
    await createRows(sandbox, 1);
    await soon(() => page.title()).toBe('(2) srq sandbox');
    await page.getByRole('button', { name: 'Resume' }).click();
    await soon(() => page.title()).toBe('srq sandbox');
    await hide(true);
    await createRows(sandbox, 1);
    await soon(() => page.title()).toBe('(2) srq sandbox');
    await send('DELETE', `${sandbox.baseUrl}/_sandbox/requests`);
    await soon(() => page.title()).toBe('srq sandbox');
  });

  test('has an icon that the policy lets through, and a button that looks as dangerous as it is', async ({
    openPage,
  }) => {
    const sandbox = await sandboxWith();
    await createRows(sandbox, 1);
    const { page, requests } = await openPage(sandbox.baseUrl);
    await soon(() => rows(page).count()).toBe(2);
    expect(
      await page.evaluate(`new Promise((resolve) => {
        const image = new Image();
        image.onload = () => resolve(image.naturalWidth > 0);
        image.onerror = () => resolve(false);
        image.src = document.querySelector('link[rel=icon]').href;
      })`),
    ).toBe(true);
    const styleOf = (selector: string, what: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${what}`);
    const alarm = 'rgb(198, 32, 24)';
    expect(await styleOf('#clear', 'color')).toBe(alarm);
    expect(await styleOf('#pause', 'color')).not.toBe(alarm);
    await page.locator('#clear').click();
    expect(await styleOf('#clearing [value=clear]', 'backgroundColor')).toBe(alarm);
    expect(await styleOf('#clearing [value=keep]', 'backgroundColor')).not.toBe(alarm);
    expect(requests.every((address) => address.startsWith(`${sandbox.baseUrl}/`) || address.startsWith('data:'))).toBe(
      true,
    );
  });

  test('can be paused: what arrives then is counted, and shown when it goes on', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    await createRows(sandbox, 1);
    const { page } = await openPage(sandbox.baseUrl);
    await soon(() => rows(page).count()).toBe(2);
    await page.getByRole('button', { name: 'Pause' }).click();
    await createRows(sandbox, 2);
    await page.getByText('3 newer').waitFor();
    await page.getByLabel('Operation').selectOption('create');
    await soon(() => rows(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Resume' }).click();
    await soon(() => rows(page).count()).toBe(3);
    expect(await page.locator('#waiting').isVisible()).toBe(false);
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

  test('changes the settings', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    const { page } = await openPage(sandbox.baseUrl);
    await page.getByText('Faults and settings').click();
    await page.getByLabel('Requests a second').fill('0.1');
    await page.getByLabel('Life of new tokens').fill('60');
    await page.getByLabel('Life of new tokens').press('Enter');
    await expect
      .poll(() => page.locator('#in-force').textContent())
      .toContain('0.1 requests a second · tokens live 60 s');
    const { create } = await partnerOf(sandbox);
    expect([(await create(LEAD)).status, (await create(LEAD)).status]).toEqual([201, 429]);
    await page.getByLabel('Requests a second').fill('');
    await page.getByLabel('Requests a second').press('Enter');
    await soon(() => page.locator('#in-force').textContent()).toContain('no limit of requests');
    expect((await create(LEAD)).status).toBe(201);
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

  test('plays a recording, and copies the command as it is', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    const { token } = await partnerOf(sandbox);
    const body = new URLSearchParams({ ...LEAD, audio: waveFile().toString('base64') }).toString();
    await send('POST', `${sandbox.baseUrl}/v1/request/create`, { ...FORM, authorization: `Bearer ${token}` }, body);
    await send('POST', `${sandbox.baseUrl}/v1/request/create`, JSON_TYPE, JSON.stringify({ ...LEAD, ...HOSTILE }));
    const { page } = await openPage(`${sandbox.baseUrl}/#2`, {
      ...DESKTOP,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByLabel('Recording of request 2').waitFor();
    await soon(() => page.evaluate('document.querySelector("audio").duration')).toBe(0.5);
    await page.getByRole('link', { name: 'Request 3, create' }).click();
    await opened(page).getByRole('heading', { name: 'Request 3' }).waitFor();
    await soon(() => opened(page).getByLabel('curl').textContent()).toContain('\\u{202e}gnp.exe');
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain('"\u202Egnp.exe"');
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

  test('of 50,000 requests is quick to open, search, page and follow', async ({ openPage }) => {
    const sandbox = await sandboxRecalling(50_000);
    const beganMs = performance.now();
    const { page } = await openPage(sandbox.baseUrl);
    await page.getByText('1 to 100 of 50,000').waitFor();
    await page.getByLabel('Search').fill('row 49999');
    await page.getByText('1 to 1 of 1').waitFor();
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Country').selectOption('DE');
    await page.getByText('1 to 100 of 25,000').waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText('101 to 200 of 25,000').waitFor();
    await rows(page).first().click();
    await opened(page).getByText('What went over the wire is no longer kept.').waitFor();
    await page.getByRole('button', { name: 'Newest' }).click();
    await createRows(sandbox, 100, { country: 'DE' });
    await page.getByText('1 to 100 of 25,100').waitFor();
    expect(await rows(page).count()).toBe(100);
    // On an idle machine it is a thirtieth of that.
    expect(performance.now() - beganMs).toBeLessThan(120_000);
  });
});
