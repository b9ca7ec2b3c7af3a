import type { Context } from '../cli/context.ts';
import { EXIT_CODES, precedenceText } from '../cli/exit-codes.ts';
import { aligned } from '../report/output.ts';
import { ERRORS } from '../request/words/error-codes.ts';
import { FINDING, FINDING_CODES, saying } from '../request/words/finding.ts';

/** Prints the exit codes and their meanings. */
async function exitCodes(context: Context): Promise<number> {
  const meanings = new Map(Object.values(EXIT_CODES).map(({ number, meaning }) => [number, meaning]));
  const codes = [...meanings].map(([code, meaning]) => ({ code, meaning })).sort((a, b) => a.code - b.code);
  const shown = codes.map(({ code, meaning }) => [String(code).padStart(4), meaning] as const);
  await context.reporter.result('help exit-codes', { exitCodes: codes }, () => aligned(shown, '').join('\n'));
  context.reporter.say(() => `If several apply, ${precedenceText()}`);
  return 0;
}

/** Prints the codes of errors with their exit codes, and those of findings. */
async function errors(context: Context): Promise<number> {
  const kinds = Object.entries(EXIT_CODES)
    .filter(([code]) => code !== 'ok')
    .map(([code, { number, meaning }]) => ({ code, exitCode: number, meaning }));
  const reasons = Object.entries(ERRORS).map(([reason, { kind: code }]) => {
    return { reason, code, exitCode: EXIT_CODES[code].number };
  });
  const findings = FINDING_CODES.map((code) => ({ code, severity: FINDING[code].severity, message: saying(code) }));
  await context.reporter.result('help errors', { errors: kinds, reasons, findings }, (paint) =>
    [
      ...kinds.map(({ code, exitCode, meaning }) => kindLine(code, exitCode, meaning)),
      '',
      ...reasons.map(({ reason, code, exitCode }) => kindLine(reason.padEnd(27), exitCode, code)),
      ...findings.flatMap(({ code, severity, message }) => [
        `${paint.bold(code)} ${paint.dim(`(${severity} of a row)`)}`,
        `  ${message}`,
      ]),
    ].join('\n'),
  );
  context.reporter.say(
    () =>
      'With --json, error.code is the kind of error, error.reason is the code listed here, and error.hint says what to do. A row that was not delivered has a reason, too.',
  );
  return 0;
}

function kindLine(code: string, exitCode: number, meaning: string): string {
  return `${code.padEnd(16)}  ${String(exitCode).padStart(3)}  ${meaning}`;
}

/** The topics of the help, by the words that name them. */
export const TOPICS = { 'exit-codes': exitCodes, errors };
