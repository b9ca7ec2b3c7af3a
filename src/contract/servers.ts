import type { Json, ServerSuggestion } from '../request/contract/contract.ts';
import { nameWords } from '../request/words/names.ts';
import type { ApiOperation } from './document.ts';
import { isObject, listOf, objectOf, scalarOf, textOf } from './json.ts';
import type { ApiDescription } from './read-document.ts';

const ROOT = 'http://relative.invalid';
const MAX_SERVERS = 20;
const TEST_WORDS =
  /^(?:sandbox|test|testing|tests|staging|stage|uat|demo|trial|try|trying|dev|development|qa|preprod|mock|playground|integration)$/;
const LIVE_WORDS = /^(?:live|prod|production)$/;

/** Returns a server with each value of its first variable that has several, the default first. */
function variantsOf(server: Json): { readonly url: string; readonly words: readonly string[] }[] {
  const { url, variables } = objectOf(server);
  const members = Object.entries(objectOf(variables));
  const defaults = members.map(([name, each]) => [name, scalarOf(objectOf(each)['default']) ?? ''] as const);
  const [name, several] = members.find(([, each]) => listOf(objectOf(each)['enum']).length > 1) ?? [];
  const values = listOf(objectOf(several)['enum']).flatMap((each) => scalarOf(each) ?? []);
  const usual = defaults.find(([each]) => each === name)?.[1] ?? '';
  return [...new Set([usual, ...values])].slice(0, 10).map((value) => {
    const chosen = new Map([...defaults, ...(name === undefined ? [] : [[name, value] as const])]);
    return {
      url: textOf(url).replace(/\{([^{}]{1,100})\}/g, (whole, each: string) => chosen.get(each) ?? whole),
      words: nameWords(value),
    };
  });
}

export const serverUrls = ({ root }: ApiDescription): string[] =>
  listOf(root['servers'])
    .slice(0, MAX_SERVERS)
    .flatMap(variantsOf)
    .map(({ url }) => url);

/** Returns the path that all servers of a description have, or `''`. */
export function sharedPath(description: ApiDescription): string {
  const [first = '', ...others] = serverUrls(description).map(pathOf);
  return others.every((each) => each === first) ? first : '';
}

const pathOf = (url: string): string =>
  URL.canParse(url, ROOT) ? plainPath(new URL(url, ROOT).pathname).replace(/\/+$/, '') : '';

const plainPath = (path: string): string => path.replace(/%7b/gi, '{').replace(/%7d/gi, '}');

export function ownServer({ root }: ApiDescription, { value, path }: ApiOperation): string | null {
  const item = objectOf(objectOf(root['paths'])[path]);
  const [server] = [...listOf(value['servers']), ...listOf(item['servers'])].filter(isObject);
  return server === undefined ? null : (variantsOf(server)[0]?.url ?? '').replace(/\/+$/, '');
}

/** Where an address leads: a path below the base URL, one at the root of its host, or one of another origin. */
export interface Address {
  readonly path: string;
  readonly origin?: string;
}

/** Returns the places that an address may mean: two, if it depends on how a relative address is resolved. */
export function addressesAt(address: string, description: ApiDescription, baseUrl: string | null): Address[] {
  const servers = serverUrls(description);
  const text = address.startsWith('//') ? `https:${address}` : address;
  const shared = sharedPath(description);
  const under = (pathname: string): Address => {
    const path = plainPath(pathname);
    if (shared !== '' && path.startsWith(`${shared}/`)) return { path: path.slice(shared.length) };
    return servers.some((each) => pathOf(each) !== '') ? { path, origin: 'service' } : { path };
  };
  if (/^[a-z][a-z\d+.-]*:/i.test(text)) {
    if (!URL.canParse(text)) return [];
    const { origin, pathname } = new URL(text);
    const isOwn = [...servers, baseUrl ?? ''].some((each) => URL.canParse(each) && new URL(each).origin === origin);
    return [isOwn ? under(pathname) : { path: plainPath(pathname), origin }];
  }
  const start = (servers[0] ?? '').replace(/\{[^{}]*\}/g, 'x');
  const paths = [start.replace(/\/*$/, '/'), start].flatMap((each) => {
    const base = URL.canParse(each, ROOT) ? new URL(each, ROOT).href : ROOT;
    return URL.canParse(text, base) ? [new URL(text, base).pathname] : [];
  });
  return [...new Set(paths)].map(under);
}

/** Returns the addresses that a description names. They are suggestions for profiles, no more. */
export function serversOf({ root }: ApiDescription): ServerSuggestion[] {
  const names = new Set<string>();
  return listOf(root['servers'])
    .slice(0, MAX_SERVERS)
    .flatMap((server) => {
      const description = textOf(objectOf(server)['description']).slice(0, 300);
      return variantsOf(server).flatMap(({ url, words }): ServerSuggestion[] => {
        if (!/^https?:\/\/[^/]/i.test(url) || !URL.canParse(url)) return [];
        const { hostname } = new URL(url);
        const { base, test } = kindOf([nameWords(description), [...words, ...hostname.split('.')].flatMap(nameWords)]);
        const own = base ?? nameWords(hostname).find((each) => !/^(?:www|api)$/.test(each)) ?? 'service';
        let name = own;
        for (let count = 2; names.has(name); count += 1) name = `${own}-${count}`;
        names.add(name);
        return [{ name, url: url.replace(/\/+$/, ''), description, test }];
      });
    });
}

/** Says by its words whether a server is for tests. The first words that say something count. */
function kindOf(texts: readonly (readonly string[])[]): { readonly base?: string; readonly test: boolean | null } {
  for (const words of texts) {
    const test = words.find((word) => TEST_WORDS.test(word));
    const isLive = words.some((word) => LIVE_WORDS.test(word));
    if (test !== undefined && isLive) break;
    if (test !== undefined) return { base: test.startsWith('try') ? 'test' : test, test: true };
    if (isLive) return { base: 'live', test: false };
  }
  return { test: null };
}
