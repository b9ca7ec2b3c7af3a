import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { namedAdvice } from '../../src/commands/help-topics.ts';
import { ERRORS, type ErrorReason } from '../../src/request/words/error-codes.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { FINDING } from '../../src/request/words/finding.ts';

const REASONS = Object.keys(ERRORS) as ErrorReason[];

describe('the codes of errors', () => {
  test('are dotted, and none is that of a finding', () => {
    for (const reason of REASONS) expect(reason).toMatch(/^[a-z]+\.[a-z]+(?:-[a-z]+)*$/);
    expect(REASONS.filter((reason) => Object.hasOwn(FINDING, reason))).toEqual([]);
  });

  test('say a cause and a remedy, each in whole sentences', () => {
    const flawed = REASONS.filter((reason) => {
      const { cause, remedy } = ERRORS[reason];
      return !/^[A-Za-z].{5,}\.$/.test(cause) || !/^[A-Z].{5,}/.test(remedy) || cause.length > 80;
    });
    expect(flawed).toEqual([]);
  });

  test('decide the kind, and so the exit code', () => {
    const error = new SrqError('auth.refused', 'No.');
    expect([error.reason, error.code, EXIT_CODES[error.code].number]).toEqual(['auth.refused', 'auth', 4]);
    expect(new Set(REASONS.map((reason) => ERRORS[reason].kind))).toEqual(
      new Set(Object.keys(EXIT_CODES).filter((kind) => kind !== 'ok')),
    );
  });
});

test('docs/errors.md has every code (vitest -u writes it)', async () => {
  const errors = REASONS.map((reason) => {
    const { kind, cause, remedy } = ERRORS[reason];
    return `| \`${reason}\` | ${kind} | ${EXIT_CODES[kind].number} | ${cause} | ${remedy} |`;
  });
  const findings = Object.entries(FINDING).map(
    ([code, { severity, advice }]) => `| \`${code}\` | ${severity} | ${namedAdvice(advice).replaceAll('|', '\\|')} |`,
  );
  await expect(
    [
      '# Errors and findings',
      '',
      'Codes stay; messages may be reworded. With `--json` an error has its kind in `code`, its code in `reason`, and what to do in `hint`.',
      'The `reason` of a row, a request of the log or a step of `srq doctor` is one of these codes, or that of a finding.',
      'The same is in `srq help errors`, and of one code in `srq help errors auth.refused`.',
      '',
      '| code | kind | exit code | cause | remedy |',
      '| --- | --- | --- | --- | --- |',
      ...errors,
      '',
      '## Findings of the local checks',
      '',
      'An error makes its row `invalid`; a warning does so with `--strict`.',
      '',
      '| code | severity | what to do |',
      '| --- | --- | --- |',
      ...findings,
      '',
    ].join('\n'),
  ).toMatchFileSnapshot('../../docs/errors.md');
});
