import type { Settings } from '../config/settings.ts';
import type { Destination } from '../model/service-request.ts';
import { contractName } from '../report/contract-text.ts';
import { printable } from '../report/output.ts';
import type { Context } from './context.ts';

/** Where requests go, as whom, and by which profile. */
export async function destinationText(context: Context, { baseUrl, clientId }: Destination): Promise<string> {
  const kind = context.options.sandbox ? await sandboxText(context) : profileText(await context.settings());
  return printable(`${baseUrl} as client ${clientId} (${kind})`);
}

async function sandboxText(context: Context): Promise<string> {
  const { source } = await context.contract();
  return `the sandbox in this process${source ? ', made from the contract' : ''}`;
}

function profileText({ profile, live }: Settings): string {
  return `profile ${profile.value}, ${live ? 'live' : 'test'}`;
}

/** Tells a person where the command is about to send, and by which contract; a program knows by `srq status --json`. */
export async function sayDestination(context: Context, destination: Destination): Promise<void> {
  if (context.options.json) return;
  const reporter = await context.reporter();
  const where = await destinationText(context, destination);
  const contract = await context.contract();
  reporter.say((paint) => paint.dim(`To ${where}${contract.source ? ` by ${contractName(contract)}` : ''}`));
}
