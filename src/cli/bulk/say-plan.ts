import type { Contract } from '../../model/contract.ts';
import type { ImportPlan } from '../../model/import-plan.ts';
import { contractName } from '../../report/contract-text.ts';
import { planText } from '../../report/plan-text.ts';
import type { Context } from '../context.ts';
import { wirePreview } from './wire-preview.ts';

/** Shows what an import is about to do. `destination`: where it goes, in words. */
export async function sayPlan(
  context: Context,
  contract: Contract,
  plan: ImportPlan,
  destination: string,
): Promise<void> {
  const reporter = await context.reporter();
  const learned = contract.source ? { name: contractName(contract), wire: wirePreview(contract, plan.first) } : null;
  reporter.say((paint) => planText(plan, destination, learned, paint));
}
