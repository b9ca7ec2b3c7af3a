import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('both pages take their colours from one palette: no other style names a colour', () => {
  const styles = ['src/page', 'src/report', 'src/sandbox'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:css|template|js)$/.test(name))
      .map((name) => join(folder, name)),
  );
  const own = styles.filter((file) => file !== 'src/page/page.css');
  expect(own.length).toBeGreaterThan(3);
  const colour =
    /#[\da-f]{3,8}\b(?=[;\s)])|\b(?:rgb|hsl|oklch|oklab)a?\(|:\s*(?:white|black|red|green|blue|orange|gr[ae]y)\b/i;
  expect(own.filter((file) => colour.test(readFileSync(file, 'utf8')))).toEqual([]);
  for (const page of ['src/report/page/report.css', 'src/sandbox/inbox/inbox.css']) {
    expect(readFileSync(page, 'utf8')).toMatch(/^@import "[./\w]*page\.css";/);
  }
});
