import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { axeFindings, DESKTOP, overflowOf, PHONE, test, withoutBrowser } from '../../helpers/browser.ts';
import { LEAD, partnerOf, sandboxWith } from '../sandbox-client.ts';

/** `expect` of what becomes so within reach of a busy machine. */
const soon = <Value>(look: () => Value) => expect.poll(look, { timeout: 90_000 });

const rows = (page: Page) => page.locator('tbody tr');

describe.skipIf(withoutBrowser)('the inbox in a browser', () => {
  test('the inbox in a browser follows what arrives, filters it, and opens one', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    const { page, requests } = await openPage(sandbox.baseUrl);
    await page.getByText('Nothing has arrived yet.').waitFor();
    const { create, validate } = await partnerOf(sandbox);
    await create(LEAD);
    await validate(LEAD);
    await page.getByText('3 of 3 shown').waitFor();
    await soon(() => rows(page).count()).toBe(3);
    expect(await rows(page).first().textContent()).toMatch(/^3\d\d:[\d:.]+validate200 duplicatePT · pt · .*Inês/);

    await page.getByRole('searchbox').fill('create ines');
    await page.waitForURL(/text=create\+ines/);
    await soon(() => rows(page).count()).toBe(1);
    await rows(page).first().getByRole('link').click();
    await page.getByRole('heading', { name: 'Request 2' }).waitFor();
    await page.getByText('/v1/request/create').waitFor();
    await page.getByRole('link', { name: 'All requests' }).click();
    await page.waitForURL(/text=create\+ines$/);

    sandbox.setFaults({ '429': 1 });
    expect((await create(LEAD)).status).toBe(429);
    await soon(() => rows(page).first().textContent()).toMatch(/429\s+fault 429/);
    expect(requests.filter((address) => !address.startsWith(`${sandbox.baseUrl}/`))).toEqual([]);
  });

  test('the inbox in a browser goes through its list by keys, while nobody types', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    const { create } = await partnerOf(sandbox);
    await create(LEAD);
    const { page } = await openPage(sandbox.baseUrl);
    const focused = () => page.evaluate('document.activeElement.textContent');
    await soon(() => rows(page).count()).toBe(2);
    for (const key of ['j', 'j', 'k']) await page.keyboard.press(key);
    expect(await focused()).toBe('2');
    // The focus stays where it is when something arrives.
    await create(LEAD);
    await soon(() => rows(page).count()).toBe(3);
    expect(await focused()).toBe('2');
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('jk');
    expect(await page.getByRole('searchbox').inputValue()).toBe('jk');
  });

  test('the inbox in a browser shows hostile texts as texts, and copies a body', async ({ openPage }) => {
    const sandbox = await sandboxWith();
    const hostile = {
      fullname: '<img src=x onerror="alert(1)">',
      request_text: `</script><script>alert('2')</script>`,
      location: '\u202Egnp.exe',
      '<b onclick=alert(3)>': '&amp;',
    };
    await (await partnerOf(sandbox)).create({ ...LEAD, ...hostile });
    const { page } = await openPage(sandbox.baseUrl, {
      ...DESKTOP,
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByText('<img src=x').waitFor();
    await page.goto(`${sandbox.baseUrl}/#request=2&text=${encodeURIComponent('"><b onclick=alert(4)>')}`);
    await page.getByRole('heading', { name: 'Request 2' }).waitFor();
    const text = await page.locator('main').textContent();
    for (const shown of [...Object.keys(hostile), hostile.fullname, hostile.request_text, '\\u{202e}gnp.exe', '&amp;'])
      expect(text).toContain(shown);
    expect(text).not.toContain('\u202E');
    expect(await page.locator('main img, main b, main script').count()).toBe(0);
    await page.getByRole('button', { name: 'Copy this body' }).last().click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^\{"request_id":\d{20},/);
  });

  test.for([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ] as const)('the inbox in a browser is readable and fits a %s, light and dark', async ([, size], { openPage }) => {
    const sandbox = await sandboxWith({ faults: { '429': 0.5, 'reset-after': 0.2 } });
    const { create } = await partnerOf(sandbox);
    for (let row = 1; row <= 12; row++) {
      const phone = row % 5 === 0 ? '12' : '+351912345678';
      await create({ ...LEAD, phone, fullname: 'x'.repeat(row ** 2) }).catch(() => undefined);
    }
    const { page } = await openPage(sandbox.baseUrl, size);
    for (const address of ['/', '/#request=13', '/#text=nobody']) {
      await page.goto('about:blank');
      await page.goto(sandbox.baseUrl + address);
      await page
        .getByText(/13 of 13 shown|Request 13|No request fits/)
        .first()
        .waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect([address, colorScheme, await overflowOf(page), await axeFindings(page)]).toEqual([
          address,
          colorScheme,
          0,
          [],
        ]);
      }
    }
  });
});
