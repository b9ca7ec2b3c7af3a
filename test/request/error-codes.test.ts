import { describe, expect, test } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { ERRORS, type ErrorReason } from '../../src/request/words/error-codes.ts';
import { SrqError } from '../../src/request/words/errors.ts';
import { FINDING } from '../../src/request/words/finding.ts';

const REASONS = Object.keys(ERRORS) as ErrorReason[];

describe('the codes of errors', () => {
  test('error codes have a dot, and none is the code of a finding', () => {
    for (const reason of REASONS) expect(reason).toMatch(/^[a-z]+\.[a-z]+(?:-[a-z]+)*$/);
    expect(REASONS.filter((reason) => Object.hasOwn(FINDING, reason))).toEqual([]);
  });

  test('an error code decides the kind, and so the exit code', () => {
    const error = new SrqError('auth.refused', 'No.');
    expect([error.reason, error.code, EXIT_CODES[error.code].number]).toEqual(['auth.refused', 'auth', 4]);
    expect(new Set(REASONS.map((reason) => ERRORS[reason].kind))).toEqual(
      new Set(Object.keys(EXIT_CODES).filter((kind) => kind !== 'ok')),
    );
  });
});
