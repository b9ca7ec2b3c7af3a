import type { Contract } from '../../src/request/contract/contract.ts';
import {
  type AnsweredOperation,
  type FormMeaning,
  type KnownAnswers,
  type ProvenBy,
  withForm,
} from '../../src/request/contract/known-answers.ts';
import { DOCUMENTED_CONTRACT } from '../../src/request/contract/public-api.ts';
import type { ServiceRequest } from '../../src/request/lead/service-request.ts';
import type { Identifiers } from '../../src/request/log/outcome.ts';
import { AnswerReader } from '../../src/service/answers/answer-reader.ts';
import { keptForm } from '../../src/service/answers/form.ts';
import { proxyFor } from '../../src/service/network/connector.ts';
import type { Answer } from '../../src/service/network/exchange.ts';
import { retryAfterMs } from '../../src/service/pacing/retry-after.ts';
import { Redactor } from '../../src/service/redaction/redactor.ts';
import { readToken } from '../../src/service/token/token-answer.ts';
import { answerWith, virtualClock } from '../helpers/api-client.ts';
import { clientOf, lineOf } from './client.ts';

/*
 * The door to the meaning of one answer: what was proven before goes in, and what srq tells of the next answer comes out. It
 * is the only file here that knows what is behind.
 */

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the line was cut before its end. */
  readonly isCut: boolean;
}

/** An answer whose meaning is known. `identifier` is a person's word that an identifier of its own is the proof. */
export interface Proven {
  readonly operation: AnsweredOperation;
  readonly means: FormMeaning;
  readonly by: ProvenBy | 'identifier';
  readonly answer: ServiceAnswer;
}

export interface Meaning {
  /** The outcome of a create, or the verdict of validate; followed by the reason to stop, if there is one. */
  readonly told: string;
  readonly ids: Identifiers;
  /** All that was told, as a program gets it. */
  readonly whole: string;
}

/** What is sent in each request of the table. */
export const SENT = {
  ...{ country: 'PT', location: 'Rua do Exemplo 1234, 1000-001 Lisboa', fullname: 'Inês Exemplo' },
  ...{ email: 'ines@example.com', phone: '+351912345678', request_text: 'A torneira da cozinha pinga.' },
};
const REQUEST: ServiceRequest = { params: SENT, audio: null, ref: null };
const CREDENTIALS = { clientId: '4711', clientSecret: 'the-client-secret' };

type DescribedPart = Readonly<Record<string, unknown>>;
/** Parts of an API description, merged into that of the public document. */
export interface Described {
  readonly create?: DescribedPart;
  readonly validate?: DescribedPart;
}

/** Returns what a process knows after these answers. */
export function knownFrom(proven: readonly Proven[], contract: Contract = DOCUMENTED_CONTRACT): KnownAnswers {
  const reader = new AnswerReader(contract, () => null);
  for (const [at, each] of proven.entries()) learn(reader, each, `earlier ${at}`);
  return reader.kept.whole;
}

/** Returns what a process knows of a validate that answers 200 with these two bodies. */
export function knownValidate(clear: object, duplicate: object): KnownAnswers {
  const said = (means: FormMeaning, body: object): Proven => ({
    ...{ operation: 'validate', means, by: 'experiment' },
    answer: { status: 200, headers: JSON_TYPE, body: JSON.stringify(body), isCut: false },
  });
  return knownFrom([said('clear', clear), said('duplicate', duplicate)]);
}

