/** CPU time of this process alone, so that a busy machine fails no test; of the fastest of five tries if the first was slow. */
export function cpuMs(work: () => void, enoughMs = 0): number {
  let leastMs = Infinity;
  // The collector and the compiler may come in between once; what was made to take long takes long each time.
  for (let tried = 0; tried < 5 && leastMs > enoughMs; tried++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    leastMs = Math.min(leastMs, (user + system) / 1000);
  }
  return leastMs;
}
