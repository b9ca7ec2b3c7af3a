import { type Control, ControlRounds } from '../../src/delivery/controls.ts';
import type { SettleDeps } from '../../src/delivery/settle-doubt.ts';
import type { SubmitOptions } from '../../src/delivery/submit.ts';
import { type Proof, requestKind } from '../../src/delivery/visibility-prober.ts';
import type { VisibilityHistory } from '../../src/request/visibility.ts';
import { submissionOf } from './leads.ts';
import type { Process } from './processes.ts';
import type { ScriptedService } from './scripted-service.ts';

/** Validate has shown that it sees at once. */
export const TRUSTED: Proof = {
  sight: () => ({ seen: 3, unseen: 0, slowestMs: 0 }),
  mayBecomeTrusted: () => false,
};

/** The same as earlier runs would have kept it. */
export function trustedEvidence(
  createdAtMs: number,
  kind = requestKind(submissionOf('Pintar').request),
): VisibilityHistory {
  const look = (at: number) =>
    ({ key: `${at}`.repeat(32), kind, createdAtMs: createdAtMs - at, end: 'seen', afterMs: 10 }) as const;
  return { looks: [1, 2, 3].map(look) };
}

/** Requests that the service created at this time, beside what the tests are about; longer than any of their texts. */
export function createdBeside(service: ScriptedService, atMs: number, count = 3): Control[] {
  return Array.from({ length: count }, (_, at) => {
    const need = `Control ${at + 1} ${'x'.repeat(40)} ${atMs}`;
    service.acts.push({ need, atMs });
    const { key, request } = submissionOf(need);
    return { key, request, sentAtMs: atMs };
  });
}

/** A settling that waits so long, null: without validate; with controls of the doubt's time, if there are to be any. */
export function settlingOf(
  { api, log, clock, halt }: Process,
  key: string,
  waitMs: number | null,
  resend: SubmitOptions | null,
  service: ScriptedService | null,
): SettleDeps {
  const stopping = halt.signal;
  const rounds = new ControlRounds(api, stopping);
  const believing = { proof: TRUSTED, settleMs: waitMs, isProxied: false, rounds, waits: true };
  const known = async () => {
    const record = await log.read(key);
    return record && service ? createdBeside(service, Date.parse(record.at)) : [];
  };
  return { api, log, clock, stopping, resend, validation: waitMs === null ? null : believing, loadControls: known };
}