/** Returns what srq tells of an answer to a request, after the `earlier` answers to others in the same process. */
export async function meaningOf(
  operation: AnsweredOperation,
  { proven, described }: { readonly proven: readonly Proven[]; readonly described: Described },
  answer: ServiceAnswer,
  earlier: readonly ServiceAnswer[] = [],
): Promise<Meaning> {
  const { create, validate, ...rest } = described;
  const contract = {
    ...{ ...DOCUMENTED_CONTRACT, ...rest },
    create: { ...DOCUMENTED_CONTRACT.create, ...create },
    validate: { ...DOCUMENTED_CONTRACT.validate, ...validate },
  } as Contract;
  const token: Answer = { status: 200, headers: JSON_TYPE, body: '{"access_token":"t"}', complete: true, ms: 1 };
  let { isCut, ...said } = answer;
  const http = lineOf(async (path) => {
    const comes = path === '/oauth/token' ? token : { ...said, complete: !isCut, ms: 1 };
    return { answer: comes, error: null, written: true };
  });
  const known = knownFrom(proven, contract);
  const { api } = clientOf(http, { ...{ contract, known }, credentials: CREDENTIALS, clock: virtualClock() });
  if (operation === 'validate') {
    const { verdict, ...look } = await api.look(REQUEST);
    return { told: verdict, ids: {}, whole: JSON.stringify({ verdict, form: look.form?.text() }) };
  }
  const send = (key: string) => api.create(REQUEST, async () => true, { key, idempotencyKey: '0'.repeat(32) });
  for (const [at, each] of earlier.entries()) {
    ({ isCut, ...said } = each);
    await send(`another ${at}`);
  }
  ({ isCut, ...said } = answer);
  const sent = await send('this one');
  if (sent === null) throw new Error('It was not sent.');
  const { outcome, stop, unproven } = sent;
  const told = stop === null ? outcome.status : `${outcome.status}, stops: ${stop.reason}`;
  const whole = JSON.stringify({ outcome, stop: stop && [stop.message, stop.hint], unproven: unproven?.text });
  return { told, ids: outcome.ids, whole };
}

const JSON_TYPE = { 'content-type': 'application/json' };

function learn(reader: AnswerReader, { operation, means, by, answer }: Proven, key: string): void {
  const come: Answer = { ...answer, complete: !answer.isCut, ms: 1 };
  const sent = new Redactor(Object.values(SENT));
  const read =
    operation === 'validate'
      ? reader.look(come, sent)
      : reader.creation({ answer: come, error: null, written: true }, sent, key);
  if (read.form === null) throw new Error(`Nothing can be learned from ${answer.body}`);
  if (by === 'identifier') {
    const said = { ...keptForm(read.form), operation, means, by: 'person', byIdentifier: true, atMs: 0 } as const;
    reader.kept.change(withForm(reader.kept.known, said));
  } else reader.learn(operation, read.form, means, by, 0);
  if (operation === 'create' && means === 'taken') reader.kept.identify(key, read.form);
}

/** The column that gives the telephone number, for what a service says of parameters. */
const columnOf = (field: string) => (field === 'phone' ? 'Telefone' : null);

/** The words of a refusal, by the parameters of the public document or of one that has them deep within. */
export function wordsOf(body: string, contract: Contract = DOCUMENTED_CONTRACT): string | null {
  const type = /^[[{"]/.test(body) ? JSON_TYPE : { 'content-type': 'text/plain' };
  const sent = new Redactor([...Object.values(SENT), 's3cr3t-v4lue']);
  return new AnswerReader(contract, columnOf).errorText(answerWith(body, { status: 422, headers: type }), sent);
}

/** The token in an answer, and the seconds until it ends; or the sentence that there is none. */
export function tokenIn(body: string): readonly [token: string, seconds: number | null] {
  const { accessToken, obtainedAtMs, expiresAtMs } = readToken(answerWith(body), 0, null);
  return [accessToken, expiresAtMs === null ? null : (expiresAtMs - obtainedAtMs) / 1000];
}

/** How long an answer with these headers asks to wait, at 03:39 on 21 November 2026. */
export const pauseIn = (headers: Readonly<Record<string, string>>) =>
  retryAfterMs(headers, Date.UTC(2026, 10, 21, 3, 39));

/** What the redactor of `redacted.md` has been told. */
const LONG =
  'A torneira da "cozinha" <pinga> & molha tudo.\nTambém há um cano roto na casa de banho do primeiro andar.';
const REPEATED = new Redactor([
  ...['PT', 'pt', 'Rua João d’Ávila 12, 1000-001 Lisboa', 'Ana Sá d’Exemplo-Conceição', 'ana.exemplo+srq@example.com'],
  ...['+351912345678', LONG, 'the-client-secret'],
]);

/** How a text is shown, and whether it repeats what was sent. */
export const redacted = (text: string) => ({ shown: REPEATED.redact(text), repeats: REPEATED.repeatsSent(text) });

/** The proxy of these variables for a service, or null. Throws where it cannot be used. */
export const proxyOf = (https: string, no: string, service: string) =>
  proxyFor(service, { https: https || null, no: no || null });
