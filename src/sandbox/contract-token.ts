import type { TokenOperation } from '../model/contract.ts';
import { pointerNames } from '../model/json-pointer.ts';
import { FORM_CONTENT_TYPE, JSON_CONTENT_TYPE } from '../model/wire.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { bodyDecoder } from './decode-body.ts';
import type { GrantedToken } from './marketplace.ts';
import { type Draft, withValueAt } from './pointer.ts';
import type { Content } from './request-content.ts';
import type { ArrivedCall } from './service-interface.ts';

/** Decodes the calls of the token operation. With Basic the credentials are taken from the head alone. */
export function tokenDecoder({ auth, encoding }: TokenOperation): (call: ArrivedCall) => Promise<Content | Answer> {
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
export function refuseExtras({ extra }: TokenOperation, { params }: Content): Answer | null {
  const wrong = Object.entries(extra).find(([name, value]) => params[name] !== value);
  if (!wrong) return null;
  const [name, value] = wrong;
  const error = name === 'scope' ? 'invalid_scope' : 'invalid_request';
  return jsonAnswer(400, { error, error_description: `${name} must be ${value}` });
}

/** A life that the document states instead of the answer is not told. */
export function tokenAnswer(operation: TokenOperation, { accessToken, expiresInSeconds }: GrantedToken): Answer {
  const { tokenPointer, lifetimePointer, lifetimeSeconds } = operation;
  const named = withValueAt({ token_type: 'Bearer' }, pointerNames(tokenPointer ?? '/access_token'), accessToken);
  if (lifetimePointer === null && lifetimeSeconds !== null) return jsonAnswer(200, named);
  const body: Draft = withValueAt(named, pointerNames(lifetimePointer ?? '/expires_in'), expiresInSeconds);
  return jsonAnswer(200, body);
}
