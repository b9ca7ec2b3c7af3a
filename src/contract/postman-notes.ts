import { isSecretName } from '../model/secret-name.ts';
import { limitsOf } from './postman-answers.ts';
import type { Script } from './postman-format.ts';
import type { ReadRequest } from './postman-request.ts';
import type { FoundSecret } from './postman-secrets.ts';
import type { Variables } from './postman-variables.ts';

const MAX_NOTES = 30;
const MAX_NAMES = 10;
const SETS_VARIABLE =
  /(?:(?:environment|globals|collectionVariables|variables)\.set|set(?:Environment|Global)Variable)\(\s{0,9}["'`]([^"'`\n]{1,200})["'`]/g;
const ADDS_HEADER = /headers\.(?:add|upsert)\(\s{0,9}\{[^{}]{0,200}?\bkey["']?\s{0,9}:\s{0,9}["'`]([^"'`\n]{1,200})/g;
const CHANGES_BODY = /request\.body\.(?:update\b|raw\s{0,9}=)/;

/** What the notes are about. */
interface Noted {
  readonly requests: readonly ReadRequest[];
  readonly scripts: readonly Script[];
  readonly isCut: boolean;
  readonly variables: Variables;
  readonly secrets: { readonly collection: readonly FoundSecret[]; readonly environment: readonly FoundSecret[] };
}

/** What a person has to know of a collection beside its contract. Names and places of secrets, never values. */
export function postmanNotes({ requests, scripts, isCut, variables, secrets }: Noted): string[] {
  const notes = new Set([
    ...secretNote('collection', secrets.collection),
    ...secretNote('environment', secrets.environment),
    ...(isCut ? ['Folders more than 50 deep in the collection are not read.'] : []),
    ...addressNotes(requests),
    ...requests.flatMap(requestNotes),
    ...[...variables.unknownPlain].map(
      (name) => `Nobody says what {{${name}}} stands for. It stands without quotes, so it is taken for a number.`,
    ),
    ...scripts.flatMap((each) => scriptNotes(each, variables)),
  ]);
  const rest = notes.size - MAX_NOTES;
  return [
    ...[...notes].slice(0, MAX_NOTES),
    ...(rest > 0 ? [`${rest} more notes on the collection are left out.`] : []),
  ];
}

function secretNote(kind: string, secrets: readonly FoundSecret[]): string[] {
  if (secrets.length === 0) return [];
  const places = [...new Set(secrets.map(({ name, where }) => `${name} (${where})`))];
  const rest = places.length - MAX_NAMES;
  const list = `${places.slice(0, MAX_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  return [`The ${kind} holds secrets: ${list}. None of them is kept. Take them out before you pass the file on.`];
}

function addressNotes(requests: readonly ReadRequest[]): string[] {
  const open = requests.filter(({ address }) => address.server === null && address.serverVariable !== null);
  const names = new Set(open.map(({ address }) => address.serverVariable));
  return [...names].map((name) => `The address of the service is in {{${name}}}, and no file says what that is.`);
}

function requestNotes({ entry, body, authorization, parameters, answers }: ReadRequest): string[] {
  const item = `"${entry.name}" (${entry.where})`;
  const secrets = parameters.filter(({ name }) => isSecretName(name));
  return [
    ...(typeof body === 'string' ? [`${item} has ${body}, which srq does not read.`] : []),
    ...(authorization.kind === 'unknown'
      ? [`${item} authorizes by "${authorization.type}", which srq cannot do.`]
      : []),
    ...secrets.map(
      ({ name, in: place }) => `${item} sends the secret "${name}" as a ${place} parameter, which srq does not.`,
    ),
    ...answers
      .filter(({ status }) => status === 429)
      .flatMap((answer) => {
        const limits = limitsOf(answer);
        return limits.length === 0
          ? []
          : [`A saved answer says when too much was sent: ${limits.join(', ')} (${answer.where}).`];
      }),
  ];
}

function scriptNotes({ text, where }: Script, variables: Variables): string[] {
  const names = [...text.matchAll(SETS_VARIABLE)]
    .map(([, name = '']) => name)
    .filter((each) => variables.unknown.has(each));
  const headers = [...text.matchAll(ADDS_HEADER)]
    .map(([, name = '']) => name)
    .filter((each) => !/^authorization$/i.test(each));
  return [
    ...names.map((name) => `A script sets {{${name}}} (${where}). srq runs no scripts, so its value is not known.`),
    ...headers.map(
      (name) => `A script adds the header "${name}" (${where}). srq runs no scripts: ask the service about it.`,
    ),
    ...(CHANGES_BODY.test(text)
      ? [`A script changes the body (${where}). srq runs no scripts: ask the service about it.`]
      : []),
  ];
}
