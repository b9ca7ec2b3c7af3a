import {
  type Contract,
  type CreateOperation,
  isOffered,
  type Operation,
  type TokenOperation,
} from '../model/contract.ts';
import { pointerNames } from '../model/json-pointer.ts';
import {
  carriesRequest,
  OPERATION_NAMES,
  OPERATIONS,
  type OperationName,
  type RequestOperationName,
} from '../model/operations.ts';
import { FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../model/wire.ts';
import { jsonAnswer, refusal, type SandboxAnswer } from './answer.ts';
import { type ContentDecoder, contentDecoder } from './contract-content.ts';
import { bodyDecoder } from './decode-body.ts';
import { DOCUMENTED_INTERFACE, refuseParameters } from './documented-interface.ts';
import type { GrantedToken } from './marketplace.ts';
import { type AnswerDraft, withValueAt } from './pointer.ts';
import { identityOf, type RequestContent } from './request-content.ts';
import { createdAnswer, refusalAnswer, verdictAnswer } from './sample-answers.ts';
import type { ArrivedCall, ServiceInterface } from './service-interface.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/**
 * The interface that a contract describes; where it says nothing, the documented one. Throws `SrqError('input')` for a
 * schema that nothing can be checked against.
 */
export function contractInterface(contract: Contract): ServiceInterface {
  const { create, validate, token, basePath } = contract;
  const idempotencyHeader = create.idempotency?.header ?? null;
  const decoders: Readonly<Record<OperationName, ContentDecoder>> = {
    token: tokenDecoder(token),
    create: contentDecoder(create, 'create', idempotencyHeader),
    validate: contentDecoder(validate, 'validate', null),
  };
  const refusals: Readonly<Record<OperationName, (content: RequestContent) => SandboxAnswer | null>> = {
    token: (content) => refuseExtras(token, content),
    create: (content) => refuseIdempotency(create, content) ?? refuseContent(create, content),
    validate: (content) => refuseContent(validate, content),
  };
  // What the document does not have is not here, either: the rehearsal ends as the first live run would.
  const offered = OPERATION_NAMES.filter((name) => isOffered(contract, name) === true);
  return {
    endpoints: offered.map((operation) => {
      const { method, path } = { ...OPERATIONS[operation], ...contract[operation] };
      return { operation, method, path };
    }),
    basePath,
    // A service that says of no repetition that it is recognised is rehearsed as one that recognises none.
    idempotencyHeader: create.idempotency?.windowSeconds === 0 ? null : idempotencyHeader,
    decode: (operation, call) => decoders[operation](call),
    refuse: (operation, content) => refusals[operation](content),
    likeness: likenessOf(contract),
    granted: (granted) => tokenAnswer(token, granted),
    created: (fresh) => createdAnswer(create, fresh) ?? DOCUMENTED_INTERFACE.created(fresh),
    refuseKnown: () => verdictAnswer(create, create.duplicate, 'duplicate'),
    validated: (requestId) =>
      verdictAnswer(validate, validate.verdict, requestId === null ? 'clear' : 'duplicate') ??
      DOCUMENTED_INTERFACE.validated(requestId),
  };
}

function refuseContent(operation: Operation, content: RequestContent): SandboxAnswer | null {
  if (operation.schema === null && operation.parameters === null) return refuseParameters(content);
  return Object.keys(content.problems).length > 0 ? refusalAnswer(operation, content.problems) : null;
}

/** Demanded unless the contract calls it optional: that it was forgotten shall show here, not in a request sent twice. */
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
 * What validate compares requests by: the values of the fields that both operations take, whatever each calls them.
 * Constants are no part of it.
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

/** The field that a wire path stands for; null for what is not compared. What is not described goes by its last name. */
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
    // A list's element stands for the list.
    const bare = path.replace(/\.\d+$/, '');
    const field = fields.get(path) ?? fields.get(bare);
    return field === undefined ? (bare.split('.').at(-1) ?? bare) : field;
  };
}

/** Decodes the calls of the token operation. With Basic the credentials are taken from the head alone. */
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

/** RFC 6749, 2.3.1: both are form-encoded, then joined by a colon. */
function basicCredentials(authorization = ''): { readonly client_id: string; readonly client_secret: string } {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(authorization)?.[1] ?? '';
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 2);
  const decoded = (text: string): string => new URLSearchParams(`text=${text}`).get('text') ?? '';
  return { client_id: decoded(id), client_secret: decoded(secret) };
}

/** Refuses what does not have the further parameters of the document, as RFC 6749, section 5.2 has it. */
function refuseExtras({ extra }: TokenOperation, { params }: RequestContent): SandboxAnswer | null {
  const wrong = Object.entries(extra).find(([name, value]) => params[name] !== value);
  if (!wrong) return null;
  const [name, value] = wrong;
  const error = name === 'scope' ? 'invalid_scope' : 'invalid_request';
  return jsonAnswer(400, { error, error_description: `${name} must be ${value}` });
}

/** A life that the document states instead of the answer is not told. */
function tokenAnswer(operation: TokenOperation, { accessToken, expiresInSeconds }: GrantedToken): SandboxAnswer {
  const { tokenPointer, lifetimePointer, lifetimeSeconds } = operation;
  const named = withValueAt({ token_type: 'Bearer' }, pointerNames(tokenPointer ?? '/access_token'), accessToken);
  if (lifetimePointer === null && lifetimeSeconds !== null) return jsonAnswer(200, named);
  const body: AnswerDraft = withValueAt(named, pointerNames(lifetimePointer ?? '/expires_in'), expiresInSeconds);
  return jsonAnswer(200, body);
}
