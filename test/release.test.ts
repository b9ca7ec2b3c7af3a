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
  const entry = { version: '2.0.0', integrity: `sha512-${Buffer.alloc(64, 1).toString('base64')}`, license: 'MIT' };
  const lock = (packages: Record<string, object>) => ({
    name: 'srq',
    version: '1.0.0',
    packages: { '': { license: 'MIT' }, ...packages },
  });

  test('The SBOM tells what is bundled or installed with srq from what is optional and from tools', () => {
    const packages = {
      'node_modules/@scope/bundled': { ...entry, dev: true },
      'node_modules/beside': entry,
      'node_modules/chain': { ...entry, optional: true },
      'node_modules/tool': { ...entry, dev: true },
      'node_modules/tool/node_modules/@scope/bundled': { ...entry, dev: true },
    };
    const { components } = sbomOf(lock(packages), ['@scope/bundled 2.0.0'], 'f'.repeat(64));
    expect(components.map(({ purl, scope }) => [purl, scope])).toEqual([
      ['pkg:npm/%40scope/bundled@2.0.0', 'required'],
      ['pkg:npm/beside@2.0.0', 'required'],
      ['pkg:npm/chain@2.0.0', 'optional'],
      ['pkg:npm/tool@2.0.0', 'excluded'],
    ]);
    expect(components[0]).toMatchObject({
      group: '@scope',
      name: 'bundled',
      hashes: [{ alg: 'SHA-512', content: '01'.repeat(64) }],
    });
  });

  test('The SBOM is not made where the bundle holds what the lock does not know', () => {
    expect(() => sbomOf(lock({}), ['stranger 1.0.0'], '')).toThrow(
      'Bundled, but not in package-lock.json: stranger 1.0.0',
    );
  });
});
