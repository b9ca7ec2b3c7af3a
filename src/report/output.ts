import { Chalk, type ChalkInstance } from 'chalk';
import { padded, textWidth } from './text-width.ts';

/** The pattern of C0 and C1 controls, bidirectional overrides, other invisible marks, and lone surrogates. */
const UNPRINTABLE =
  /[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/** Makes a text of foreign origin safe for one line of a terminal: controls and invisible characters become `\u{…}`. */
export function printable(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ').replace(UNPRINTABLE, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`);
}

/** Makes a text safe for a terminal as {@link printable} does, but keeps its line breaks. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/**
 * Formats JSON in which controls and invisible characters are escaped, so that it is safe on a terminal. Its value is
 * the same.
 */
export function terminalSafeJson(value: unknown): string {
  const escaped = (mark: string) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(UNPRINTABLE, escaped);
}

/** Formats 1234567 as 1,234,567, without `Intl.NumberFormat`, because Node.js takes 30 ms to create its first one. */
export function thousands(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Formats a duration for people: 8 s, 3 min 20 s, 2 h 5 min. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function painter(colour: boolean): ChalkInstance {
  return new Chalk({ level: colour ? 1 : 0 });
}

/** Formats pairs as two columns. The first is as wide as its widest entry. */
export function aligned(pairs: readonly (readonly [string, string])[], indent = '  '): string[] {
  const width = Math.max(0, ...pairs.map(([name]) => textWidth(name)));
  return pairs.map(([name, value]) => `${indent}${padded(name, width)}  ${value}`);
}
