import {
  type Contract,
  type CreateOperation,
  isOffered,
  type Operation,
  type Parameter,
  type TokenOperation,
} from '../../request/contract/contract-1.ts';
import {
  carriesRequest,
  OPERATION_NAMES,
  OPERATIONS,
  type OperationName,
  type RequestOperationName,
} from '../../request/contract/operations.ts';
import { AUDIO_PARAMETER, FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';
import { pointerNames } from '../../request/small.ts';
import { jsonAnswer, refusal, type SandboxAnswer } from '../messages/answer.ts';
import { type BodyTree, type BodyValue, bodyDecoder } from './decode-body.ts';
import { DOCUMENTED_INTERFACE, refuseParameters } from './documented-interface.ts';
import type { GrantedToken } from './marketplace.ts';
import { type AnswerDraft, withValueAt } from './pointer.ts';
import { identityOf, type RequestContent, receivedAudio } from './request-content.ts';
import { createdAnswer, refusalAnswer, verdictAnswer } from './sample-answers.ts';
import { type Problems, parametersSchema, schemaCheck, UUID } from './schema-check.ts';
import { isSecretName } from './secrets.ts';
import type { ArrivedCall, FixedCallers, ServiceInterface } from './service-interface.ts';

/**
 * Builds the interface that a contract describes, and takes from the documented one what the contract does not say.
 * Throws `SrqError('input')` if a schema cannot be used for validation.
 */
export function contractInterface(contract: Contract): ServiceInterface {
  const { create, validate, token, basePath } = contract;
  const idempotencyHeader = create.idempotency?.header ?? null;
  const callers = fixedCallers(contract.auth);
  const keyName = callers?.keyName ?? null;
  const decoders: Readonly<Record<OperationName, ContentDecoder>> = {
    token: tokenDecoder(token),
    create: contentDecoder(create, 'create', idempotencyHeader, keyName),
    validate: contentDecoder(validate, 'validate', null, keyName),
  };
  const refusals: Readonly<Record<OperationName, (content: RequestContent) => SandboxAnswer | null>> = {
    token: (content) => refuseExtras(token, content),
    create: (content) => refuseIdempotency(create, content) ?? refuseContent(create, content),
    validate: (content) => refuseContent(validate, content),
  };
  // An operation that the document lacks is missing here as well, so that the rehearsal ends as the first live run
  // would.
  const offered = OPERATION_NAMES.filter(
    (name) => (name !== 'token' || callers === null) && isOffered(contract, name) === true,
  );
  return {
    endpoints: offered.map((operation) => {
      const { method, path } = { ...OPERATIONS[operation], ...contract[operation] };
      return { operation, method, path };
    }),
    basePath,
    // A service that does not say that it recognises repetitions is rehearsed as one that does not.
    idempotencyHeader: create.idempotency?.windowSeconds === 0 ? null : idempotencyHeader,
    callers,
    decode: (operation, call) => decoders[operation](call),
    refuse: (operation, content) => refusals[operation](content),
    likeness: likenessOf(contract),
    granted: (granted) => tokenAnswer(token, granted),
    created: (fresh) => createdAnswer(create, fresh, basePath) ?? DOCUMENTED_INTERFACE.created(fresh),
    refuseKnown: () => verdictAnswer(create, create.duplicate, 'duplicate'),
    validated: (requestId) =>
      verdictAnswer(validate, validate.verdict, requestId === null ? 'clear' : 'duplicate') ??
      DOCUMENTED_INTERFACE.validated(requestId),
  };
}

/** Returns how callers authenticate under the contract, or null if they use tokens. */
function fixedCallers(auth: Contract['auth']): FixedCallers | null {
  switch (auth?.kind) {
    case 'basic':
      return {
        keyName: null,
        demand: 'Authorization: Basic, with client id and client secret',
        isPartner: ({ headers }, { clientId, clientSecret }) => {
          const encoded = /^Basic +([\w+/=-]+)$/i.exec(headers.authorization ?? '')?.[1] ?? '';
          return Buffer.from(encoded, 'base64').toString('utf8') === `${clientId}:${clientSecret}`;
        },
      };
    case 'apiKey': {
      const { in: place, name, prefix, value } = auth;
      return {
        keyName: name,
        demand: `the key in the ${place === 'query' ? 'query parameter' : 'header'} ${name}`,
        isPartner: ({ headers, query }, { clientSecret }) => {
          const shown = place === 'query' ? query.get(name) : headers[name.toLowerCase()];
          const hasWord = (text: string) => text.toLowerCase().startsWith(prefix.toLowerCase());
          // The profile may hold the key with or without its prefix. The call must contain the prefix exactly once.
          const bare = (text: string) => (hasWord(text) ? text.slice(prefix.length) : text);
          return typeof shown === 'string' && hasWord(shown) && bare(shown) === bare(value ?? clientSecret);
        },
      };
    }
    default:
      return null;
  }
}

function refuseContent(operation: Operation, content: RequestContent): SandboxAnswer | null {
  if (operation.schema === null && operation.parameters === null) return refuseParameters(content);
  return Object.keys(content.problems).length > 0 ? refusalAnswer(operation, content.problems) : null;
}

/**
 * Refuses a call without the idempotency header, unless the contract calls the header optional. A client that forgets
 * it should fail here, and not by sending a request twice.
 */
function refuseIdempotency(
  { idempotency, parameters }: CreateOperation,
  { params }: RequestContent,
): SandboxAnswer | null {
  if (!idempotency) return null;
  const { header, format } = idempotency;
  const value = params[header] ?? '';
  const described = parameters?.find(({ in: place, path }) => place === 'header' && path[0] === header);
  if (value === '' && described?.required === false) return null;
  if (value === '') return refusal(400, 'idempotency_missing', `The header ${header} is missing.`);
  return format === 'uuid' && !UUID.test(value)
    ? refusal(400, 'idempotency_invalid', `The header ${header} must be a UUID.`)
    : null;
}

/**
 * Returns the function that computes what validate compares requests by: the values of the fields that both operations
 * take, under whatever names. Constants are not included.
 */
function likenessOf({ create, validate }: Contract): ServiceInterface['likeness'] {
  const ownHeader = create.idempotency?.header;
  const fieldOf: Readonly<Record<RequestOperationName, (path: string) => string | null>> = {
    create: fieldNamer(create, validate),
    validate: fieldNamer(validate, create),
  };
  return (operation, { params, audio, key }) => {
    if (!carriesRequest(operation)) return key;
    const named = Object.entries(params).flatMap(([path, text]) => {
      const field = path === ownHeader ? null : fieldOf[operation](path);
      return field === null ? [] : [[field, text] as const];
    });
    return identityOf(named, takesAudio(create) && takesAudio(validate) ? audio : null);
  };
}

const takesAudio = ({ parameters }: Operation): boolean =>
  parameters === null || parameters.some(({ field }) => field === 'audio_file');

/**
 * Returns a function that maps a wire path to its field, or to null if it is not compared. A value that is not
 * described is mapped to its last name.
 */
function fieldNamer(operation: Operation, other: Operation): (path: string) => string | null {
  const fields = new Map<string, string | null>();
  const others = other.parameters && new Set(other.parameters.map(({ field }) => field));
  for (const { path, field, constant, in: place } of operation.parameters ?? []) {
    const isCompared = constant === null && place !== 'header' && (others?.has(field) ?? true);
    fields.set(path.join('.'), isCompared ? field : null);
  }
  const chosen = operation.choices.flat().flatMap(({ constants }) => constants);
  for (const { path } of chosen) fields.set(path.join('.'), null);
  return (path) => {
    // If the path names an element of a list, the list itself is looked up.
    const bare = path.replace(/\.\d+$/, '');
    const field = fields.get(path) ?? fields.get(bare);
    return field === undefined ? (bare.split('.').at(-1) ?? bare) : field;
  };
}

/** Decodes the calls of the token operation. With Basic, the credentials are read from the header only. */
function tokenDecoder({
  auth,
  encoding,
}: TokenOperation): (call: ArrivedCall) => Promise<RequestContent | SandboxAnswer> {
  const contentType = encoding === 'json' ? JSON_CONTENT_TYPE : FORM_CONTENT_TYPE;
  const decode = bodyDecoder({ encoding, contentType, parameters: null });
  return async (call) => {
    const tree = await decode(call);
    if ('status' in tree) return tree;
    const inBody = Object.fromEntries(tree.leaves.map(({ path, text }) => [path.join('.'), text]));
    const params = auth === 'basic' ? { ...inBody, ...basicCredentials(call.headers.authorization) } : inBody;
    return { encoding, params, audio: null, recording: null, key: '', problems: {} };
  };
}

/** Reads Basic credentials, which are form-encoded and then joined by a colon (RFC 6749, section 2.3.1). */
function basicCredentials(authorization = ''): { readonly client_id: string; readonly client_secret: string } {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(authorization)?.[1] ?? '';
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 2);
  const decoded = (text: string): string => new URLSearchParams(`text=${text}`).get('text') ?? '';
  return { client_id: decoded(id), client_secret: decoded(secret) };
}

