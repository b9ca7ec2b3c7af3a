import type { Context } from '../cli/context.ts';
import { type Input, mapped } from '../cli/input.ts';
import { askUntil, leave } from '../cli/prompt.ts';
import { proposedMarket } from '../delivery/findings.ts';
import { MARKETS, parseMarket } from '../request/lead/markets.ts';
import type { ImportPlan } from '../request/log/import-plan.ts';
import { SrqError } from '../request/words/errors.ts';

/** Tells whether no row of a file has a country, because no column gives it. */
export function lacksCountry({ problemGroups }: Pick<ImportPlan, 'problemGroups'>): boolean {
  return problemGroups.some(({ code, isOfPlan }) => code === 'country.missing' && isOfPlan);
}

/**
 * Asks once for the country of all rows of a file. The one that the rows tell is proposed.
 * The answer is kept with the mapping, like a constant of `--set`.
 */
export async function askCountry(context: Context, { table, mapping, chosen, evidence }: Input): Promise<Input> {
  const { sample } = evidence;
  const rows = (sample[0] ?? []).map((_, at) => ({
    ...{ number: at + 1, line: null, problem: null },
    cells: sample.map((column) => column[at] ?? ''),
  }));
  const proposed = proposedMarket(mapping, rows);
  const told = proposed ? ` Enter for ${proposed.market.code} (by ${proposed.by})` : ' Its code, such as PT';
  const country = await askUntil(context, `Which country are these leads in?${told} · q to quit: `, (answer) => {
    if (answer === 'q') return null;
    const market = answer === '' ? proposed?.market : parseMarket(answer);
    if (market) return market.code;
    const codes = MARKETS.map(({ code }) => code).join(', ');
    throw new SrqError('arguments.invalid', 'That is not one of the markets.', `They are: ${codes}`);
  });
  if (country === null) leave('Run the same command again when the file is ready.');
  return mapped({ table, evidence }, { ...chosen, set: { ...chosen.set, country } });
}
