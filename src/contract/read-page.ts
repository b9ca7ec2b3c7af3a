import { LineCounter, parseDocument } from 'yaml';
import en from 'zod/v4/locales/en.js';
import { type Call, type Contract, type Json, USUAL_CALL } from '../request/contract/contract.ts';
import { contractSchema } from '../request/contract/contract-schema.ts';
import { isObject, type JsonObject, memberOf, objectOf, textOf } from '../request/contract/json.ts';
import { JSON_CONTENT_TYPE } from '../request/contract/wire.ts';
import { SrqError } from '../request/words/errors.ts';
import { SECRET } from '../request/words/names.ts';
import { pageValueOf } from './contract-text.ts';

/** Tells whether parsed JSON or YAML is a page, and no API description. */
export const isPage = (value: JsonObject): boolean =>
  isObject(value['create']) && ['openapi', 'swagger', 'item', 'paths'].every((name) => !Object.hasOwn(value, name));

/**
 * Reads a page. A page has no schemas. They are taken from the contract that is known, as long as the call is the same.
 * A mistake is reported with its line. `missing` are the names of secrets that the page was written without, and that nobody
 * has given.
 */
export function readPage(content: string, file: string, known: Contract, given: Readonly<Record<string, string>>) {
  const { written, wrong } = parsedPage(content, file);
  const { value, missing } = withSecrets(written, pageValueOf(known), given);
  const { create, validate, token, ...rest } = objectOf(value);
  const [odd] = Object.keys(rest);
  if (odd !== undefined) throw wrong([odd], 'is not part of a page');
  if (validate === undefined) throw wrong(['validate'], 'is missing. If the service has none, write "validate: none"');
  const { source, servers, guesses } = known;
  const read = {
    ...{ version: 2, source, servers, guesses },
    create: { identifiers: [], again: null, ...callOf('create', create, known.create, wrong) },
    validate:
      validate === 'none' ? null : callOf('validate', validate, known.validate, wrong, memberOf(create, 'codes')),
    token: token === undefined ? known.token : tokenOf(token, wrong),
  };
  const parsed = contractSchema.safeParse(read, { error: en().localeError });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const path = (issue?.path ?? []).map(String);
    if (issue?.code === 'unrecognized_keys') throw wrong([...path, issue.keys[0] ?? ''], 'is not part of a page');
    throw wrong(path, issue?.code === 'custom' ? issue.message : `is not as expected (${issue?.message ?? ''})`);
  }
  return { contract: parsed.data, missing };
}

/** Returns the error for a mistake on the page, with its line. */
type Wrong = (path: readonly string[], why: string) => SrqError;

function parsedPage(content: string, file: string): { readonly written: JsonObject; readonly wrong: Wrong } {
  const lines = new LineCounter();
  const document = parseDocument(content, {
    ...{ schema: 'core', stringKeys: true, merge: false, lineCounter: lines, logLevel: 'silent' },
  });
  const at = (line: number, why: string) =>
    new SrqError(
      'contract.unusable',
      `${file}, line ${Math.max(1, line)}: ${why}.`.replace(/\s+/g, ' '),
      'Correct it, then: srq contract learn FILE. To see the page in force: srq contract show',
    );
  const wrong: Wrong = (given, why) => {
    let names = [...given];
    while (names.length > 0 && !document.hasIn(names)) names = names.slice(0, -1);
    const node = document.getIn(names, true) as { readonly range?: readonly number[] } | undefined;
    return at(lines.linePos(node?.range?.[0] ?? 0).line, `${given.join('.')} ${why}`);
  };
  const [error] = document.errors;
  if (error) throw at(error.linePos?.[0].line ?? 1, (error.message.split('\n')[0] ?? '').replace(/ at line \d.*$/, ''));
  const written = objectOf(document.toJS({ maxAliasCount: 0 }) as Json);
  return { written, wrong };
}

/** Puts back the secrets that a page was written without. */
function withSecrets(written: Json, before: Json, given: Readonly<Record<string, string>>) {
  const missing = new Set<string>();
  const restored = (value: Json, known: Json | undefined, name: string): Json => {
    if (value === SECRET) {
      if (Object.hasOwn(given, name)) return given[name] ?? '';
      if (known === undefined || known === null) missing.add(name);
      return known ?? '';
    }
    if (!isObject(value)) return value;
    const members = Object.entries(value);
    return Object.fromEntries(
      members.map(([each, inner]) => [each, restored(inner, memberOf(known, each), lastOf(each))]),
    );
  };
  const value = restored(written, before, '');
  return { value, missing: [...missing] };
}

const lastOf = (place: string): string => place.split(/[. ]/).at(-1) ?? place;

/** `codes` are those of create. They hold for validate as well, unless it has its own: both are about one request. */
function callOf(role: string, value: Json | undefined, before: Call | null, wrong: Wrong, codes: Json = {}): object {
  if (!isObject(value)) throw wrong([role], 'is no call');
  for (const name of ['schema', 'success']) if (name in value) throw wrong([role, name], 'is no part of a page');
  const isSame = before !== null && before.call === value['call'];
  const kept = isSame ? { as: before.as, schema: before.schema, success: before.success } : {};
  const bound = Object.values(objectOf(value['fields']));
  const unbound = Object.keys(objectOf(value['codes'])).find((field) => !bound.includes(field));
  if (unbound !== undefined) throw wrong([role, 'codes', unbound], 'is no field of this call');
  const own = Object.entries(objectOf(value['codes'] ?? codes)).filter(([field]) => bound.includes(field));
  return {
    ...{ as: JSON_CONTENT_TYPE, fields: {}, ...USUAL_CALL, ...kept, ...value },
    codes: asTexts(Object.fromEntries(own)),
  };
}

/** A code that is a number needs no quotation marks. */
const asTexts = (codes: Json): Json =>
  JSON.parse(JSON.stringify(codes), (_, each) => (typeof each === 'number' ? String(each) : each));

function tokenOf(value: Json, wrong: Wrong): object {
  if (!isObject(value)) throw wrong(['token'], 'is no call');
  const { call, at, credentials, as, extra, answer, ...rest } = value;
  const [, origin = '', path = ''] = /^(?:POST )?(https?:\/\/[^/]+)?(\/.*)$/.exec(textOf(call)) ?? [];
  if (at !== undefined && (at !== 'host' || origin !== '')) throw wrong(['token', 'at'], 'can only be "host"');
  const [odd] = Object.keys(rest);
  if (odd !== undefined) throw wrong(['token', odd], 'is not part of a page');
  return {
    ...{ path, auth: credentials ?? 'body', encoding: as ?? 'form', extra: extra ?? {}, answer: answer ?? null },
    ...(origin !== '' ? { origin } : at !== undefined && { origin: 'service' }),
  };
}
