// Makes the pictures of the README from a real run: node scripts/screenshots.mjs (after npm run build).
// Needs Chromium: CHROME_BIN, or /usr/bin/chromium.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const ROWS = 3000;
const IMAGES = 'docs/images';

const folder = mkdtempSync(join(tmpdir(), 'srq-screenshots-'));
mkdirSync(IMAGES, { recursive: true });
const faults = ['reset-after=0.0008', '429=0.003', 'slow=0.002'].flatMap((fault) => ['--fault', fault]);
const sandbox = spawn(
  process.execPath,
  ['dist/srq.js', 'sandbox', '--port', '0', '--json', '--latency', '20', ...faults],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const browser = await chromium.launch({
  executablePath: process.env.CHROME_BIN ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const [ready] = await once(createInterface(sandbox.stdout), 'line');
  const access = JSON.parse(ready);
  await pictureReport(access);
  await pictureInbox(browser, access.baseUrl, join(IMAGES, 'inbox.png'));
} finally {
  await browser.close();
  sandbox.kill('SIGTERM');
  rmSync(folder, { recursive: true, force: true });
}

/** An import with some of everything, as its report shows it. */
async function pictureReport({ baseUrl, clientId, clientSecret }) {
  const leads = await leadsWithFaults();
  const report = join(folder, 'run.html');
  const env = {
    ...process.env,
    SRQ_BASE_URL: baseUrl,
    SRQ_CLIENT_ID: clientId,
    SRQ_CLIENT_SECRET: clientSecret,
    SRQ_CONFIG_DIR: join(folder, 'config'),
    SRQ_STATE_DIR: join(folder, 'state'),
  };
  const args = ['bulk', leads, '--rate', 'max', '--in-doubt', 'park', '--report', report, '--quiet'];
  // Ends with 7, as some requests are in doubt.
  await promisify(execFile)(process.execPath, ['dist/srq.js', ...args], { env }).catch(() => {});
  const { href } = pathToFileURL(report);
  await picture(href, 'report.png', { width: 1100, height: 900 });
}

/** Generated leads, of which some have no market, phone or address that can be used. */
async function leadsWithFaults() {
  const path = join(folder, 'leads.csv');
  await promisify(execFile)(process.execPath, ['scripts/make-leads.mjs', String(ROWS), path]);
  const lines = readFileSync(path, 'utf8').split('\n');
  const faulty = lines.map((line, row) => {
    if (row % 40 === 7) return line.replace(/,[A-Z]{2},"/, ',FR,"');
    if (row % 55 === 9) return line.replace(/\+\d+/, '12');
    return row % 60 === 11 ? line.replace(/lead\d+@example\.com/, 'no address') : line;
  });
  writeFileSync(path, faulty.join('\n'));
  return path;
}

async function picture(address, name, viewport) {
  const page = await browser.newPage({ viewport });
  await page.goto(address);
  await page.screenshot({ path: join(IMAGES, name) });
  await page.close();
}

/** Takes the picture of a sandbox's inbox, which must have received something. */
async function pictureInbox(browser, baseUrl, path) {
  const page = await browser.newPage({ viewport: { width: 1120, height: 640 } });
  await page.goto(baseUrl);
  await page.getByText('Live', { exact: true }).waitFor();
  await page.screenshot({ path });
  await page.close();
}
