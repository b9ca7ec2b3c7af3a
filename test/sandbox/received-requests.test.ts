import { expect, test } from 'vitest';
import { TextArena } from '../../src/sandbox/records/received-requests.ts';

const MEGABYTE = 1024 * 1024;

test('texts come back whole, empty, foreign and long ones too', () => {
  const arena = new TextArena();
  const texts = ['', 'Inês 🔧', 'x'.repeat(3 * MEGABYTE), 'after it', '\ud800'];
  const places = texts.map((text) => arena.add(text));
  expect(places.map((place) => arena.read(place))).toEqual([...texts.slice(0, -1), '\ufffd']);
});

test('with a bound, the oldest make room, and places stay what they were', () => {
  const arena = new TextArena(4 * MEGABYTE);
  const places = Array.from({ length: 20 }, (_, at) => arena.add(`${at}:`.padEnd(MEGABYTE / 2 - 4, '.')));
  const kept = places.map((place) => arena.read(place).split(':')[0]);
  expect(kept).toEqual([...Array(12).fill(''), ...['12', '13', '14', '15', '16', '17', '18', '19']]);
});

test('after clearing, old places are empty and new ones are not mistaken for them', () => {
  const arena = new TextArena();
  const old = arena.add('old');
  arena.clear();
  const fresh = arena.add('new');
  expect([arena.read(old), arena.read(fresh)]).toEqual(['', 'new']);
});
