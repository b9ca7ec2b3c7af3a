import { spawnSync } from 'node:child_process';

/**
 * With seccomp, only traced calls stop the program. If every call stopped it, the program would take several times as
 * long.
 */
const FLAGS = ['-f', '--seccomp-bpf'];

/** The command that traces the system calls of the command after it. The caller names the calls: `-e trace=write`. */
export const STRACE: readonly string[] = ['strace', ...FLAGS];

/** The same command for injecting signals, which requires a stop at every call. */
export const STRACE_WITH_SIGNALS: readonly string[] = ['strace', '-f'];

/** Whether system calls can be traced and made to fail on this machine. */
export const hasStrace = spawnSync('strace', [...FLAGS, '-o', '/dev/null', 'true']).status === 0;
