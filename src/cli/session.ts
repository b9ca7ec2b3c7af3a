import { basename, dirname, resolve } from 'node:path';
import type { Connection, ConnectOptions } from '../account/connection.ts';
import type { Preparation } from '../delivery/prepare.ts';
import { describeAudio } from '../input/audio.ts';
import { printable } from '../report/output.ts';
import { contractName } from '../report/terminal/contract-text.ts';
import { withJudges } from '../request/contract/contract.ts';
import type { RequestOperationName } from '../request/contract/operations.ts';
import type { DescribeAudio, Destination } from '../request/lead/service-request.ts';
import { type LogReader, type TakenRecord, takenAt } from '../request/log/log-store.ts';
import { notLoggedIn, type Settings } from '../settings/settings.ts';
import type { Context } from './context.ts';

/**
 * What stands for the service in the keys of a rehearsal. Each rehearsal has a sandbox with another address, and the next
 * one may read its results.
 */
const REHEARSED: Destination = { baseUrl: 'http://127.0.0.1', clientId: 'sandbox' };

export interface SessionUse {
  readonly audio: DescribeAudio;
  /** The operation whose description each request must satisfy: create, if nothing is said. */
  readonly operation?: RequestOperationName;
  /** Whether validate is asked before a request is created. The user is told if the service has none. */
  readonly validate?: boolean;
  /**
   * Whether the user need not be logged in, because nothing is sent. Keys are computed from what is known of the
   * destination.
   */
  readonly needsNoLogin?: boolean;
}

/**
 * The session of a command that works with requests: their destination and contract, the log and the connection to the
 * service. All commands open these in the same way, and they are closed when the command ends.
 */
export type RequestSession = Awaited<ReturnType<typeof openSession>>;

/**
 * Opens a session. Throws `SrqError('auth')` if a login is needed and missing, and `SrqError('settings')` if the
 * contract cannot be used.
 */
export async function openSession(context: Context, use: SessionUse) {
  const { audio, operation = 'create' } = use;
  const settings = await context.settings();
  const contract = await withJudges(await context.contract());
  const known = { baseUrl: settings.baseUrl?.value ?? '', clientId: settings.clientId?.value ?? '' };
  const destination = context.options.sandbox ? REHEARSED : use.needsNoLogin ? known : destinationOf(settings);
  const validates = use.validate === true && contract.validate !== null;
  if (use.validate && !validates)
    context.reporter.warn(
      'The API description says that the service has no validate, so requests are created as with --no-validate.',
    );
  const preparation: Preparation = { destination, audio, contract, operation };
  const kind = context.options.sandbox
    ? `the sandbox in this process${contract.source ? ', made from the API description' : ''}`
    : `profile ${settings.profile.value}, ${settings.live ? 'live' : 'test'}`;
  /** Describes the destination: the base URL, the client and the profile. */
  const destinationText = printable(`${settings.baseUrl?.value} as client ${settings.clientId?.value} (${kind})`);
  return {
    context,
    preparation,
    destinationText,
    /** Whether validate is asked before a request is created. */
    validates,
    /** Opens the log in use for reading only. */
    logReader: async (): Promise<LogReader> => {
      const log = await (await context.log.store()).openReader();
      context.onClose(() => log.close());
      return log;
    },
    /** Yields what was created at this service before, may have been, or waits. */
    takenBefore: async function* (ref?: string): AsyncGenerator<TakenRecord> {
      yield* takenAt(await context.log.store(), destination, ref);
    },
    /** Connects to the service. Nothing is sent yet. */
    connect: async (options: ConnectOptions): Promise<Connection> => {
      const { connect } = await import('./connect.ts');
      return connect(context, options);
    },
    /** Tells the user where the command is about to send, and by which contract. Programs can use `srq status --json`. */
    sayDestination: (): void => {
      const by = contract.source ? `, with the API description ${contractName(contract)}` : '';
      if (!context.options.json) context.reporter.say((paint) => paint.dim(`To ${destinationText}${by}`));
    },
  };
}

/** Handles signals from now on. After the first one, what is at hand is finished: by default, requests in flight. */
export function finishOnSignal({ interruption, reporter }: Context, what = 'what was sent'): void {
  interruption.listen(() => reporter.warn(`Finishing ${what}; press Ctrl-C again to stop at once.`));
}

/**
 * Reads recordings from the folder of the file that names them. If the file is `-`, that is the current folder. A
 * recording named by a flag may be anywhere.
 */
export function recordingsBeside(file: string, named?: string): DescribeAudio {
  const folder = file === '-' ? '.' : dirname(file);
  return (path) =>
    path === named ? describeAudio(basename(path), dirname(resolve(path))) : describeAudio(path, folder);
}

/** Returns the destination of the profile in use. Throws `SrqError('auth')` naming every missing setting. */
export function destinationOf(settings: Settings): Destination {
  const missing = [
    ...(settings.baseUrl ? [] : ['base URL']),
    ...(settings.clientId ? [] : ['client id']),
    ...(settings.secret.state === 'missing' ? ['client secret'] : []),
  ];
  if (!settings.baseUrl || !settings.clientId || missing.length > 0) {
    throw notLoggedIn(missing, settings.profile.value, settings.otherProfiles);
  }
  return { baseUrl: settings.baseUrl.value, clientId: settings.clientId.value };
}
