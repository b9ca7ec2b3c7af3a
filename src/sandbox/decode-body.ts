import type { Operation } from '../model/contract.ts';
import { refusal, type SandboxAnswer } from './answer.ts';
import { type BodyTree, type FormPair, treeOfJson, treeOfPairs } from './body-tree.ts';
import type { ArrivedCall } from './service-interface.ts';

type DescribedBody = Pick<Operation, 'encoding' | 'contentType' | 'parameters'>;
type BodyDecoder = (call: ArrivedCall) => BodyTree | SandboxAnswer | Promise<BodyTree | SandboxAnswer>;

/** Decodes bodies of the one media type that an operation names; an {@link SandboxAnswer} is the refusal (400, 415). */
export function bodyDecoder(operation: DescribedBody): BodyDecoder {
  const wanted = mediaTypeOf(operation.contentType);
  const decode = decoderOf(operation);
  return (call) => {
    const type = mediaTypeOf(call.headers['content-type']);
    if (type === wanted) return decode(call);
    return refusal(415, 'unsupported_media_type', `Send ${wanted}; this came as ${type || 'no content type'}.`);
  };
}

function mediaTypeOf(contentType = ''): string {
  return contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

function decoderOf({ encoding, parameters }: DescribedBody): BodyDecoder {
  if (encoding === 'json') {
    return ({ body }) => treeOfJson(body) ?? refusal(400, 'invalid_request', 'The body is not JSON.');
  }
  const inBody = (parameters ?? []).filter((parameter) => parameter.in === 'body');
  const plain = new Set(inBody.map(({ path }) => path[0]));
  const lists = new Set(inBody.filter((parameter) => parameter.isList).map(({ path }) => JSON.stringify(path)));
  const tree = (pairs: readonly FormPair[]) =>
    treeOfPairs(
      pairs,
      (name) => plain.has(name),
      (path) => lists.has(JSON.stringify(path)),
    );
  return encoding === 'form'
    ? ({ body }) => tree([...new URLSearchParams(body.toString('utf8'))])
    : async (call) => {
        const pairs = await partsOf(call);
        return pairs ? tree(pairs) : refusal(400, 'invalid_request', 'The body is not multipart/form-data.');
      };
}

/** Null where the body is not what its content type says. */
async function partsOf({ headers, body }: ArrivedCall): Promise<readonly FormPair[] | null> {
  const response = new Response(body, { headers: { 'content-type': headers['content-type'] ?? '' } });
  const form = await response.formData().catch(() => null);
  if (!form) return null;
  return Promise.all(
    [...form].map(async ([name, value]): Promise<FormPair> => {
      return [name, typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer())];
    }),
  );
}
