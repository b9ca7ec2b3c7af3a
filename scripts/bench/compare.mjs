// Runs what is to be compared in turns, so that a busy moment of the machine meets all alike, and prints the fastest of each.
import { isPinned } from './run-measured.mjs';

/**
 * `contenders`: `{ name, rows, run }`, where `run` resolves to what `runMeasured` gives. The first is srq; the last column is
 * its rate as a multiple of each one's. `span`: which of the times that `run` gives counts.
 */
export async function compare(title, contenders, rounds, span = 'seconds') {
  print(`\n${title}${rounds > 1 ? `, fastest of ${rounds} in turns` : ''}${isPinned ? '' : ', cores not pinned'}`);
  print(line(['', 'rows', 'rows/s', 'seconds', 'CPU ms/1,000', 'peak MiB', 'srq is']));
  const runs = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, run } of contenders) runs.get(name).push(await run());
  }
  let ours = null;
  for (const { name, rows } of contenders) {
    const [best] = runs.get(name).sort((a, b) => a[span] - b[span]);
    const rate = rows / best[span];
    ours ??= rate;
    const ratio = ours / rate;
    const times = `${ratio.toFixed(ratio < 10 ? 2 : 0)} x`;
    const cpu = best.cpuMs === null ? '-' : ((best.cpuMs / rows) * 1000).toFixed(1);
    const peak = best.peakMib === null ? '-' : best.peakMib.toFixed(0);
    print(line([name, whole(rows), whole(rate), best[span].toFixed(2), cpu, peak, times]));
  }
}

const WIDTHS = [34, 11, 10, 9, 13, 9, 8];

function line(cells) {
  return cells.map((cell, at) => (at === 0 ? cell.padEnd(WIDTHS[at]) : cell.padStart(WIDTHS[at]))).join(' ');
}

function whole(number) {
  return Math.round(number).toLocaleString('en');
}

export function print(text) {
  process.stdout.write(`${text}\n`);
}
