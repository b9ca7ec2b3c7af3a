import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startSrq } from './helpers/run-srq.ts';

const page = readFileSync('docs/scale.md', 'utf8');
const manifests = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text));

describe('docs/scale.md', () => {
  test('has a Compose file and a Kubernetes manifest that start a worker with flags that exist', async () => {
    const [compose, deployment] = manifests;
    const [container] = deployment.spec.template.spec.containers;
    const commands: string[][] = [compose.services.worker.command.split(' '), container.args];
    const { stdout } = await startSrq(['help', 'work', '--all']).ended;
    for (const [program, command, ...rest] of commands) {
      expect([program, command]).toEqual(['srq', 'work']);
      for (const flag of rest.filter((word) => word.startsWith('--'))) expect(stdout).toContain(`${flag} <`);
    }
    // The workers have two minutes to hear the last answer.
    expect(deployment.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(130);
    expect(compose.services.worker.stop_grace_period).toBe('150s');
    const paths = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.path);
    expect(paths).toEqual(['/livez', '/livez', '/healthz']);
  });

  test('shows the Compose file that is in the clone, with two workers', () => {
    expect(page).toContain(`\`\`\`yaml\n${readFileSync('compose.yaml', 'utf8')}\`\`\``);
    const [{ services }] = manifests;
    expect(services.worker).toMatchObject({
      build: '.',
      read_only: true,
      volumes: ['state:/data'],
      deploy: { replicas: 2 },
    });
  });

  test('shows no secret in a manifest', () => {
    const secrets = JSON.stringify(manifests).match(/"(?:PGPASSWORD|SRQ_CLIENT_SECRET)":"[^"$]*"/g);
    expect(secrets).toBeNull();
  });
});
