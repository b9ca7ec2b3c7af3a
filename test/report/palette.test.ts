import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { STATUSES } from '../doors/log.ts';

const BASE = readFileSync('src/report/base.css', 'utf8');
/** The colours that tell something, besides those of the statuses. */
const TELLING = [...STATUSES, 'slowed', 'median', 'alarm'];

/** The colours of a scheme by their names. */
function palette(scheme: 'light' | 'dark'): Readonly<Record<string, string>> {
  const both = BASE.matchAll(/--([\w-]+): light-dark\((#[\da-f]{6}), (#[\da-f]{6})\);/g);
  return Object.fromEntries([...both].map(([, name, light, dark]) => [name, scheme === 'light' ? light : dark]));
}

/** Red, green and blue as the eye adds them up, from 0 to 1. */
function linear(colour: string): [number, number, number] {
  const part = (at: number) => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return [part(1), part(3), part(5)];
}

/** How far two colours look apart, by OKLab: 0 for the same, 1 for black and white. */
function distance(first: string, other: string): number {
  const lab = (colour: string) => {
    const [r, g, b] = linear(colour);
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [
      0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
      1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
      0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ] as const;
  };
  const [[l, a, b], [l2, a2, b2]] = [lab(first), lab(other)];
  return Math.hypot(l - l2, a - a2, b - b2);
}

/** The contrast by WCAG 2.2. */
function contrast(first: string, other: string): number {
  const brightness = ([r, g, b]: [number, number, number]) => 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  const [a, b] = [brightness(linear(first)), brightness(linear(other))];
  return Math.max(a, b) / Math.min(a, b);
}

test.each(['light', 'dark'] as const)(
  'each %s colour means one thing: no two look alike, and all stand out',
  (scheme) => {
    const colours = palette(scheme);
    const value = (name: string) => colours[name] ?? '';
    expect(TELLING.filter((name) => value(name) === '')).toEqual([]);
    const alike = TELLING.flatMap((name, at) =>
      TELLING.slice(at + 1)
        .filter((other) => distance(value(name), value(other)) < 0.08)
        .map((other) => `${name} and ${other}`),
    );
    expect(alike).toEqual([]);
    expect(TELLING.filter((name) => contrast(value(name), value('card')) < 3)).toEqual([]);
  },
);

test('both pages take their colours from one palette: no other style names a colour', () => {
  const styles = ['src/report', 'src/sandbox'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:css|html|js)$/.test(name))
      .map((name) => join(folder, name)),
  );
  const own = styles.filter((file) => file !== 'src/report/base.css');
  expect(own.length).toBeGreaterThan(3);
  const colour =
    /#[\da-f]{3,8}\b(?=[;\s)])|\b(?:rgb|hsl|oklch|oklab)a?\(|:\s*(?:white|black|red|green|blue|orange|gr[ae]y)\b/i;
  expect(own.filter((file) => colour.test(readFileSync(file, 'utf8')))).toEqual([]);
  for (const page of ['src/report/page/page-style.css', 'src/sandbox/inbox/inbox.css']) {
    expect(readFileSync(page, 'utf8')).toMatch(/^@import "[./\w]*base\.css";/);
  }
});
