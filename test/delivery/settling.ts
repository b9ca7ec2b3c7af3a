import { existsSync } from 'node:fs';
import { settleRows } from '../../src/delivery/settle-rows.ts';
import type { Sent, SubmitOptions } from '../../src/delivery/submit.ts';
import { NEIGHBOURS } from '../../src/delivery/witness.ts';
import type { ImportPlan } from '../../src/request/log/import-plan.ts';
import type { DeliveryLog } from '../../src/request/ports.ts';
import type { SrqError } from '../../src/request/words/errors.ts';
import { readAll } from '../doors/log.ts';
import { PREPARATION, passOf, planOf, submissionOf, tableOf } from './leads.ts';
import type { Machine, Process } from './processes.ts';

export { NEIGHBOURS };

/** The needs of as many rows as validate has to know, to be believed. None has a shorter text than the doubts here. */
export const neighbours = (count = NEIGHBOURS): string[] =>
  Array.from({ length: count }, (_, at) => `Neighbour ${at + 1}, too`);

/** Records these needs as created, as an earlier run did that sent them at that time. */
export async function recordCreated(log: DeliveryLog, needs: readonly string[], sentMs: number): Promise<void> {
  const ms = log.nowMs() - sentMs;
  for (const need of needs) {
    const { key, row, request } = submissionOf(need);
    await log.outcome({ key, row, ref: request.ref }, { ...PLAIN_OUTCOME, status: 'created', ids: { id: need }, ms });
  }
}

const PLAIN_OUTCOME = { http: 201, message: null, raw: null };

/** The service has created twelve requests when the first doubt was sent, and the log knows it. */
export async function createNeighbours(machine: Machine, needs = neighbours()): Promise<void> {
  const atMs = await firstDoubtMs(machine);
  for (const need of needs) machine.service.acts.push({ need, atMs });
  await machine.run(({ log }) => recordCreated(log, needs, atMs), { exclusive: false });
}

/** When the first request was sent that is in doubt now; without one, now. */
async function firstDoubtMs({ clock, logPath }: Machine): Promise<number> {
  const records = existsSync(logPath) ? await readAll(logPath) : [];
  const last = new Map(records.map((record) => [record.key, record]));
  const doubts = [...last.values()].filter(({ event }) => event === 'sending' || event === 'unknown');
  return Math.min(clock.nowMs(), ...doubts.map(({ at, ms }) => Date.parse(at) - (ms ?? 0)));
}

export interface Settling {
  /** How long a request must have been sent before; null: as long as nothing else was chosen. */
  readonly settleMs?: number | null;
  readonly byValidate?: boolean;
  readonly isProxied?: boolean;
  readonly resend?: SubmitOptions;
  readonly waiting?: (waitMs: number) => void;
}

const RESEND: SubmitOptions = { validate: false, onDuplicate: 'skip', again: false };

/** Settles the rows of a plan, and returns their results. */
export async function settlePlan(
  { api, log, clock, halt }: Pick<Process, 'api' | 'log' | 'clock' | 'halt'>,
  plan: ImportPlan,
  { settleMs = 60_000, byValidate = true, isProxied = false, resend = RESEND, waiting = () => {} }: Settling = {},
): Promise<{ yielded: Sent[]; returned: SrqError | null }> {
  const deps = { api, log, clock, preparation: PREPARATION, halt };
  return passOf(settleRows(plan, deps, { resend, byValidate, settleMs, isProxied, waiting }), plan, halt);
}

/** Settles the request with this need, in a file with twelve neighbours. Undefined if its outcome is known. */
export async function settleOne(
  process: Process,
  need: string,
  settling: Settling = {},
  around = neighbours(),
): Promise<Sent | undefined> {
  const plan = await planOf(tableOf([need, ...around]), process.log);
  const { yielded } = await settlePlan(process, plan, settling);
  return yielded.find(({ row }) => row === 1);
}
