import { spawnSync } from 'node:child_process';

/** Only calls that are traced stop the program; stopped at each of its calls, it takes several times as long. */
const FLAGS = ['-f', '--seccomp-bpf'];

/** The command that watches the system calls of the command it is followed by. Name the calls: `-e trace=write`. */
export const STRACE: readonly string[] = ['strace', ...FLAGS];

/** The same where a call is to bring a signal: that needs a stop at each of them. */
export const STRACE_WITH_SIGNALS: readonly string[] = ['strace', '-f'];

/** Whether system calls can be watched and made to fail here. */
export const hasStrace = spawnSync('strace', [...FLAGS, '-o', '/dev/null', 'true']).status === 0;
