import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  ANY_OWNER,
  directories,
  mappingStore,
  normalBaseUrl,
  profileNamed,
  profileStore,
  settingsFiles,
  stateFiles,
} from './kept.ts';
import { holds as holdsAt, ticked, visible } from './table.ts';

const holds = (name: string, ...rest: [number, Parameters<typeof holdsAt>[2]]) =>
  holdsAt(join(import.meta.dirname, 'kept', name), ...rest);

const told = (action: () => string) => {
  try {
    return [action()];
  } catch (error) {
    const { reason, message } = error as { reason: string; message: string };
    return [visible(`✗ ${reason}: ${message}`)];
  }
};
function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'srq-kept-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
const pairsIn = (cell: string) =>
  Object.fromEntries([...cell.matchAll(/([^=·]+)=(.*?)(?= · |$)/g)].map(([, name = '', to = '']) => [name.trim(), to]));

holds('addresses.md', 1, ([text = '']) => told(() => normalBaseUrl(ticked(text))));

holds('profiles.md', 1, ([text = '']) => told(() => profileNamed(ticked(text))));

holds('folders.md', 2, ([system = '', env = '']) => {
  const { config, state } = directories(pairsIn(env), system, () => '/home/ana');
  return [config, state];
});

holds('settings.md', 1, ([text = '']) => {
  const home = folder();
  writeFileSync(join(home, 'config.json'), ticked(text), { mode: 0o600 });
  return told(() => Object.keys(profileStore(home, process.getuid?.() ?? 0).all()).join()).map((each) =>
    each.replaceAll(home, '/home/ana'),
  );
});

holds('mappings.md', 3, ([header = '', kept = '', later = '']) => {
  const columns = (cell: string) => cell.split(' · ').map(ticked);
  const store = mappingStore(join(folder(), 'mappings.json'), ANY_OWNER);
  const { unused = '', ...pairs } = pairsIn(kept);
  const isTemplate = ([, text]: [string, string]) => text.startsWith('set ');
  const entries = Object.entries(pairs);
  const set = Object.fromEntries(entries.filter(isTemplate).map(([name, text]) => [name, text.slice(4)]));
  const map = Object.fromEntries(entries.filter((each) => !isTemplate(each)));
  store.keep(columns(header), { map, set, unused: unused === '' ? [] : unused.split(', ') }, '2026-11-20');
  const found = store.find(columns(later));
  if (found === null) return ['-', '-'];
  const all = [...Object.entries(found.map), ...Object.entries(found.set).map(([name, text]) => [name, `set ${text}`])];
  const { added = [], gone = [] } = found.changes ?? {};
  const changes = [...added.map((name) => `+${name}`), ...gone.map((name) => `-${name}`)].join(' ');
  const unusedNow = found.unused.length === 0 ? [] : [['unused', found.unused.join(', ')]];
  return [[...all, ...unusedNow].map((pair) => pair.join('=')).join(' · ') || '-', changes || 'as it was'];
});

test('each profile has files of its own, the settings beside config.json and the rest in the state', () => {
  expect({ ...stateFiles('/s', 'shop'), ...settingsFiles('/c/config.json', 'shop') }).toEqual({
    ...{ token: '/s/shop.token.json', learned: '/s/shop.learned.json' },
    ...{ mappings: '/c/mappings/shop.json', contract: '/c/contracts/shop.json' },
  });
});
