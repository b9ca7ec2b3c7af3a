import type { Context } from '../cli/context.ts';
import { MARKETS } from '../request/lead/markets.ts';

export async function markets(context: Context): Promise<number> {
  await context.reporter.result(
    'markets',
    { markets: MARKETS.map(({ code, name, callingCode, languages }) => ({ code, name, callingCode, languages })) },
    (paint) =>
      MARKETS.map(
        ({ code, name, callingCode, languages }) =>
          `${paint.bold(code)}  ${name.padEnd(20)} ${`+${callingCode}`.padEnd(5)} ${languages.join(', ')}`,
      ).join('\n'),
  );
  return 0;
}
