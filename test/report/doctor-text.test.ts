import { expect, test } from 'vitest';
import { painter } from '../../src/report/output.ts';
import { diagnosisText, doctorReport, isDoctorReport } from '../../src/report/terminal/doctor-text.ts';
import type { Step } from '../../src/request/diagnosis.ts';

const step = (changes: Partial<Step>): Step => ({
  ...{ name: 'dns', result: 'ok', ms: 12, message: 'It was found.', hint: null, reason: null },
  ...changes,
});
const linesOf = (ok: boolean, ...steps: Step[]) =>
  diagnosisText({ ok, steps }, 'srq bulk FILE', painter(false)).split('\n');

test.each<[Partial<Step>, string]>([
  [{}, '✓ dns       It was found. (12 ms)'],
  [{ ms: 999 }, '✓ dns       It was found. (999 ms)'],
  [{ ms: 1_000 }, '✓ dns       It was found. (1.0 s)'],
  [{ result: 'warn', name: 'contract' }, '! contract  It was found. (12 ms)'],
  [{ result: 'fail' }, '✗ dns       It was found. (12 ms)'],
  [{ result: 'skip' }, '- dns       It was found.'],
  [{ message: 'a\u001bb' }, '✓ dns       a\\u{1b}b (12 ms)'],
])('a step %j is the line "%s"', (changes, line) => {
  expect(linesOf(true, step(changes))[0]).toBe(line);
});

test('the hint stands below its step, each alternative on a line', () => {
  expect(linesOf(true, step({ hint: 'Say: srq login    or: srq logout' })).slice(1, 3)).toEqual([
    '  → Say: srq login',
    '    or: srq logout',
  ]);
  expect(linesOf(true, step({}))).toHaveLength(2);
});

test('the end tells how it stands: ready, ready with warnings, or not', () => {
  expect(linesOf(true, step({})).at(-1)).toBe('Everything works. Next: srq bulk FILE');
  expect(linesOf(true, step({}), step({ result: 'warn' })).at(-1)).toBe(
    'Everything that is needed works; see the warnings. Next: srq bulk FILE',
  );
  expect(linesOf(false, step({ result: 'fail' })).at(-1)).toBe(
    'Not ready. Correct what failed, then run: srq bulk FILE',
  );
});

test('a report to be mailed is known by its head alone, and so replaced by the next one', () => {
  const report = doctorReport({ ok: true, steps: [step({})] }, { version: '1.2.3' });
  expect(JSON.parse(report)).toEqual({ srqDoctorReport: 1, version: '1.2.3', ok: true, steps: [step({})] });
  expect(report).toMatch(/^\{\n {2}"srqDoctorReport": 1,\n[\s\S]*\}\n$/);
  expect(isDoctorReport(report)).toBe(true);
  expect(isDoctorReport('{"other": 1}')).toBe(false);
  // The mark ends at the hundredth character, or one behind it.
  expect(isDoctorReport(`${' '.repeat(83)}"srqDoctorReport"`)).toBe(true);
  expect(isDoctorReport(`${' '.repeat(84)}"srqDoctorReport"`)).toBe(false);
});
