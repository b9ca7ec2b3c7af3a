import { createHash } from 'node:crypto';
import { judgeFor } from '../../request/contract/body-check.ts';
import {
  addressOf,
  type Call,
  type Contract,
  type Encoding,
  type Json,
  type TokenOperation,
} from '../../request/contract/contract.ts';
import type { OperationName } from '../../request/contract/operations.ts';
import { readPlace } from '../../request/contract/place.ts';
import { DOCUMENTED_SCHEMA } from '../../request/contract/public-api.ts';
import { FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../../request/contract/wire.ts';
import { isSecretName } from '../../request/words/names.ts';
import type { SandboxAnswer } from '../messages/answer.ts';
import { refusalAnswer } from './answers.ts';
import { type ArrivedCall, type BodyValue, decodeBody } from './decode-body.ts';

/** The size and digest of a received recording. The recording itself is not kept. */
export type ReceivedAudio = Readonly<ReturnType<typeof receivedAudio>>;

/** The decoded parameters of one request. The audio parameter is not in `params`. */
export interface RequestContent {
  readonly encoding: Encoding;
  readonly params: Readonly<Record<string, string>>;
  readonly audio: ReceivedAudio | null;
  /** The identity of the content, by which double creates are counted, as 32 hex digits. */
  readonly key: string;
  /** What validate compares: the values of the fields that both operations take. */
  readonly likeness: string;
  /** Problems of single parameters, by name. */
  readonly problems: Readonly<Record<string, string>>;
}

type Decoder = (call: ArrivedCall) => Promise<RequestContent | SandboxAnswer>;

/** The marketplace as its partners see it: where its operations are, and what they accept. */
export type ServiceInterface = ReturnType<typeof serviceInterface>;

/**
 * Builds the interface that a contract describes. Requests are judged by the document's schema, and not by the page of
 * bindings, so that a wrong binding shows. Throws `SrqError('input')` if a schema cannot be used.
 */
export function serviceInterface(contract: Contract) {
  const { create, validate, token } = contract;
  const decoders: Readonly<Record<OperationName, Decoder>> = {
    token: tokenDecoder(token),
    create: requestDecoder(contract, create),
    validate: requestDecoder(contract, validate ?? create),
  };
  const { again } = create;
  return {
    contract,
    // An operation that the service lacks is missing here as well, so that the rehearsal ends as the first live run would.
    endpoints: [
      { operation: 'token' as const, method: 'POST', path: token.path },
      { operation: 'create' as const, ...addressOf(create) },
      ...(validate === null ? [] : [{ operation: 'validate' as const, ...addressOf(validate) }]),
    ],
    // A service that recognises nothing by the header is rehearsed as one that does not.
    idempotencyHeader: again === null || again.hours === 0 ? null : again.header,
    /** Decodes the content of a call. A {@link SandboxAnswer} is the refusal of one that cannot be decoded. */
    decode: (operation: OperationName, call: ArrivedCall) => decoders[operation](call),
    /** Returns the refusal of parameters that are missing or wrong, or null if there are none. */
    refuse: ({ problems }: RequestContent): SandboxAnswer | null =>
      Object.keys(problems).length > 0 ? refusalAnswer(problems) : null,
  };
}

/** The name of a place among the parameters of a received request. */
const nameOf = (place: string): string => readPlace(place).path.join('.');

/**
 * Decodes the calls of an operation and judges them. `params` are named by their places: `customer.phone`. The public
 * document says form, and shows JSON; its service takes both.
 */
function requestDecoder({ source, create, validate }: Contract, call: Call): Decoder {
  const isDocumented = source === null;
  const accepted = isDocumented ? [FORM_CONTENT_TYPE, JSON_CONTENT_TYPE] : [call.as];
  const schema = call.schema ?? (isDocumented ? DOCUMENTED_SCHEMA : null);
  const judges = new Map(accepted.map((as) => [as, judgeFor({ ...call, as, schema })]));
  const fields = Object.entries(call.fields).map(([place, field]) => [nameOf(place), field] as const);
  const audioName = fields.find(([, field]) => field === 'audio_file')?.[0];
  const others = new Set(Object.values(call === create ? (validate ?? create).fields : create.fields));
  const again = call === create && create.again !== null ? [create.again.header] : [];
  const headers = Object.keys({ ...call.fields, ...call.always })
    .map(readPlace)
    .flatMap(({ in: where, path: [name = ''] }) => (where === 'header' && !isSecretName(name) ? [name] : []));
  return async (arrived) => {
    const tree = await decodeBody(arrived, accepted);
    if ('status' in tree) return tree;
    const query = Object.fromEntries(arrived.query);
    const header = Object.fromEntries(Object.entries(arrived.headers).map(([name, value]) => [name, String(value)]));
    const body = isDocumented ? withoutBlanks(tree.body) : tree.body;
    const misfits = judges.get(tree.as)?.({ body, header, query }) ?? [];
    const leaf = tree.leaves.find(({ path, text }) => path.join('.') === audioName && text !== '');
    const heard = leaf ? recordingOf(leaf, call.audio) : null;
    const inQuery = Object.entries(query).filter(([name]) => !isSecretName(name));
    const inContent = [...tree.leaves.filter((each) => each !== leaf).map(shownLeaf), ...inQuery];
    const shown = [...headers, ...again].flatMap((name) => {
      const value = header[name.toLowerCase()];
      return value === undefined ? [] : [[name, value] as const];
    });
    const params = Object.fromEntries([...inContent, ...shown]);
    const audio = heard?.audio ?? null;
    const compared = fields.flatMap(([name, field]) => {
      const text = params[name];
      return text !== undefined && others.has(field) ? [[field, text] as const] : [];
    });
    const wrong = misfits.map(({ place, words }) => [nameOf(place), words]);
    return {
      encoding: tree.encoding,
      ...{ params, audio, key: identityOf(inContent, audio) },
      likeness: identityOf(compared, others.has('audio_file') ? audio : null),
      problems: { ...Object.fromEntries(wrong), ...(heard?.problem && { [audioName ?? '']: heard.problem }) },
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

const receivedAudio = (content: Buffer) => ({
  bytes: content.length,
  /** SHA-256 of the decoded bytes, in hex. */
  sha256: createHash('sha256').update(content).digest('hex'),
});

const shownLeaf = ({ path, text, file }: BodyValue): readonly [string, string] => [
  path.join('.'),
  file ? `sha256:${receivedAudio(file).sha256}` : text,
];

function recordingOf({ text, file }: BodyValue, form: Call['audio']): { audio: ReceivedAudio; problem: string | null } {
  if (form === 'binary' || file) {
    const problem = form !== 'binary' ? 'must be text, not a file' : file ? null : 'must be a file';
    return { audio: receivedAudio(file ?? Buffer.from(text)), problem };
  }
  const prefix = form === 'data-url' ? /^data:[^,]*;base64,/.exec(text)?.[0] : '';
  const base64 = text.slice(prefix?.length ?? 0);
  const content = Buffer.from(base64, 'base64');
  const isBase64 = content.toString('base64') === base64;
  const problem = prefix === undefined ? 'must be a data URL in base64' : isBase64 ? null : 'is not base64';
  return { audio: receivedAudio(content), problem };
}

/**
 * Returns the identity of a request: a hash of all parameters in any order, in Unicode form C, without outer white
 * space and with uniform line ends.
 */
function identityOf(params: readonly (readonly [string, string])[], audio: ReceivedAudio | null): string {
  const pairs = params
    .map(([name, value]) => [name, value.normalize('NFC').replaceAll('\r\n', '\n').trim()] as const)
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const canonical = JSON.stringify([pairs, audio?.sha256 ?? null]);
  // `digest('hex').slice()` is not used, because a slice keeps the whole text alive, and there may be 100,000 of these.
  return createHash('sha256').update(canonical).digest().toString('hex', 0, 16);
}

/** Decodes the calls of the token operation. With Basic, the credentials are read from the header only. */
function tokenDecoder({ auth, encoding }: TokenOperation): Decoder {
  const accepted = [encoding === 'json' ? JSON_CONTENT_TYPE : FORM_CONTENT_TYPE];
  return async (call) => {
    const tree = await decodeBody(call, accepted);
    if ('status' in tree) return tree;
    const params = Object.fromEntries(tree.leaves.map(({ path, text }) => [path.join('.'), text]));
    if (auth === 'basic') Object.assign(params, basicCredentials(call.headers.authorization));
    return { encoding: tree.encoding, params, audio: null, key: '', likeness: '', problems: {} };
  };
}

/** Reads Basic credentials, which are form-encoded and then joined by a colon (RFC 6749, section 2.3.1). */
function basicCredentials(authorization = ''): { readonly client_id: string; readonly client_secret: string } {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(authorization)?.[1] ?? '';
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':', 2);
  const decoded = (text: string): string => new URLSearchParams(`text=${text}`).get('text') ?? '';
  return { client_id: decoded(id), client_secret: decoded(secret) };
}
