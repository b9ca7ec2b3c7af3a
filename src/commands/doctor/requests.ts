import { finishOnSignal, recordingsBeside } from '../../cli/session.ts';
import { prepareDraft } from '../../delivery/prepare.ts';
import { type Submission, submitRequest } from '../../delivery/submit.ts';
import { type Contract, withJudges } from '../../request/contract/contract.ts';
import type { Destination } from '../../request/lead/service-request.ts';
import { reasonOf } from '../../request/log/outcome.ts';
import { expected, SrqError } from '../../request/words/errors.ts';
import { type Examination, type Found, skipped, TRY_LATER } from './examination.ts';

const FALSE_DUPLICATE =
  'If no earlier srq doctor --create sent that phone number, srq misreads duplicates. Check: srq contract show';
const OWN_REQUEST = 'Try a request of your own: srq validate --file request.json';

/** An import asks validate about every row, so whatever is no verdict would stop it. */
export async function validate({ context, connection, contract }: Examination): Promise<Found> {
  if (contract.validate === null) return skipped('The API description says that there is none.');
  const { api, destination } = connection;
  const made = await madeUpRequest(destination, contract, context.clock.nowMs()).catch(expected);
  // The contract may require values that srq cannot make up.
  if (made instanceof SrqError) {
    const { message, reason } = made;
    return { message: `${message} Validate was not asked.`, warning: { reason, hint: OWN_REQUEST } };
  }
  const { verdict, refused, http, message } = await api.validate(made.request);
  const said = (word: string) => `Validate says "${word}" about a made-up request`;
  if (verdict === 'clear' && http === 404)
    return {
      message: `${said(verdict)}, with HTTP 404.`,
      warning: { reason: 'service.wrong-address', hint: NOT_THERE },
    };
  if (verdict === 'clear') return { message: `${said(verdict)}.` };
  // It calls this one a duplicate, whether or not it says the same of every other one.
  if (verdict === 'duplicate' || (refused === null && message !== null)) {
    const words = `${said('duplicate')}, which nobody can have sent before.`;
    return { message: words, warning: { reason: 'service.false-duplicate', hint: FALSE_DUPLICATE } };
  }
  if (refused === 'failed') {
    const words = context.halt.signal.aborted ? NOTHING_USABLE : (message ?? 'Validate did not answer.');
    throw new SrqError('service.no-verdict', words, TRY_LATER);
  }
  const why = `Validate refused a made-up request. ${message ?? ''}`.trim();
  if (refused !== null && http === 403) throw new SrqError('auth.denied', why, DENIED);
  if (refused !== null) throw new SrqError('request.rejected', why, REFUSED);
  const unread = `Validate answered HTTP ${http}, but srq finds no verdict in the answer.`;
  throw new SrqError('answer.unreadable', unread, UNREAD);
}

const NOT_THERE =
  'It may say so of a request that it does not have, or have no such address. Check the base URL: srq status';
const NOTHING_USABLE = 'Validate gave no usable answer within 10 s. To see each answer: srq doctor --verbose';
const DENIED = 'Ask the marketplace whether this client may use the request API.';
const REFUSED = `If it wants more fields, learn its API description: srq contract learn FILE    If not, try a request of your own: srq validate --file request.json`;
const UNREAD =
  'Check the base URL: srq status    If it is right, ask the marketplace how validate answers. Until srq can read it, requests are only created with --no-validate.';

/** Creates one request that says it is a test. It is sent and logged like any other. */
export async function create({ context, connection, contract }: Examination): Promise<Found> {
  const made = await madeUpRequest(connection.destination, contract, context.clock.nowMs());
  const opened = await context.log.open('doctor', false);
  finishOnSignal(context);
  const options = { validate: false, onDuplicate: 'skip', again: false } as const;
  const sent = await submitRequest(made, connection.api, opened, options);
  const { stop, status, ids, message } = sent;
  if (stop) throw stop;
  const told = [...Object.entries(ids).map((pair) => pair.join('=')), ...(message === null ? [] : [message])].join(' ');
  if (status === 'created') return { message: `A test request was created. ${told}`.trim() };
  if (status === 'duplicate') {
    const words = `The service considers the test request a duplicate. ${told}`.trim();
    return { message: words, warning: { reason: 'service.false-duplicate', hint: FALSE_DUPLICATE } };
  }
  const lookUp = `Look it up at the service, then: srq resolve ${made.key.slice(0, 12)}`;
  const why = `The test request is ${status}. ${told}`.trim();
  throw new SrqError(reasonOf(sent) ?? 'service.failed', why, status === 'unknown' ? lookUp : TRY_LATER);
}

/**
 * Makes up a request that cannot be taken for a real one. All its texts say that it is a test, and its phone number is
 * libphonenumber's example, which belongs to nobody. The text differs each time, so that a service that remembers the
 * last one accepts it. Throws `SrqError('input')` if the local checks refuse it.
 */
async function madeUpRequest(destination: Destination, contract: Contract, nowMs: number): Promise<Submission> {
  const judged = await withJudges(contract);
  const audio = recordingsBeside('-');
  const preparation = { destination, audio, contract: judged, operation: 'create' } as const;
  const fields = {
    ...{ country: 'PT', lang: 'pt', location: '1200-109 Lisboa', ref: 'srq-doctor' },
    ...{ fullname: 'srq doctor (test)', email: 'srq-doctor@example.com', phone: '+351912345678' },
    request_text: `TEST by srq doctor at ${new Date(nowMs).toISOString()}. Nobody needs anything: please ignore.`,
  };
  const prepared = await prepareDraft({ row: 1, fields }, null, preparation);
  if (prepared.request) return prepared;
  const problems = prepared.problems.map(({ message }) => message).join(' ');
  throw new SrqError('request.invalid', `A made-up request does not pass the local checks. ${problems}`, OWN_REQUEST);
}
