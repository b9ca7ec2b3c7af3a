import type { Json, ServerSuggestion } from '../model/contract.ts';
import { nameWords } from '../model/name-words.ts';
import { isObject, listOf, objectOf, scalarOf, textOf } from './json-parts.ts';

const TEST_WORDS =
  /^(?:sandbox|test|testing|tests|staging|stage|uat|demo|trial|try|trying|dev|development|qa|preprod|preproduction|mock|playground|integration)$/;
const LIVE_WORDS = /^(?:live|prod|production)$/;
const MAX_SERVERS = 20;
const MAX_VARIANTS = 10;

/** The addresses that a document names, each variant of a variable one of its own. Nothing but suggestions. */
export function serverSuggestions(servers: Json | undefined): ServerSuggestion[] {
  const names = new Set<string>();
  return listOf(servers)
    .slice(0, MAX_SERVERS)
    .flatMap((server) => {
      const description = textOf(objectOf(server)['description']).slice(0, 300);
      return variantsOf(server).flatMap(({ url, words }): ServerSuggestion[] => {
        if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) return [];
        const { hostname } = new URL(url);
        const { isTest, word } = kindOf(description, [...words, ...hostname.split('.')]);
        const name = free(word ?? nameWords(hostname).find((each) => !/^(?:www|api)$/.test(each)) ?? 'service', names);
        return [{ name, url: url.replace(/\/+$/, ''), description, test: isTest }];
      });
    });
}

/** The path that all servers share, without a slash at its end; `''` if they differ or have none. */
export function sharedPath(servers: Json | undefined): string {
  const paths = listOf(servers)
    .flatMap(variantsOf)
    .map(({ url }) => pathOf(url));
  const [first = ''] = paths;
  return paths.every((each) => each === first) ? first : '';
}

export function pathOf(url: string): string {
  const base = 'http://relative.invalid';
  if (!URL.canParse(url, base)) return '';
  return new URL(url, base).pathname.replace(/\/+$/, '');
}

/** A server with each value of its first variable that has several, the default first. */
function variantsOf(server: Json): { url: string; words: readonly string[] }[] {
  const { url, variables } = objectOf(server);
  const members = Object.entries(objectOf(variables)).filter(([, each]) => isObject(each));
  const defaults = new Map(members.map(([name, each]) => [name, scalarOf(objectOf(each)['default']) ?? '']));
  const several = members.find(([, each]) => listOf(objectOf(each)['enum']).length > 1);
  const [name = '', variable] = several ?? [];
  const values = listOf(objectOf(variable)['enum']).flatMap((each) => scalarOf(each) ?? []);
  const ordered = several === undefined ? [''] : [...new Set([defaults.get(name) ?? '', ...values])];
  return ordered.slice(0, MAX_VARIANTS).map((value) => {
    const chosen = new Map([...defaults, ...(several === undefined ? [] : [[name, value] as const])]);
    const filled = textOf(url).replace(/\{([^{}]{1,100})\}/g, (whole, each: string) => chosen.get(each) ?? whole);
    return { url: filled, words: nameWords(value) };
  });
}

/** The description decides; where it says nothing, the host's name. What speaks of both says nothing. */
function kindOf(description: string, hostWords: readonly string[]): { isTest: boolean | null; word: string | null } {
  for (const words of [nameWords(description), hostWords.flatMap(nameWords)]) {
    const test = words.find((word) => TEST_WORDS.test(word));
    const live = words.find((word) => LIVE_WORDS.test(word));
    if (test !== undefined && live === undefined) return { isTest: true, word: /^try/.test(test) ? 'test' : test };
    if (live !== undefined && test === undefined) return { isTest: false, word: 'live' };
    if (live !== undefined) return { isTest: null, word: null };
  }
  return { isTest: null, word: null };
}

function free(name: string, names: Set<string>): string {
  let free = name;
  for (let count = 2; names.has(free); count += 1) free = `${name}-${count}`;
  names.add(free);
  return free;
}
