import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { jsonData } from '../../../src/page/web-page.ts';
import { reportPage } from '../../../src/report/page/report-page.ts';
import { RunFigures } from '../../../src/report/page/run-figures.ts';
import { beginOf, mixedFigures, rowOf, second } from './figures.ts';

const FACTS = { writtenAt: second(60), withProfile: (text: string) => text };

test("the policy lets nothing but the page's own style and script through", () => {
  const page = reportPage(mixedFigures(100), FACTS);
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(page)?.[1] ?? '';
  const hash = (text: string | undefined) =>
    `'sha256-${createHash('sha256')
      .update(text ?? '')
      .digest('base64')}'`;
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`style-src ${hash(/<style>(.*?)<\/style>/s.exec(page)?.[1])}`);
  expect(policy).toContain(`script-src ${hash(/<script type="module">(.*?)<\/script>/s.exec(page)?.[1])}`);
  expect(policy).not.toContain('unsafe');
  expect(page).toContain('prefers-color-scheme');
  expect(page).not.toMatch(/\son\w+=|\sstyle=|(?:src|href)="(?!#|data:)/);
});

test('foreign text is escaped and made visible, in markup and in data', () => {
  const figures = new RunFigures();
  figures.note(beginOf(1, { file: `"><b>&'\u202e` }));
  expect(reportPage(figures, FACTS)).toContain('<bdi>Import of &#34;&#62;&#60;b&#62;&#38;&#39;\\u{202e}</bdi>');
  const text = '</script><!-- \u202e & "';
  const data = jsonData([text]);
  expect(data).not.toMatch(/[<>&\u202e]/);
  expect(JSON.parse(data)).toEqual(['</script><!-- \\u{202e} & "']);
});

test('the page holds no encoded cells of the input', () => {
  expect(reportPage(mixedFigures(100), FACTS)).not.toContain('"109');
});

test('the page says how many rows it lists where there are more', () => {
  const figures = new RunFigures();
  for (let row = 1; row <= 20_100; row++) figures.add(rowOf(row));
  expect(reportPage(figures, FACTS)).toContain('20,000 of 20,100 are listed');
});

test('the page says how to see the rows that the log does not have', () => {
  const figures = new RunFigures();
  figures.note(beginOf(3));
  figures.add(rowOf(1));
  expect(reportPage(figures, FACTS)).not.toContain('are not listed');
  figures.addUntouched();
  expect(reportPage(figures, FACTS)).toContain(
    '2 rows were not sent by this run and so are not listed. The results file has all rows.',
  );
});

test('an empty log gives a page that says so', () => {
  const page = reportPage(new RunFigures(), FACTS);
  expect(page).toContain('Nothing was sent');
  expect(/<body>.*?<script/s.exec(page)?.[0]).not.toMatch(/NaN|Infinity|undefined/);
});
