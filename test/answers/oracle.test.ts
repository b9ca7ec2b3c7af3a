import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Oracle, type RowFound } from './oracle.ts';
import { Random } from './random.ts';
import { NAMING, type RandomService, randomService, SILENT } from './random-services.ts';

const ROWS = 40;
/** `npm run soak` takes more of them. */
const SERVICES = Number(process.env['ORACLE_SERVICES'] ?? 240);
const FIRST_SEED = Number(process.env['ORACLE_SEED'] ?? 1);

let oracle: Oracle;
beforeAll(async () => {
  oracle = await new Oracle().open();
});
afterAll(() => oracle.close());

/** What srq said that is not so. */
function liesIn(rows: readonly RowFound[]): string[] {
  return rows.flatMap(({ need, told, taken }) => {
    if (told === 'created' && taken === 0) return [`${need}: told as created, and not taken`];
    if (/^(?:rejected|failed|invalid)$/.test(told) && taken > 0) return [`${need}: told as ${told}, and taken`];
    return taken > 1 ? [`${need}: taken ${taken} times`] : [];
  });
}

interface Found {
  readonly lies: readonly string[];
  readonly told: readonly string[];
}

/** Two imports of the same rows by two processes: what the first did not send, or was not told about, is up to the second. */
async function importTwice(seed: number): Promise<Found> {
  const random = new Random(seed);
  const service = randomService(random);
  const world = oracle.world(service);
  const validate = random.chance(0.8);
  const needs = Array.from({ length: ROWS }, (_, at) => `Need ${seed} ${at}`);
  const name = `seed ${seed} (${service.naming ?? service.silent}, validate ${validate ? service.validate : 'not asked'})`;
  const lies: string[] = [];
  const told: string[] = [];
  for (const run of [1, 2]) {
    const { rows } = await world.import(needs, { validate });
    lies.push(...liesIn(rows).map((lie) => `${name}, run ${run}: ${lie}`));
    told.push(...rows.map((row) => row.told));
  }
  world.close();
  return { lies, told };
}

test('whatever a service means, and however it says so: what is told as created was taken, what is told as refused was not', {
  timeout: 900_000,
}, async () => {
  const seeds = Array.from({ length: SERVICES }, (_, at) => FIRST_SEED + at);
  const found: Found[] = [];
  const worker = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) found.push(await importTwice(seed));
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  const counts: Record<string, number> = {};
  for (const told of found.flatMap((each) => each.told)) counts[told] = (counts[told] ?? 0) + 1;
  process.stdout.write(`${SERVICES * ROWS} rows, imported twice: ${JSON.stringify(counts)}\n`);
  expect(found.flatMap((each) => each.lies)).toEqual([]);
  // There was something to be wrong about.
  expect(counts['created']).toBeGreaterThan(SERVICES * 8);
  expect(counts['unknown']).toBeGreaterThan(SERVICES);
});

describe('an ordinary service, whose every answer has one form,', () => {
  const ordinary = (naming: string | null, silent: string): RandomService => ({
    naming,
    silent,
    validate: 'honest',
    decide: (_, id) => ({
      deed: 'takes',
      answer: (naming === null ? SILENT[silent] : NAMING[naming]?.(id)) ?? expect.fail('no such form'),
    }),
  });
  const services = [
    ...Object.keys(NAMING).map((name) => [name, ordinary(name, '')] as const),
    ...Object.keys(SILENT).map((name) => [name, ordinary(null, name)] as const),
  ];

  test.each(services)('leaves no row unknown: %s', async (_, service) => {
    const world = oracle.world(service);
    const first = await world.import(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], { validate: true });
    expect(first.rows.map(({ told }) => told)).toEqual(Array(8).fill('created'));
    // What was found out holds for the next process, which may then do without validate.
    const second = await world.import(['i', 'j', 'k'], { validate: false });
    expect(second.rows.map(({ told }) => told)).toEqual(Array(3).fill('created'));
    expect([first.stop, second.stop]).toEqual([null, null]);
    world.close();
  });
});
