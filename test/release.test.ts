import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sbomOf } from '../scripts/sbom.mjs';

test('the oldest Node.js that the program takes is that of package.json', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
  const [, oldest] = /OLDEST_NODE = '([\d.]+)'/.exec(readFileSync('src/main.ts', 'utf8')) ?? [];
  expect(engines.node).toBe(`>=${oldest}`);
});

describe('package-lock.json', () => {
  const text = readFileSync('package-lock.json', 'utf8');
  const packages: Record<string, Record<string, unknown>> = JSON.parse(text).packages;
  const others = Object.entries(packages).filter(([path]) => path !== '');

  test('package-lock.json has a SHA-512 of every package, those of other platforms included', () => {
    expect(others.length).toBeGreaterThan(200);
    const unchecked = others.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(String(integrity)));
    expect(unchecked.map(([path]) => path)).toEqual([]);
  });

  test('package-lock.json names no registry, and ships no package that runs a script at its installation', () => {
    expect(text).not.toMatch(/"resolved"|https?:\/\//);
    expect(others.filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev)).toEqual([]);
  });
});

describe('A release', () => {
  const git = (cwd: string, ...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], { cwd });
  const release = (changelog: string, lockVersion = '1.2.3', tag = 'v1.2.2') => {
    const folder = mkdtempSync(join(tmpdir(), 'srq-release-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const files = {
      'package.json': JSON.stringify({ name: 'srq', version: '1.2.3' }),
      'package-lock.json': JSON.stringify({ version: lockVersion, packages: {} }),
      'CHANGELOG.md': changelog,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    for (const args of [
      ['init', '-q'],
      ['add', '.'],
      ['commit', '-qm', 'x'],
      ['tag', tag],
    ])
      git(folder, ...args);
    return spawnSync(process.execPath, [resolve('scripts/release.mjs')], { cwd: folder, encoding: 'utf8' });
  };

  test.for([
    ['no section "## 1.2.3 (YYYY-MM-DD)"', '## 1.2.2 (2026-01-01)\n- old\n', '1.2.3', 'v1.2.2'],
    ['calls 1.2.3 unreleased', '## 1.2.3 (unreleased)\n- new\n', '1.2.3', 'v1.2.2'],
    ['has the version 1.2.2', '## 1.2.3 (2026-02-01)\n- new\n', '1.2.2', 'v1.2.2'],
    ['a tag v1.2.3 already', '## 1.2.3 (2026-02-01)\n- new\n', '1.2.3', 'v1.2.3'],
  ])('A release is not made where it is not ready: %s', ([reason = '', changelog = '', lockVersion, tag]) => {
    const { status, stdout, stderr } = release(changelog, lockVersion, tag);
    expect({ status, stdout, lines: stderr.trim().split('\n').length }).toEqual({ status: 1, stdout: '', lines: 2 });
    expect(stderr).toContain(reason);
  });
});

describe('The SBOM', () => {
  const tool = [{ name: 'cdx:npm:package:development', value: 'true' }];
  const component = (name: string, scope: string, properties: readonly object[] = []) => ({
    ...{ name, version: '2.0.0', scope, properties },
    purl: `pkg:npm/${name}@2.0.0`,
  });
  const ofNpm = (...components: object[]) => ({
    ...{ serialNumber: 'urn:uuid:1', metadata: { component: { name: 'folder' } } },
    components,
  });
  const release = { name: 'srq', tarballSha256: 'f'.repeat(64) };

  test('The SBOM tells what is bundled or installed with srq from what is optional and from tools', () => {
    const listed = ofNpm(
      component('bundled', 'required', tool),
      component('beside', 'required'),
      component('chain', 'optional'),
      component('tool', 'optional', tool),
    );
    const { components, metadata } = sbomOf(listed, { ...release, bundled: ['bundled 2.0.0'] });
    expect(components.map(({ name, scope }: { name: string; scope: string }) => [name, scope])).toEqual([
      ['bundled', 'required'],
      ['beside', 'required'],
      ['chain', 'optional'],
      ['tool', 'excluded'],
    ]);
    expect(metadata.component).toMatchObject({ name: 'srq', hashes: [{ alg: 'SHA-256', content: 'f'.repeat(64) }] });
  });

  test('The SBOM is not made where the bundle holds what the lock does not know', () => {
    expect(() => sbomOf(ofNpm(), { ...release, bundled: ['stranger 1.0.0'] })).toThrow(
      'Bundled, but not in package-lock.json: stranger 1.0.0',
    );
  });
});
