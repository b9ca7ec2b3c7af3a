import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * The client secret of all end-to-end tests. Because of its special characters, its raw, URL-encoded and base64
 * spellings differ, so that each of them can be searched for.
 */
export const CANARY = 'c4nary secret/+=&%é~birdsong';

/**
 * Returns the base64 digits of a text that do not depend on its neighbours. Base64 depends on the number of preceding
 * bytes, so there are three results.
 */
function base64Cores(text: string): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(text)])
      .toString('base64')
      .replace(/=+$/, '');
    return encoded.slice(before === 0 ? 0 : before + 1, -1);
  });
}

/**
 * Returns the spellings in which a text may occur: raw, in a URL, in a form, in JSON, and in base64 and base64url at
 * any position.
 */
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

// Half of the secret must not occur either.
const SPELLINGS: readonly string[] = [...spellingsOf(CANARY), 'birdsong'];

/** Returns the spellings of the secret that a text contains. */
export function secretsIn(text: string): string[] {
  return SPELLINGS.filter((spelling) => text.includes(spelling));
}

/** Returns the files below a folder that contain the secret, with their modes: `config/config.json 600`. */
export function filesWithSecret(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .filter((path) => secretsIn(readFileSync(path, 'utf8')).length > 0)
    .map((path) => `${relative(folder, path)} ${(statSync(path).mode & 0o777).toString(8)}`);
}

/** Returns the files below a folder that contain a text. */
export function filesWithText(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = join(folder, name);
    return statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path, 'utf8').includes(text);
  });
}
