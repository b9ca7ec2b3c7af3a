import { CONTRADICTION_HINT, contractName, contradictionText } from '../../report/contract-text.ts';
import type { Connection } from '../connect.ts';
import type { Context } from '../context.ts';
import type { Examination, Found } from './examination.ts';

/** Whether the answers to the steps before bear out what was learned. */
export async function takeContractStep(
  context: Context,
  examination: Examination,
  { api }: Pick<Connection, 'api'>,
): Promise<void> {
  await examination.take('contract', async (): Promise<Found<null>> => {
    const contract = await context.contract();
    if (!contract.source) return { result: 'skip', message: 'None was learned.', value: null };
    const seen = api.observations();
    const against = contradictionText(contract, seen);
    if (against !== null) return { result: 'warn', message: against, hint: CONTRADICTION_HINT, value: null };
    const borneOut = Object.keys(seen).join(', ') || 'nothing of it';
    const message = `${contractName(contract)}. The answers above bear out: ${borneOut}.`;
    return { result: 'ok', message, value: null };
  });
}
