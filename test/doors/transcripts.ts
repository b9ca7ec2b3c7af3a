import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { carryOut, STORE } from './transcript.ts';

const FOLDER = join(import.meta.dirname, 'transcripts');
const textOf = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

/** The names of all transcripts, those that need a store in PostgreSQL apart. */
export function transcripts(): { readonly alone: string[]; readonly withStore: string[] } {
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .sort();
  const needsStore = (name: string) => textOf(name).includes(STORE);
  return { alone: names.filter((name) => !needsStore(name)), withStore: names.filter(needsStore) };
}

/** `npm test -- -u` writes what happened into the transcript. `store` is the URL of an empty database. */
export async function expectAsWritten(name: string, store: string | null): Promise<void> {
  await expect(await carryOut(textOf(name), store)).toMatchFileSnapshot(join(FOLDER, name));
}

/** The transcripts of the longest folder have a test file, and so a process, of their own. */
export const isOfBulk = (name: string): boolean => name.startsWith('bulk/');
