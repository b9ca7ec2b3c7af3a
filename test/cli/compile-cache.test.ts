import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { keepCompiledCode } from '../../src/cli/compile-cache.ts';

const OURS = process.getuid?.() ?? 0;

/** The folders in which compiled code is kept, of a machine with this folder for the logs. */
function keptIn(state: string, user = OURS): string[] {
  const folders: string[] = [];
  const surroundings = { env: { SRQ_STATE_DIR: state }, platform: 'linux', getuid: () => user } as const;
  keepCompiledCode(surroundings, (folder) => folders.push(folder));
  return folders;
}

function makeState(mode = 0o700): string {
  const folder = mkdtempSync(join(tmpdir(), 'srq-compiled-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const state = join(folder, 'state');
  mkdirSync(state);
  chmodSync(state, mode);
  return state;
}

describe('compiled code is kept for the next start', () => {
  test('compiled code is kept in a folder that is open to its user alone', () => {
    const state = makeState();
    const folder = join(state, 'compile-cache');
    expect([keptIn(state), keptIn(state)]).toEqual([[folder], [folder]]);
    expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');
  });

  test('compiled code is not kept before srq has a folder for its logs', () => {
    const missing = join(makeState(), 'never-made');
    expect(keptIn(missing)).toEqual([]);
    expect(existsSync(missing)).toBe(false);
  });

  test.each([0o770, 0o777, 0o1777])('compiled code is not kept where others can write the logs (mode %o)', (mode) => {
    const state = makeState(mode);
    expect(keptIn(state)).toEqual([]);
    expect(readdirSync(state)).toEqual([]);
  });

  test('compiled code is not kept where others can write its own folder', () => {
    const state = makeState();
    mkdirSync(join(state, 'compile-cache'));
    chmodSync(join(state, 'compile-cache'), 0o722);
    expect(keptIn(state)).toEqual([]);
  });

  test('compiled code is not kept in a folder that belongs to somebody else', () => {
    expect(keptIn(makeState(), OURS + 1)).toEqual([]);
  });

  test('compiled code is kept in any folder of a system where files have no owners', () => {
    const folders: string[] = [];
    const state = makeState(0o777);
    keepCompiledCode({ env: { SRQ_STATE_DIR: state }, platform: 'win32' }, (folder) => folders.push(folder));
    expect(folders).toEqual([join(state, 'compile-cache')]);
  });

  test('code is compiled anew where it cannot be kept, and that is no error', () => {
    const surroundings = { env: { SRQ_STATE_DIR: makeState() }, platform: 'linux', getuid: () => OURS } as const;
    const failing = () => {
      throw new Error('not now');
    };
    expect(() => keepCompiledCode(surroundings, failing)).not.toThrow();
  });

  test('compiled code is not kept in a folder elsewhere that a link leads to', () => {
    const [state, elsewhere] = [makeState(), makeState()];
    symlinkSync(elsewhere, join(state, 'compile-cache'));
    expect(keptIn(state)).toEqual([]);
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
