import type { DescribedAnswer } from './answers.ts';
import type { DocumentReading, OpenApiOperation } from './described-operation.ts';
import { isObject, objectOf, textOf } from './json-parts.ts';
import type { Findings } from './notebook.ts';

const RATE =
  /\b\d[\d,. ]{0,9}\s?(?:requests?|calls?)?\s?(?:per|a|each|\/|every)\s?(?:second|minute|hour|day|sec|min)\b/i;
const MAX_TEXT = 20_000;
const RATE_HEADER = /^(?:x-)?rate-?limit|^retry-after$/i;
const NOT_ACTED =
  /\b(?:not|nothing|never|no)\b[^.]{0,40}\b(?:processed|accepted|taken|created|stored|acted|executed|handled)|safe(?:ly)? (?:to )?(?:be )?(?:retr|repeat|resend|resent|sent again)/i;

/** Limits that are told in prose or by headers: notes, for srq finds the pace by itself. */
export function noteLimits(
  { described }: DocumentReading,
  operations: readonly OpenApiOperation[],
  answers: readonly DescribedAnswer[],
  notebook: Findings,
): void {
  const info = textOf(objectOf(described.document['info'])['description']);
  for (const text of [
    info,
    ...operations.map(({ words }) => words),
    ...answers.map(({ description }) => description),
  ]) {
    const found = RATE.exec(text.slice(0, MAX_TEXT));
    if (found === null) continue;
    const sentence = sentenceAround(text, found.index);
    notebook.note(`The document speaks of a limit: "${sentence}". srq finds the pace by itself; --rate sets one.`);
  }
  const headers = new Set(answers.flatMap((answer) => answer.headers.filter((name) => RATE_HEADER.test(name))));
  if (headers.size > 0) notebook.note(`Limits are told by ${[...headers].join(', ')}, which srq heeds.`);
}

function sentenceAround(text: string, index: number): string {
  const before =
    text
      .slice(Math.max(0, index - 150), index)
      .split(/[.\n]/)
      .at(-1) ?? '';
  const after = text.slice(index, index + 150).split(/\.(?:\s|$)|\n/)[0] ?? '';
  return `${before}${after}`.replace(/\s+/g, ' ').trim();
}

/** Whether 503 with Retry-After is said in words to mean that nothing was done. */
export function unavailableIsNotActed(answers: readonly DescribedAnswer[], notebook: Findings): boolean {
  const answer = answers.find(({ status }) => status === 503);
  if (answer === undefined || !answer.headers.some((name) => /^retry-after$/i.test(name))) return false;
  const isSaid = NOT_ACTED.test(answer.description);
  const why = isSaid ? 'its description says so' : 'the document does not say';
  notebook.add('create.unavailable', isSaid ? 'not acted on' : 'in doubt', answer.pointer, 'certain', why);
  return isSaid;
}

/** Operations whose servers are others than the document's. */
export function noteOwnServers(operations: readonly OpenApiOperation[], notebook: Findings): void {
  for (const { name, value } of operations) {
    const servers = value['servers'];
    if (Array.isArray(servers) && servers.some((each) => isObject(each))) {
      notebook.note(`${name} names servers of its own. srq sends to the base URL alone.`);
    }
  }
}
