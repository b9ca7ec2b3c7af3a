// The imports that a partner waits for: 500 rows with default flags against a service whose limit nobody knows, the first time
// and later, as multiples of the shortest time that its answers and its limit allow.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from './service-process.mjs';
import { bulk, everyRowOnce, newFolder } from './srq.mjs';

const ROWS = 500;
/** Each row is validated, then created. */
const CALLS = 2 * ROWS;
const IN_FLIGHT = 16;
/** The first import of a profile, and three later ones. */
const IMPORTS = 4;
const ROUNDS = 3;

const SERVICES = [
  { name: 'answers after 50 ms, no limit', latencyMs: 50 },
  { name: 'answers after 200 ms, no limit', latencyMs: 200 },
  { name: 'after 50 ms, 20 calls a second', latencyMs: 50, limit: 20 },
];

/** Prints the best of three rounds, each with a profile of its own, whose imports are processes of their own. */
export async function measureImports({ folder, leads, print }) {
  const files = partsOf(leads(ROWS * IMPORTS), folder);
  print(`${ROWS} rows, default flags, times of the ideal: first call to last, and the whole command`);
  for (const service of SERVICES) {
    const runs = [];
    for (let round = 0; round < ROUNDS; round++) runs.push(await importsOf(service, newFolder(folder), files));
    const first = best(runs.map(([one]) => one));
    const later = best(runs.flatMap(([, ...others]) => others));
    print(`${service.name.padEnd(36)} first ${told(first)}   later ${told(later)}`);
  }
}

async function importsOf({ latencyMs, limit = 0 }, profile, files) {
  const idealSeconds = limit > 0 ? (CALLS - limit) / limit : (CALLS * latencyMs) / 1000 / IN_FLIGHT;
  const service = await startService(latencyMs, [String(limit)]);
  const imports = [];
  try {
    for (const file of files) {
      const { seconds } = await bulk(profile, service.url, file, ['--yes']);
      const { callsSeconds, refused } = await everyRowOnce(service, ROWS);
      const calls = (callsSeconds + latencyMs / 1000) / idealSeconds;
      imports.push({ calls, command: seconds / idealSeconds, refused: refused / CALLS });
    }
  } finally {
    await service.stop();
  }
  return imports;
}

const best = (imports) => imports.reduce((one, other) => (other.calls < one.calls ? other : one));

function told({ calls, command, refused }) {
  const share = refused > 0 ? `, ${(refused * 100).toFixed(1)} % refused` : '';
  return `${calls.toFixed(2)} x (${command.toFixed(2)} x)${share}`;
}

/** Cuts a file of leads into files of as many rows as an import has. */
function partsOf({ path }, folder) {
  const [header, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  return Array.from({ length: IMPORTS }, (_, at) => {
    const part = join(folder, `import-${at + 1}.csv`);
    writeFileSync(part, `${[header, ...lines.slice(at * ROWS, (at + 1) * ROWS)].join('\n')}\n`);
    return { path: part, rows: ROWS };
  });
}
