import { connect } from '../../cli/connect.ts';
import type { Context } from '../../cli/context.ts';
import { contractName, secretAddressText } from '../../report/terminal/contract-text.ts';
import type { StepName } from '../../request/documents/diagnosis.ts';
import { SrqError } from '../../request/words/errors.ts';
import type { Examination, Found } from './examination.ts';
import { certificate, clock, name, port, token } from './network.ts';
import { create, validate } from './requests.ts';

/** One step. An `SrqError` that it throws is its failure, after which no other step is taken. */
export interface Check {
  readonly name: StepName;
  readonly onlyWith?: 'store' | 'create';
  readonly look: (examination: Examination) => Promise<Found>;
}

/** The steps in their order, from this machine to the service. */
export const CHECKS: readonly Check[] = [
  { name: 'settings', look: settings },
  { name: 'store', onlyWith: 'store', look: ({ context }) => store(context) },
  { name: 'dns', look: name },
  { name: 'tcp', look: port },
  { name: 'tls', look: certificate },
  { name: 'clock', look: clock },
  { name: 'token', look: token },
  { name: 'validate', look: validate },
  { name: 'create', onlyWith: 'create', look: create },
];

async function settings(examination: Examination): Promise<Found> {
  const { context, timeoutMs } = examination;
  const { live, profile } = await context.settings();
  examination.connection = await connect(context, {
    ...{ rate: 'auto', concurrency: 1, isAlone: true, timeoutMs },
    watch: (call) => examination.note(call),
  });
  examination.contract = await context.contract();
  const { baseUrl, clientId } = examination.connection.destination;
  const address = secretAddressText(examination.contract, baseUrl);
  const kind = live ? 'live' : 'test';
  const by = examination.contract.source ? `, by ${contractName(examination.contract)}` : '';
  return { message: `Profile ${profile.value} (${kind}): ${baseUrl} as client ${clientId}${by}. ${address}` };
}

async function store(context: Context): Promise<Found> {
  const opened = await context.log.postgresStore();
  const { server, role, isBehind, dangers } = await opened.examine();
  const unknown = await context.log.unknown();
  if (unknown !== null) throw new SrqError(unknown.reason, unknown.message, unknown.hint);
  const message = `${opened.name} as ${role}: ${server}.`;
  if (dangers.length > 0) {
    const [words, hint] = [dangers.map((each) => each.message).join(' '), dangers.map((each) => each.hint).join(' ')];
    return { message: `${message} ${words}`, warning: { reason: 'store.unsafe', hint } };
  }
  if (!isBehind) return { message };
  const hint = 'The next command that sends does that, if this role may. To do it now: srq store migrate';
  const behind = `${message} Its tables have to be created or updated.`;
  return { message: behind, warning: { reason: 'store.not-ready', hint } };
}
