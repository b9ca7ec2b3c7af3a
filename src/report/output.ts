import { Chalk, type ChalkInstance } from 'chalk';
import { padded, textWidth } from './text-width.ts';

/** C0 and C1 controls, bidirectional overrides and other invisible marks, and lone surrogates. */
const UNPRINTABLE =
  /[\0-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

/** Strangers' text on one line and without power over the terminal: what cannot be seen is shown as `\u{…}`. */
export function printable(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ').replace(UNPRINTABLE, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`);
}

/** The same for a text whose lines are ours. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** JSON in which strangers' text has no power over a terminal either; it says the same. */
export function harmlessJson(value: unknown): string {
  const escaped = (mark: string) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(UNPRINTABLE, escaped);
}

/** 1234567 as 1,234,567. Written out: Node.js takes 30 ms to make its first formatter of numbers. */
export function thousands(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A duration for people: 8 s, 3 min 20 s, 2 h 5 min. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function painter(colour: boolean): ChalkInstance {
  return new Chalk({ level: colour ? 1 : 0 });
}

/** Two columns, the first as wide as its widest entry. */
export function aligned(pairs: readonly (readonly [string, string])[], indent = '  '): string[] {
  const width = Math.max(0, ...pairs.map(([name]) => textWidth(name)));
  return pairs.map(([name, value]) => `${indent}${padded(name, width)}  ${value}`);
}
