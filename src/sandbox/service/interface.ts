import { judgeFor, UUID } from '../../request/contract/body-check.ts';
import {
  addressOf,
  type Call,
  type Contract,
  type CreateCall,
  type Json,
  type TokenOperation,
} from '../../request/contract/contract.ts';
import { carriesRequest, OPERATION_NAMES, type OperationName } from '../../request/contract/operations.ts';
import { readPlace } from '../../request/contract/place.ts';
import { placeFacts } from '../../request/contract/places.ts';
import { DOCUMENTED_SCHEMA } from '../../request/contract/public-api.ts';
import { FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';
import { pointerNames } from '../../request/small.ts';
import { jsonAnswer, refusal, type SandboxAnswer } from '../messages/answer.ts';
import { createdAnswer, documentedVerdict, refusalAnswer, verdictAnswer } from './answers.ts';
import type { ArrivedCall, FixedCallers } from './callers.ts';
import { type BodyValue, decodeBody } from './decode-body.ts';
import type { FreshIdentity, GrantedToken } from './marketplace.ts';
import { withValueAt } from './pointer.ts';
import { identityOf, type RequestContent, receivedAudio } from './request-content.ts';
import { isSecretName } from './secrets.ts';

/** The marketplace as its partners see it: where its operations are, what they accept, how they answer. */
export type ServiceInterface = ReturnType<typeof serviceInterface>;

/**
 * Builds the interface that a contract describes. Requests are judged by the document's schema, and not by the page of
 * bindings, so that a wrong binding shows. Throws `SrqError('input')` if a schema cannot be used.
 */
export function serviceInterface(contract: Contract) {
  const { create, validate, token } = contract;
  const callers = fixedCallers(contract.auth);
  const requestDecoder = (call: Call, again: string | null) =>
    decoderOf(call, contract.source === null, again, callers?.keyName);
  const decoders = {
    token: tokenDecoder(token),
    create: requestDecoder(create, create.again?.header ?? null),
    validate: validate && requestDecoder(validate, null),
  };
  const paths: Readonly<Record<OperationName, { readonly method: string; readonly path: string } | null>> = {
    token: callers === null ? { method: 'POST', path: token.path } : null,
    create: addressOf(create),
    validate: validate && addressOf(validate),
  };
  const isShared = ([, field]: [string, string]) => validate === null || Object.values(validate.fields).includes(field);
  const shared = Object.entries(create.fields)
    .filter(isShared)
    .map(([, field]) => field);
  return {
    // An operation that the service lacks is missing here as well, so that the rehearsal ends as the first live run would.
    endpoints: OPERATION_NAMES.flatMap((operation) => {
      const at = paths[operation];
      return at === null ? [] : [{ operation, ...at }];
    }),
    // A service that recognises nothing by the header is rehearsed as one that does not.
    // Its value is kept among the parameters.
    idempotencyHeader: create.again?.hours === 0 ? null : (create.again?.header ?? null),
    /** Null if callers use tokens. */
    callers,
    /** Decodes the content of a call. A {@link SandboxAnswer} is the refusal of one that cannot be decoded. */
    decode: async (operation: OperationName, call: ArrivedCall): Promise<RequestContent | SandboxAnswer> =>
      decoders[operation]?.(call) ?? refusal(404, 'not_found', 'Nothing here.'),
    /** Returns the refusal of parameters that are missing or wrong, or null if there are none. */
    refuse: (operation: OperationName, content: RequestContent): SandboxAnswer | null => {
      if (operation === 'token') return refuseExtras(token, content);
      const call = operation === 'create' ? create : (validate ?? create);
      const missing = operation === 'create' ? refuseIdempotency(create, content) : null;
      return missing ?? (Object.keys(content.problems).length > 0 ? refusalAnswer(call, content.problems) : null);
    },
    /** Returns the value by which validate compares requests. Create may be given more than validate. */
    likeness: (
      operation: OperationName,
      { params, audio, key }: Pick<RequestContent, 'params' | 'audio' | 'key'>,
    ): string => {
      const call = operation === 'create' ? create : validate;
      if (!carriesRequest(operation) || call === null) return key;
      const values = Object.entries(call.fields).flatMap(([place, field]) => {
        const text = params[nameOf(place)];
        return text !== undefined && shared.includes(field) ? [[field, text] as const] : [];
      });
      return identityOf(values, shared.includes('audio_file') ? audio : null);
    },
    granted: (granted: GrantedToken) => tokenAnswer(token, granted),
    created: (fresh: FreshIdentity) => createdAnswer(create, fresh),
    /** Returns the answer of create to a request that is already known, or null if create accepts it again. */
    refuseKnown: () => verdictAnswer(create, 'duplicate'),
    /** `requestId` is that of the first request with this content, or null if there is none. */
    validated: (requestId: string | null) =>
      (validate && verdictAnswer(validate, requestId === null ? 'clear' : 'duplicate')) ?? documentedVerdict(requestId),
  };
}

/** The name of a place among the parameters of a received request. */
const nameOf = (place: string): string => readPlace(place).path.join('.');

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

type Decoder = (call: ArrivedCall) => Promise<RequestContent | SandboxAnswer>;

/**
 * Decodes the calls of an operation and judges them. `params` are named by their places: `customer.phone`. The public
 * document says form, and shows JSON; its service takes both.
 */
function decoderOf(
  call: Call,
  isDocumented: boolean,
  again: string | null,
  keyName: string | null | undefined,
): Decoder {
  const accepted = isDocumented ? [FORM_CONTENT_TYPE, JSON_CONTENT_TYPE] : [call.as];
  const schema = call.schema ?? (isDocumented ? DOCUMENTED_SCHEMA : null);
  const judges = new Map(accepted.map((as) => [as, judgeFor({ ...call, as, schema })]));
  const audioPlace = Object.keys(call.fields).find((place) => call.fields[place] === 'audio_file');
  const audioName = audioPlace === undefined ? null : nameOf(audioPlace);
  const headers = [...Object.keys(call.fields), ...Object.keys(call.always)]
    .map(readPlace)
    .flatMap(({ in: where, path: [name = ''] }) => (where === 'header' && !isSecretName(name) ? [name] : []));
  return async (arrived) => {
    const tree = await decodeBody(arrived, accepted);
    if ('status' in tree) return tree;
    const query = Object.fromEntries([...arrived.query].filter(([name]) => name !== keyName));
    const header = Object.fromEntries(Object.entries(arrived.headers).map(([name, value]) => [name, String(value)]));
    const body = isDocumented ? withoutBlanks(tree.body) : tree.body;
    const misfits = judges.get(tree.as)?.({ body, header, query }) ?? [];
    const leaf = tree.leaves.find(({ path, text }) => path.join('.') === audioName && text !== '');
    const heard = leaf ? recordingOf(leaf, call.audio) : null;
    const audio = heard && receivedAudio(heard.content);
    const inQuery = Object.entries(query).filter(([name]) => !isSecretName(name));
    const inContent = [...tree.leaves.filter((each) => each !== leaf).map(shownLeaf), ...inQuery];
    const shown = [...headers, ...(again === null ? [] : [again])].flatMap((name) => {
      const value = header[name.toLowerCase()];
      return value === undefined ? [] : [[name, value] as const];
    });
    return {
      encoding: tree.encoding,
      params: Object.fromEntries([...inContent, ...shown]),
      audio,
      recording: heard?.content ?? null,
      key: identityOf(inContent, audio),
      problems: {
        ...Object.fromEntries(
          misfits.map(({ place, code, words }) => [
            nameOf(place),
            code === 'contract.type' ? `must be ${words}` : words,
          ]),
        ),
        ...(heard?.problem && audioName !== null ? { [audioName]: heard.problem } : {}),
      },
    };
  };
}

/** The service of the public document takes an empty parameter for one that is not given. */
function withoutBlanks(body: Json): Json {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => typeof value !== 'string' || value.trim() !== ''),
  );
}

