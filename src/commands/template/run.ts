import { writeFile } from 'node:fs/promises';
import type { TellingContext } from '../../cli/command.ts';
import { commandLine } from '../../cli/command-line.ts';
import { exampleCsv, exampleJson } from '../../input/example-leads.ts';
import { printable } from '../../report/output.ts';
import { nearest } from '../../request/did-you-mean.ts';
import { SrqError, systemCode } from '../../request/errors.ts';
import { findMarket, MARKETS, type Market } from '../../request/markets.ts';

interface TemplateOptions {
  readonly market: string;
  readonly output?: string;
}

/** Writes an example file of leads as a partner in the market would have it. */
export async function template(
  context: TellingContext,
  format: 'csv' | 'json',
  { market: code, output: file }: TemplateOptions,
): Promise<number> {
  const market = requireMarket(code);
  // `-` is standard output, as it is standard input elsewhere.
  const output = file === '-' ? undefined : file;
  const content = format === 'csv' ? exampleCsv(market) : `${JSON.stringify(exampleJson(market), null, 2)}\n`;
  const reporter = await context.reporter();
  if (output !== undefined) await writeNew(output, content);
  await reporter.result({ format, market: market.code, output: output ?? null, content }, () =>
    output === undefined
      ? content.slice(0, -1)
      : printable(`Written: ${output}. Try it: ${commandLine(['bulk', output, '--sandbox'])}`),
  );
  return 0;
}

function requireMarket(code: string): Market {
  const market = findMarket(code);
  if (market) return market;
  const codes = MARKETS.map((each) => each.code);
  const meant = nearest(code.toUpperCase(), codes);
  throw new SrqError(
    'usage',
    `"${code}" is not one of the markets.${meant ? ` Did you mean ${meant}?` : ''}`,
    `The markets are: ${codes.join(', ')}`,
  );
}

/** Writes a new file. It never overwrites one, which might hold real leads. */
async function writeNew(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx' });
  } catch (error) {
    const why = systemCode(error) === 'EEXIST' ? 'exists already' : `cannot be written (${systemCode(error)})`;
    throw new SrqError('usage', `${path} ${why}.`, 'Name another file: --output FILE', error);
  }
}
