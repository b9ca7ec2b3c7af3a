import { appendFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { submitRequest } from '../../src/delivery/submit.ts';
import type { Contract } from '../../src/request/contract/contract.ts';
import { type KnownAnswers, NOTHING_KNOWN } from '../../src/request/contract/known-answers.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import type { LoggedState } from '../../src/request/log/status.ts';
import type { Clock, DeliveryLog, MarketplaceApi } from '../../src/request/ports.ts';
import { openFileLog } from '../../src/store/file/file-log.ts';
import { clientOf } from '../doors/client.ts';
import { openLogIndex } from '../doors/log.ts';
import { virtualClock } from '../helpers/api-client.ts';
import { submissionOf } from './leads.ts';
import { Life } from './life.ts';
import { ScriptedService } from './scripted-service.ts';

/** A srq at work on the machine's log. */
export interface Process {
  readonly api: MarketplaceApi;
  readonly log: DeliveryLog;
  readonly clock: Clock;
  readonly halt: AbortController;
}

interface Start {
  readonly life?: Life;
  /** Leaves half a line in the log when it dies. */
  readonly torn?: boolean;
  /** A one-off request beside a run. */
  readonly exclusive?: boolean;
  /** Names its records. */
  readonly run?: string;
}

/** In memory where there is such a folder: what is tested is the order of things, not how long a disk takes for them. */
const PLACE = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** A partner's machine with one log on its disk, and the service it talks to. Time passes only by being waited for. */
export class Machine {
  readonly clock = virtualClock();
  readonly service = new ScriptedService(this.clock);
  readonly folder = mkdtempSync(join(PLACE, 'srq-machine-'));
  readonly logPath = join(this.folder, 'log.ndjson');
  /** What is known of the answers of the service. */
  answers: KnownAnswers = NOTHING_KNOWN;
  /** Whether what a process learns of them is there for the next one. */
  remembers = true;
  readonly #contract: Contract;

  constructor(contract = DOCUMENTED_CONTRACT) {
    this.#contract = contract;
  }

  /** What a process gives back; 'died' if it did not live so long. */
  async run<T>(
    work: (process: Process) => Promise<T>,
    { life = new Life(null), torn = false, exclusive = true, run = 'run' }: Start = {},
  ): Promise<T | 'died'> {
    const file = await openFileLog({
      path: this.logPath,
      clock: this.clock,
      run,
      exclusive,
      holder: 'a test',
    });
    try {
      return await Promise.race([work(this.#process(life, file)), life.died.then(() => 'died' as const)]);
    } finally {
      await file.close();
      if (life.dead && torn) appendFileSync(this.logPath, '{"key":"0123');
    }
  }

  /** What the next process will find in the log. */
  async known(key: string): Promise<LoggedState> {
    return (await openLogIndex(this.logPath)).lookup(key);
  }

  close(): void {
    rmSync(this.folder, { recursive: true });
  }

  #process(life: Life, file: DeliveryLog): Process {
    // Nobody else's sleep makes time leap between an intent and its answer.
    const sending = { count: 0 };
    const sleep: Clock['sleep'] = async (ms, signal) => {
      while (sending.count > 0 && !life.dead && !signal?.aborted) await new Promise(setImmediate);
      await life.wait(this.clock.sleep(ms, signal));
    };
    const clock: Clock = { ...this.clock, sleep };
    const halt = new AbortController();
    const http = this.service.line(life, () => (sending.count -= 1));
    const { api } = clientOf(http, {
      ...{ clock, contract: this.#contract, concurrency: 8, stopping: halt.signal },
      known: this.answers,
      remember: (answers) => {
        if (this.remembers && !life.dead) this.answers = answers;
      },
    });
    return { api, log: mortalLog(file, life, sending), clock, halt };
  }
}

let taught: Promise<KnownAnswers> | null = null;

/** What is known of the answers of the service here once three rows were created. */
export function taughtAnswers(): Promise<KnownAnswers> {
  taught ??= (async () => {
    const teacher = new Machine();
    teacher.service.nextId = 1;
    const options = { validate: true, onDuplicate: 'skip', again: false } as const;
    await teacher.run(async ({ api, log }) => {
      for (const at of [1, 2, 3]) await submitRequest(submissionOf(`Lesson ${at}`, at), api, log, options);
    });
    teacher.close();
    return teacher.answers;
  })();
  return taught;
}

/** The log of a process that may die before a line is written, or after it was and before it is told. */
function mortalLog(file: DeliveryLog, life: Life, sending: { count: number }): DeliveryLog {
  return {
    run: file.run,
    writeLeaseMs: file.writeLeaseMs,
    nowMs: () => file.nowMs(),
    prefetch: (keys) => file.prefetch(keys),
    lookup: (key) => file.lookup(key),
    read: (key) => file.read(key),
    mayBeUnderWay: (key) => file.mayBeUnderWay(key),
    sending: async (subject, seen, how) => {
      await life.reach('the intent');
      sending.count += 1;
      const noted = await file.sending(subject, seen, how).catch((error: unknown) => {
        sending.count -= 1;
        throw error;
      });
      if (!noted) sending.count -= 1;
      await life.reach('after the intent');
      return noted;
    },
    licence: async (...given) => {
      await life.reach('the licence');
      const noted = await file.licence(...given);
      await life.reach('after the licence');
      return noted;
    },
    outcome: async (...given) => {
      await life.reach('the record');
      const noted = await file.outcome(...given);
      await life.reach('after the record');
      return noted;
    },
  };
}