const shownLeaf = ({ path, text, file }: BodyValue): readonly [string, string] => [
  path.join('.'),
  file ? `sha256:${receivedAudio(file).sha256}` : text,
];

function recordingOf({ text, file }: BodyValue, form: Call['audio']): { content: Buffer; problem: string | null } {
  if (form === 'binary' || file) {
    const problem = form !== 'binary' ? 'must be text, not a file' : file ? null : 'must be a file';
    return { content: file ?? Buffer.from(text), problem };
  }
  const prefix = form === 'data-url' ? /^data:[^,]*;base64,/.exec(text)?.[0] : '';
  const base64 = text.slice(prefix?.length ?? 0);
  const content = Buffer.from(base64, 'base64');
  if (prefix === undefined) return { content, problem: 'must be a data URL in base64' };
  return { content, problem: content.toString('base64') === base64 ? null : 'is not base64' };
}

/**
 * Refuses a call without the idempotency header, unless the document calls the header optional. A client that forgets
 * it should fail here, and not by sending a request twice.
 */
function refuseIdempotency({ again, schema }: CreateCall, { params }: RequestContent): SandboxAnswer | null {
  if (!again) return null;
  const { header, uuid } = again;
  const value = params[header] ?? '';
  if (value === '') {
    const isOptional = placeFacts(schema, { in: 'header', path: [header] })?.required === false;
    return isOptional ? null : refusal(400, 'idempotency_missing', `The header ${header} is missing.`);
  }
  return uuid && !UUID.test(value) ? refusal(400, 'idempotency_invalid', `The header ${header} must be a UUID.`) : null;
}

/** Decodes the calls of the token operation. With Basic, the credentials are read from the header only. */
function tokenDecoder({ auth, encoding }: TokenOperation): Decoder {
  const accepted = [encoding === 'json' ? JSON_CONTENT_TYPE : FORM_CONTENT_TYPE];
  return async (call) => {
    const tree = await decodeBody(call, accepted);
    if ('status' in tree) return tree;
    const inBody = Object.fromEntries(tree.leaves.map(({ path, text }) => [path.join('.'), text]));
    const params = auth === 'basic' ? { ...inBody, ...basicCredentials(call.headers.authorization) } : inBody;
    return {
      encoding,
      params,
      audio: null,
      recording: null,
      key: identityOf(Object.entries(params), null),
      problems: {},
    };
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

function tokenAnswer({ answer }: TokenOperation, { accessToken, expiresInSeconds }: GrantedToken): SandboxAnswer {
  const timed = { token_type: 'Bearer', expires_in: expiresInSeconds };
  return jsonAnswer(200, withValueAt(timed, pointerNames(answer ?? '/access_token'), accessToken));
}
