import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const COLOUR =
  /#[\da-f]{3,8}\b(?=[;\s)])|\b(?:rgb|hsl|oklch|oklab)a?\(|:\s*(?:white|black|red|green|blue|orange|gr[ae]y)\b/i;
const textOf = (file: string) => readFileSync(`src/${file}`, 'utf8');

test('both pages take their colours from one palette: no other style names a colour', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => /\.(?:css|template|js)$/.test(file) && file !== 'page/page.css');
  expect(own.length).toBeGreaterThan(3);
  expect(own.filter((file) => COLOUR.test(textOf(file)))).toEqual([]);
  for (const page of ['report/page/report.css', 'sandbox/inbox/inbox.css'])
    expect(textOf(page)).toMatch(/^@import "[./\w]*page\.css";/);
});
