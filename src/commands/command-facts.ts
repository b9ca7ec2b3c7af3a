import type { ErrorCode } from '../request/errors.ts';

/** What a command does to the world outside, and how it can fail, apart from what is true of all commands. */
interface CommandFacts {
  /** `creates`: requests may be created. `asks`: the service is asked, and nothing is created. */
  readonly sends: 'creates' | 'asks' | 'nothing';
  readonly fails: readonly ErrorCode[];
}

/** How every command can fail. */
export const ALWAYS: readonly ErrorCode[] = ['fault', 'usage', 'settings', 'interrupted', 'terminated'];

const SERVICE: readonly ErrorCode[] = ['auth', 'unreachable', 'service'];
const local = (...fails: readonly ErrorCode[]): CommandFacts => ({ sends: 'nothing', fails });
const asking = (...fails: readonly ErrorCode[]): CommandFacts => ({ sends: 'asks', fails: [...SERVICE, ...fails] });
const creating = (...fails: readonly ErrorCode[]): CommandFacts => ({
  sends: 'creates',
  fails: [...SERVICE, 'log', 'unknown', ...fails],
});

/** The facts about each command that a program needs before it calls it. A test compares the names with the commands. */
export const COMMAND_FACTS: Readonly<Record<string, CommandFacts>> = {
  login: asking(),
  logout: local(),
  status: local('auth'),
  'profile list': local(),
  'profile use': local(),
  'profile remove': local(),
  doctor: creating('rejected'),
  validate: asking('input', 'rejected', 'unknown', 'duplicate'),
  create: creating('input', 'rejected', 'duplicate'),
  bulk: creating('input', 'rejected', 'stopped'),
  log: local('log'),
  report: local('log', 'input', 'auth'),
  export: local('log', 'input', 'auth'),
  resolve: asking('log', 'input', 'unknown'),
  'store migrate': local('log'),
  'store resume': local('log'),
  'store import': local('log', 'platform.no-lock'),
  'store export': local('log'),
  'store prune': local('log'),
  enqueue: local('input', 'log', 'rejected', 'auth'),
  work: creating('rejected', 'stopped'),
  queue: local('log', 'auth'),
  'queue purge': local('log', 'auth'),
  'contract learn': local('input'),
  'contract show': local(),
  'contract forget': local(),
  'mapping list': local(),
  'mapping show': local(),
  'mapping forget': local(),
  sandbox: local('input'),
  template: local(),
  markets: local(),
  completion: local(),
  schema: local(),
  version: local(),
  help: local(),
};
