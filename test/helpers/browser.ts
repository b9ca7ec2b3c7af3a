import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { test as base } from 'vitest';

const USUAL_PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The path of Chromium: `CHROME_BIN`, or one of the usual places. Undefined if there is none. */
const chromium = [process.env['CHROME_BIN'] ?? '', ...USUAL_PLACES].find((path) => path !== '' && existsSync(path));

export const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 740 } };
export const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 900 } };

interface Scene {
  readonly browser: Browser;
  /**
   * Opens an address in a separate window. When the test ends, the window is closed, and errors on the page fail the
   * test.
   */
  readonly openPage: (address: string, options?: BrowserContextOptions) => Promise<OpenPage>;
}

interface OpenPage {
  readonly page: Page;
  /** The requested addresses, beginning with that of the page itself. */
  readonly requests: readonly string[];
}

/** A test that needs Chromium. It is skipped if there is none. */
export const test = base.extend<Scene>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the names of the fixtures in use here
    async ({}, use) => {
      const { chromium: launcher } = await import('playwright-core');
      // It leaves a folder for sound behind.
      const folder = mkdtempSync(join(tmpdir(), 'srq-browser-'));
      // The sandbox of Chromium needs rights that root lacks in a container. It is not needed, because only our own
      // pages are opened.
      const browser = await launcher.launch({
        executablePath: chromium ?? '',
        args: ['--no-sandbox'],
        env: { ...process.env, TMPDIR: folder },
        timeout: 120_000,
      });
      await use(browser);
      await browser.close();
      rmSync(folder, { recursive: true, maxRetries: 10 });
    },
    { scope: 'file' },
  ],
  openPage: async ({ browser }, use) => {
    const errors: string[] = [];
    const closers: (() => Promise<void>)[] = [];
    await use(async (address, options = DESKTOP) => {
      const context = await browser.newContext(options);
      closers.push(() => context.close());
      context.setDefaultTimeout(120_000);
      const page = await context.newPage();
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('pageerror', (error) => errors.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
      });
      page.on('dialog', (dialog) => {
        errors.push(`a dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      await page.goto(address);
      return { page, requests };
    });
    for (const close of closers) await close();
    if (errors.length > 0) throw new Error(`The page said: ${errors.join('\n')}`);
  },
});

/** Whether there is no Chromium, for `describe.skipIf(withoutBrowser)`. */
export const withoutBrowser = chromium === undefined;

/**
 * Returns what axe finds, as `rule: element`. The page's own security policy does not apply to axe, as it does not to
 * an extension.
 */
export async function axeFindings(page: Page): Promise<string[]> {
  const { default: axe } = await import('axe-core');
  await page.evaluate(axe.source);
  const found: { id: string; nodes: { target: string[] }[] }[] = await page.evaluate(
    'axe.run().then(({ violations }) => violations)',
  );
  return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}

/** Returns by how many pixels the page is wider than the window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth');
