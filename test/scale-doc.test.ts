import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startSrq } from './helpers/run-srq.ts';

const page = readFileSync('docs/scale.md', 'utf8');
/** The options of `work`, as `srq help --json` describes them. */
async function workOptions(): Promise<Described['options']> {
  const { commands }: { commands: Described[] } = JSON.parse((await startSrq(['help', '--json']).ended).stdout);
  return commands.find(({ name }) => name === 'work')?.options ?? [];
}

/** The number that stands in the page where the pattern has its group. */
function figure(pattern: RegExp): number {
  const [, digits] = pattern.exec(page) ?? [];
  expect([pattern, digits]).toEqual([pattern, expect.any(String)]);
  return Number(digits?.replaceAll(',', ''));
}

const compose = parse(readFileSync('compose.yaml', 'utf8'));
const deployment = parse(readFileSync('docs/ops/kubernetes.yaml', 'utf8'));
const manifests = [compose, deployment];

/** A command, as `srq help --json` describes it. */
interface Described {
  readonly name: string;
  readonly options: readonly { readonly name: string; readonly type: string; readonly default: unknown }[];
}

describe('docs/scale.md', () => {
  test('leads to a Compose file and a Kubernetes manifest that start a worker with flags that exist', async () => {
    const [container] = deployment.spec.template.spec.containers;
    const started: string[][] = [compose.services.worker.command.split(' '), container.args];
    const options = await workOptions();
    for (const [program, command, ...rest] of started) {
      expect([program, command]).toEqual(['srq', 'work']);
      expect(rest.length % 2).toBe(0);
      for (const [at, word] of rest.entries()) {
        if (at % 2 === 1) expect(word).not.toMatch(/^--/);
        else
          expect(options).toContainEqual(
            expect.objectContaining({ name: word, type: expect.not.stringMatching('flag') }),
          );
      }
    }
    expect(page).toContain('(ops/kubernetes.yaml)');
    // Prometheus asks the port where the worker answers.
    const { annotations } = deployment.spec.template.metadata;
    expect(annotations).toEqual({
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': container.args[container.args.indexOf('--health-port') + 1],
      'prometheus.io/path': '/metrics',
    });
    // The workers have two minutes to hear the last answer.
    expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(130);
    expect(compose.services.worker.stop_grace_period).toBe('150s');
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.path);
    expect(paths).toEqual(['/livez', '/livez', '/healthz']);
  });

  test('shows the Compose file that is in the clone, with two workers', () => {
    expect(page).toContain(`\`\`\`yaml\n${readFileSync('compose.yaml', 'utf8')}\`\`\``);
    expect(compose.services.worker).toMatchObject({
      build: '.',
      read_only: true,
      volumes: ['state:/data'],
      deploy: { replicas: 2 },
    });
  });

  test('calculates with what a worker does by default', async () => {
    const inFlight = (await workOptions()).find(({ name }) => name === '--concurrency')?.default;
    expect(figure(/`--concurrency` rows in hand \((\d+)\)/)).toBe(inFlight);
    const rows = [...page.matchAll(/^\| (\d+) \+ (\d+) (ms|s) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|$/gm)];
    expect(rows).toHaveLength(3);
    for (const [line, validate, create, unit, ...said] of rows) {
      const seconds = (Number(validate) + Number(create)) / (unit === 'ms' ? 1000 : 1);
      const possible = [1, 10, 100].map((workers) => Math.floor((workers * Number(inFlight)) / seconds + 1e-9));
      expect([line, ...said.map((each) => Number(each.replaceAll(',', '')))]).toEqual([line, ...possible]);
    }
  });

  test('says truly how long rows take, and how many of them the queue has time for', () => {
    const daysFor = (millions: number, perSecond: number) => (millions * 1e6) / perSecond / 86_400;
    expect(figure(/at 5 a second take (\d+) days/)).toBe(Math.floor(daysFor(100, 5)));
    expect(figure(/at 100 a second (\d+) days, at 1,000/)).toBe(Math.round(daysFor(100, 100)));
    expect(figure(/at 1,000 a second (\d+) hours/)).toBe(Math.round(24 * daysFor(100, 1000)));
    const livesDays = figure(/A queued row lives (\d+) days/);
    expect(livesDays).toBe(figure(/A row that nobody has sent for (\d+) days/));
    expect(figure(/time for (\d+) million, at 100/)).toBe(Math.round((5 * livesDays * 86_400) / 1e6));
    expect(figure(/million, at 100 for (\d+) million/)).toBe(Math.round((100 * livesDays * 86_400) / 1e6));
    expect(figure(/ten million take (\d+) of their 30 days/)).toBe(Math.round(daysFor(10, 5)));
    // Below what the page says, there is time for all of them.
    expect(daysFor(10, 5)).toBeLessThan(livesDays);
    const gigabytes = figure(/ten million of them ([\d.]+) GB/);
    expect(gigabytes).toBeCloseTo((figure(/a row takes ([\d,]+) bytes with its indexes/) * 1e7) / 1e9, 0);
    expect(figure(/40 workers need (\d+)/)).toBe(40 * 4);
    expect(page).toContain('Connections: four a process that sends');
  });

  test('shows no secret in a manifest', () => {
    const secrets = JSON.stringify(manifests).match(/"(?:PGPASSWORD|SRQ_CLIENT_SECRET)":"[^"$]*"/g);
    expect(secrets).toBeNull();
  });
});
