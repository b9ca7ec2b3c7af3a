import type { Contract } from '../../src/request/contract/contract.ts';
import type { Sandbox } from '../../src/sandbox/server.ts';
import {
  type CreateOperation,
  DOCUMENTED_CONTRACT,
  described,
  type Parameter,
  type TokenOperation,
  type ValidateOperation,
} from '../doors/described.ts';
import { FORM, type Reply, sandboxWith, send } from './sandbox-client.ts';

interface Changes {
  readonly create?: Partial<CreateOperation>;
  readonly validate?: Partial<ValidateOperation>;
  readonly token?: Partial<TokenOperation>;
  readonly basePath?: string;
  readonly hasValidate?: boolean | null;
}

/** The public document's contract, with these changes. */
export const contractWith = ({ create, validate, token, ...rest }: Changes): Contract =>
  described({
    ...DOCUMENTED_CONTRACT,
    ...rest,
    create: { ...DOCUMENTED_CONTRACT.create, ...create },
    validate: { ...DOCUMENTED_CONTRACT.validate, ...validate },
    token: { ...DOCUMENTED_CONTRACT.token, ...token },
  });

/** A required text in the body, called like its field, with these changes. */
export const parameter = (field: string, changes: Partial<Parameter> = {}): Parameter => ({
  field,
  in: 'body',
  path: [field],
  type: 'string',
  isList: false,
  required: true,
  requiredWithin: null,
  values: null,
  minLength: null,
  maxLength: null,
  minimum: null,
  maximum: null,
  pattern: null,
  constant: null,
  audioForm: null,
  ...changes,
});

export type Headers = Readonly<Record<string, string>>;

/** A partner with a token of the documented token operation. */
export async function partnerUnder(changes: Changes, options: Parameters<typeof sandboxWith>[0] = {}) {
  const sandbox = await sandboxWith({ ...options, contract: contractWith(changes) });
  return { sandbox, ...(await callsTo(sandbox)) };
}

export async function callsTo(sandbox: Sandbox) {
  const asked = {
    grant_type: 'client_credentials',
    client_id: sandbox.clientId,
    client_secret: sandbox.clientSecret,
  };
  const granted = await send('POST', `${sandbox.baseUrl}/oauth/token`, FORM, new URLSearchParams(asked).toString());
  const authorization = `Bearer ${JSON.parse(granted.text).access_token}`;
  const post = (path: string, type: string, body: string, headers: Headers = {}): Promise<Reply> =>
    send('POST', sandbox.baseUrl + path, { 'content-type': type, authorization, ...headers }, body);
  return {
    authorization,
    post,
    postForm: (path: string, params: Record<string, string>, headers: Headers = {}) =>
      post(path, FORM['content-type'], new URLSearchParams(params).toString(), headers),
    postJson: (path: string, body: unknown, headers: Headers = {}) =>
      post(path, 'application/json', JSON.stringify(body), headers),
  };
}

/** The parameters that a refusal in the sandbox's own shape is about. */
export const namedIn = (reply: Reply): string[] => Object.keys(JSON.parse(reply.text).errors);
