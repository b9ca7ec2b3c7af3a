import { expect, test } from 'vitest';
import { deliver, Profile, type RowDelivered } from '../deliver.ts';
import type { Lead } from '../judged-service.ts';
import { Counts } from './counts.ts';
import { Random } from './random.ts';
import { type DrawnService, drawService } from './services.ts';

/** Rows that are judged. A million: ORACLE_ROWS=1000000 npx vitest run test/doors/answer/oracle.test.ts. Others: ORACLE_SEED. */
const ROWS = Number(process.env['ORACLE_ROWS'] ?? 5_000);
const FIRST_SEED = Number(process.env['ORACLE_SEED'] ?? 1);
const LEADS = 40;
/** The first process does not get them. */
const LATER = 10;
const JUDGED = 2 * LEADS - LATER;

/** What was said of a row that is not so. */
function lieIn({ told, taken, knew }: RowDelivered, mostTaken: number): string | null {
  if (/^(?:created|repeated)$/.test(told) && taken === 0) return `told ${told}, not taken`;
  if (told === 'duplicate' && !knew) return 'told duplicate, not known';
  if (/^(?:rejected|failed|invalid|untried)$/.test(told) && taken > 0) return `told ${told}, taken`;
  return taken > mostTaken ? `taken ${taken} times` : null;
}

const found = {
  told: new Counts(),
  honest: new Counts(),
  stops: new Counts(),
  lies: new Counts(),
  kinds: new Counts(),
  excused: new Counts(),
};

function judge(service: DrawnService, rows: readonly RowDelivered[], seed: number): void {
  for (const row of rows) {
    found.told.add(row.told, seed);
    if (service.isHonest) found.honest.add(row.told, seed);
    const lie = lieIn(row, service.mostTaken);
    if (lie === null) continue;
    if (service.lie?.excuses.test(lie)) found.excused.add(`${lie}: ${service.lie.name}`, seed);
    else {
      found.lies.add(`${lie}: ${service.name}`, seed);
      found.kinds.add(lie, seed);
    }
  }
}

/** Two imports by two processes: of most of the rows, then of all of them. */
async function importTwice(seed: number): Promise<void> {
  const random = new Random(seed);
  const validate = random.chance(0.85);
  const customers = random.chance(0.3) ? LEADS / 4 : 1_000_000;
  const leads = Array.from({ length: LEADS }, (_, at): Lead => {
    const customer = String(10_000_000 + ((seed * 97 + at) % customers));
    return { text: `Need ${at} of file ${seed}`, phone: `+3519${customer}`, email: `c${customer}@example.pt` };
  });
  const service = drawService(random, { asks: validate, leads });
  const options = { validate, concurrency: random.pick([1, 2, 4, 8, 16]) };
  const profile = new Profile();
  for (const rows of [leads.slice(0, -LATER), leads]) {
    const delivered = await deliver({ rows, service, profile, options });
    judge(service, delivered.rows, seed);
    found.stops.add(delivered.stop ?? 'none', seed);
  }
}

test('whatever a service means, and however it says so: what srq reports of a row is what became of it', {
  timeout: 3_600_000,
}, async () => {
  const services = Math.ceil(ROWS / JUDGED);
  for (let seed = FIRST_SEED; seed < FIRST_SEED + services; seed++) await importTwice(seed);
  const unknown = (counts: Counts) => ((100 * counts.of('unknown')) / counts.total).toFixed(2);
  const say = (title: string, counts: Counts) => `${title}: ${counts.lines(false).join(', ') || 'none'}`;
  const said = [
    `${services} services, ${found.told.total} rows told`,
    say(`told (${unknown(found.told)} % unknown)`, found.told),
    say(`of these at honest services (${unknown(found.honest)} % unknown)`, found.honest),
    `ended by: ${found.stops.lines(true).join(', ')}`,
    say('said of rows of services that break what is assumed of all', found.excused),
    say(`not so: ${found.kinds.total} rows`, found.kinds),
  ];
  process.stdout.write(`${said.join('\n  ')}\n`);
  expect(found.lies.lines(true)).toEqual([]);
  // There was something to be wrong about, whatever services the seed draws.
  expect(found.told.of('created')).toBeGreaterThan(ROWS / 8);
  expect(found.honest.total).toBeGreaterThan(ROWS / 8);
});
