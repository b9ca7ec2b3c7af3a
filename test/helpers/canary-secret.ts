import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * The client secret of all end-to-end tests. Its marks make its raw, URL-encoded and base64 spellings differ, so that each of
 * them can be looked for.
 */
export const CANARY = 'c4nary secret/+=&%é~birdsong';

/** Base64 of a text differs with what stands before it: three alignments, without the digits that a neighbour shares. */
function base64Cores(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
      .toString('base64')
      .replace(/=+$/, '');
    return encoded.slice(before === 0 ? 0 : before + 1, -1);
  });
}

/** A text as it may turn up: raw, in a URL, in a form, in JSON, in base64 and base64url at any place. */
export function spellingsOf(text: string): string[] {
  const cores = base64Cores(text);
  return [
    text,
    encodeURIComponent(text),
    new URLSearchParams({ s: text }).toString().slice(2),
    JSON.stringify(text).slice(1, -1),
    ...cores,
    ...cores.map((core) => core.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

// Half of it is too much as well.
const SPELLINGS: readonly string[] = [...spellingsOf(CANARY), 'birdsong'];

/** The spellings of the secret that a text holds. */
export function secretsIn(text: string): string[] {
  return SPELLINGS.filter((spelling) => text.includes(spelling));
}

/** The files under a folder that hold the secret, with their modes: `config/config.json 600`. */
export function filesWithSecret(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .filter((path) => secretsIn(readFileSync(path, 'utf8')).length > 0)
    .map((path) => `${relative(folder, path)} ${(statSync(path).mode & 0o777).toString(8)}`);
}

/** The files under a folder that hold a text. */
export function filesWithText(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path, 'utf8').includes(text);
  });
}
