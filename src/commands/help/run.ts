import type { TellingContext } from '../../cli/command.ts';
import { EXIT_CODES } from '../../cli/exit-codes.ts';
import { tableText } from '../../report/output.ts';

/** The numbers with which srq ends, and what each means. */
export async function exitCodes(context: TellingContext): Promise<number> {
  const meanings = new Map(Object.values(EXIT_CODES).map(({ number, meaning }) => [number, meaning]));
  const codes = [...meanings].map(([code, meaning]) => ({ code, meaning })).sort((a, b) => a.code - b.code);
  const reporter = await context.reporter();
  await reporter.result({ exitCodes: codes }, (paint) =>
    tableText(
      ['code', 'meaning'],
      codes.map(({ code, meaning }) => [{ text: String(code).padStart(4) }, { text: meaning }]),
      null,
      paint,
    ),
  );
  reporter.say(() => 'When several apply, the first of 1, 9, 4, 7, 6, 5, 3, 8; an interrupted run keeps 130 or 143.');
  return 0;
}
