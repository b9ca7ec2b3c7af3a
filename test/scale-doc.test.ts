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

const compose = parse(readFileSync('compose.yaml', 'utf8'));
const deployment = parse(readFileSync('docs/ops/kubernetes.yaml', 'utf8'));
const manifests = [compose, deployment];

/** A command, as `srq help --json` describes it. */
interface Described {
  readonly name: string;
  readonly options: readonly { readonly name: string; readonly type: string; readonly default: unknown }[];
}

describe('docs/scale.md', () => {
  test('docs/scale.md leads to a Compose file and a Kubernetes manifest with flags that exist', async () => {
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
    expect(page).toContain('`compose.yaml`');
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

  test('docs/scale.md shows no secret in a manifest', () => {
    const secrets = JSON.stringify(manifests).match(/"(?:PGPASSWORD|SRQ_CLIENT_SECRET)":"[^"$]*"/g);
    expect(secrets).toBeNull();
  });
});
