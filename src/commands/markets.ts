import type { Context } from '../cli/context.ts';
import { MARKETS } from '../request/lead/markets.ts';

export async function markets(context: Context): Promise<number> {
  const shown = MARKETS.map(({ code, name, callingCode, languages }) => ({ code, name, callingCode, languages }));
  await context.reporter.result('markets', { markets: shown }, (paint) => {
    const lines = shown.map(({ code, name, callingCode, languages }) => {
      return `${paint.bold(code)}  ${name.padEnd(20)} ${`+${callingCode}`.padEnd(5)} ${languages.join(', ')}`;
    });
    return lines.join('\n');
  });
  return 0;
}
