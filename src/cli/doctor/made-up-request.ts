import type { Contract } from '../../model/contract.ts';
import { SrqError } from '../../model/errors.ts';
import type { Destination, Draft } from '../../model/service-request.ts';
import { prepareDraft } from '../../pipeline/prepare-row.ts';
import type { Submission } from '../../pipeline/submit-request.ts';
import { audioReader } from '../request-input.ts';

/**
 * A request that nobody can take for a real one: it says in every text that it is a test, and its telephone number is
 * libphonenumber's example, which belongs to nobody. Each one has another text, so that a service that keeps the last one
 * takes the next one, too. Throws `SrqError('input')` if the local checks refuse it.
 */
export async function madeUpRequest(destination: Destination, contract: Contract, nowMs: number): Promise<Submission> {
  const operations = ['create', 'validate'] as const;
  const preparation = { destination, audio: audioReader('.'), contract, operations, strict: false };
  const prepared = await prepareDraft(draftAt(new Date(nowMs).toISOString()), null, preparation);
  if (prepared.request) return prepared;
  const problems = prepared.problems.map(({ message }) => message).join(' ');
  const hint = 'Try one of your own: srq validate --file request.json';
  throw new SrqError('input', `A made-up request does not pass the local checks. ${problems}`, hint);
}

function draftAt(time: string): Draft {
  return {
    row: 1,
    fields: {
      country: 'PT',
      lang: 'pt',
      location: '1200-109 Lisboa',
      fullname: 'srq doctor (test)',
      email: 'srq-doctor@example.com',
      phone: '+351912345678',
      request_text: `TEST by srq doctor at ${time}. Nobody needs anything: please ignore.`,
      ref: 'srq-doctor',
    },
  };
}
