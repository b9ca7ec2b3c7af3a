// The health check of the container image: exits 0 while the worker answers that it is not stuck. The address is in the arguments of
// the container's first process; a container that runs no worker with --health-port is well as long as it runs.
import { readFileSync } from 'node:fs';

const ANSWER_TIMEOUT_MS = 3_000;

const [, port] = /--health-port[=\0](\d+)/.exec(readFileSync('/proc/1/cmdline', 'utf8')) ?? [];
if (port !== undefined) {
  const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
  const isWell = await fetch(`http://127.0.0.1:${port}/livez`, { signal }).then(
    ({ ok }) => ok,
    () => false,
  );
  process.exitCode = isWell ? 0 : 1;
}