/** Refuses calls without the document's further parameters, in the form of RFC 6749, section 5.2. */
function refuseExtras({ extra }: TokenOperation, { params }: RequestContent): SandboxAnswer | null {
  const wrong = Object.entries(extra).find(([name, value]) => params[name] !== value);
  if (!wrong) return null;
  const [name, value] = wrong;
  const error = name === 'scope' ? 'invalid_scope' : 'invalid_request';
  return jsonAnswer(400, { error, error_description: `${name} must be ${value}` });
}

/**
 * Builds the answer to a token request. It does not contain a lifetime that the document states outside of the answer.
 */
function tokenAnswer(operation: TokenOperation, { accessToken, expiresInSeconds }: GrantedToken): SandboxAnswer {
  const { tokenPointer, lifetimePointer, lifetimeSeconds } = operation;
  const named = withValueAt({ token_type: 'Bearer' }, pointerNames(tokenPointer ?? '/access_token'), accessToken);
  if (lifetimePointer === null && lifetimeSeconds !== null) return jsonAnswer(200, named);
  const body: AnswerDraft = withValueAt(named, pointerNames(lifetimePointer ?? '/expires_in'), expiresInSeconds);
  return jsonAnswer(200, body);
}

type ContentDecoder = (call: ArrivedCall) => Promise<RequestContent | SandboxAnswer>;

