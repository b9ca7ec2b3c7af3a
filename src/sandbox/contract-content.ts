import type { Operation, Parameter } from '../model/contract.ts';
import { AUDIO_PARAMETER } from '../model/wire.ts';
import type { SandboxAnswer } from './answer.ts';
import type { BodyTree, BodyValue } from './body-tree.ts';
import { bodyDecoder } from './decode-body.ts';
import { identityOf, type RequestContent, receivedAudio } from './request-content.ts';
import { type Problems, parametersSchema, schemaCheck } from './schema-check.ts';
import { isSecretName } from './secrets.ts';
import type { ArrivedCall } from './service-interface.ts';

export type ContentDecoder = (call: ArrivedCall) => Promise<RequestContent | SandboxAnswer>;

const DATA_URL = /^data:[^,]*;base64,/;

/**
 * Decodes the calls of an operation and checks them against its document. On purpose it shares nothing with the client's
 * own reading of a contract, so that a wrong one shows. `params` are called by their wire paths: `customer.phone`.
 */
export function contentDecoder(operation: Operation, name: string, idempotencyHeader: string | null): ContentDecoder {
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
    const inQuery = [...call.query].filter(([name]) => !isSecretName(name));
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