const DATA_URL = /^data:[^,]*;base64,/;

/**
 * Decodes the calls of an operation and validates them against its document. It deliberately shares nothing with the
 * client's own reading of a contract, so that a mistake there becomes visible. `params` are named by their wire paths:
 * `customer.phone`.
 */
function contentDecoder(
  operation: Operation,
  name: string,
  idempotencyHeader: string | null,
  keyName: string | null,
): ContentDecoder {
  const decode = bodyDecoder(operation);
  const headers = placedIn(operation, 'header').map(nameOf);
  const shownHeaders = headers.filter((each) => !isSecretName(each));
  if (idempotencyHeader !== null) shownHeaders.push(idempotencyHeader);
  const audio = audioReader(operation);
  const check = checkOf(operation, name);
  return async (call) => {
    const tree = await decode(call);
    if ('status' in tree) return tree;
    const { recording, others, problems } = audio(tree.leaves);
    const heard = recording && receivedAudio(recording);
    const inQuery = [...call.query].filter(([name]) => !isSecretName(name) && name !== keyName);
    const inContent = [...others.map((leaf) => [leaf.path.join('.'), shownText(leaf)] as const), ...inQuery];
    return {
      encoding: operation.encoding,
      params: Object.fromEntries([...inContent, ...valuesOf(call, shownHeaders)]),
      audio: heard,
      recording,
      key: identityOf(inContent, heard),
      problems: { ...check(tree, call), ...problems },
    };
  };
}

const placedIn = ({ parameters }: Operation, place: Parameter['in']): readonly Parameter[] =>
  (parameters ?? []).filter((each) => each.in === place);

const nameOf = ({ path: [name = ''] }: Parameter): string => name;

const shownText = ({ text, file }: BodyValue): string => (file ? `sha256:${receivedAudio(file).sha256}` : text);

function valuesOf({ headers }: ArrivedCall, names: readonly string[]): [string, string][] {
  return names.flatMap((name) => {
    const value = headers[name.toLowerCase()];
    return value === undefined ? [] : [[name, String(value)]];
  });
}

function checkOf(operation: Operation, name: string): (tree: BodyTree, call: ArrivedCall) => Problems {
  const { schema, choices, encoding } = operation;
  const headers = placedIn(operation, 'header');
  const bodySchema = schema ?? parametersSchema(placedIn(operation, 'body'), choices);
  const checkBody = schemaCheck(bodySchema, { name, texts: encoding !== 'json' });
  const checkQuery = schemaCheck(parametersSchema(placedIn(operation, 'query'), []), { name, texts: true });
  const checkHead = schemaCheck(parametersSchema(headers, []), { name, texts: true });
  const headerNames = headers.map(nameOf);
  return (tree, call) => ({
    ...checkQuery(Object.fromEntries(call.query)),
    ...checkHead(Object.fromEntries(valuesOf(call, headerNames))),
    ...checkBody(tree.body),
  });
}

interface HeardBody {
  readonly recording: Buffer | null;
  readonly others: readonly BodyValue[];
  readonly problems: Problems;
}

function audioReader({ parameters }: Operation): (leaves: readonly BodyValue[]) => HeardBody {
  const described = parameters?.find((each) => each.field === 'audio_file' && each.in === 'body');
  const place = (described?.path ?? [AUDIO_PARAMETER]).join('.');
  const form = described?.audioForm ?? 'base64';
  return (leaves) => {
    const leaf = leaves.find(({ path, text }) => path.join('.') === place && text !== '');
    if (!leaf) return { recording: null, others: leaves, problems: {} };
    const { content, problem } = recordingOf(leaf, form);
    const problems = problem === null ? {} : { [place]: problem };
    return { recording: content, others: leaves.filter((each) => each !== leaf), problems };
  };
}

function recordingOf(
  { text, file }: BodyValue,
  form: Parameter['audioForm'],
): { content: Buffer; problem: string | null } {
  if (form === 'binary' || file) {
    const problem = form !== 'binary' ? 'must be text, not a file' : file ? null : 'must be a file';
    return { content: file ?? Buffer.from(text), problem };
  }
  const prefix = form === 'data-url' ? DATA_URL.exec(text)?.[0] : '';
  const base64 = text.slice(prefix?.length ?? 0);
  const content = Buffer.from(base64, 'base64');
  if (prefix === undefined) return { content, problem: 'must be a data URL in base64' };
  return { content, problem: content.toString('base64') === base64 ? null : 'is not base64' };
}
