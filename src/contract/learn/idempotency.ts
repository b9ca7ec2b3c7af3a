import { SrqError } from '../../request/words/errors.ts';
import { objectOf, textOf } from '../documents/json-parts.ts';
import { flatten } from '../schema/flat-schema.ts';
import { type CreateOperation, DEFAULT_KEY_LIFE_SECONDS, type Idempotency } from '../version-1/contract.ts';
import type { DocumentReading, OpenApiOperation } from './described-operation.ts';
import { EACH_ROW, type GivenConstants } from './given-constants.ts';
import type { Findings } from './notebook.ts';
import { IDEMPOTENCY_HEADER } from './operation-parameters.ts';
import { saysRecognised, shortestDuration } from './recognised-repetition.ts';

const SAYS_IGNORED =
  /\b(?:ignored?|deprecated|obsolete|unused|no longer|not (?:\w+ ){0,2}(?:used|supported|evaluated|honou?red|considered|heeded|implemented))\b/i;
/**
 * Matches words about repetitions. A sentence that says that repetitions are ignored does not say that the header is:
 * ignoring them is its purpose.
 */
const OF_REPETITIONS = /\b(?:repe\w+|retr\w+|same|duplicates?|second|subsequent|further|before|already)\b/i;
const MAX_WORDS = 10_000;

/**
 * Returns the header by which create recognises a repeated request. A header that looks like one is trusted only if the
 * document states that a repetition is recognised, or if a person says so, and only for the stated time.
 */
export function idempotencyOf(
  reading: DocumentReading,
  operation: OpenApiOperation,
  given: GivenConstants,
  notebook: Findings,
): CreateOperation['idempotency'] {
  for (const { value, pointer } of operation.parameters) {
    const { name, in: place, schema, description, deprecated, required } = objectOf(value);
    const header = textOf(name);
    if (place !== 'header' || !IDEMPOTENCY_HEADER.test(header)) continue;
    const { keywords } = flatten(reading.schemas.expand(schema, `${pointer}/schema`).schema);
    const own = [textOf(description), textOf(keywords['description'])].join('\n');
    const isUuid = keywords['format'] === 'uuid' || /\buuid\b/i.test(own) || isUuidPattern(keywords['pattern']);
    const shape = { header, format: isUuid ? 'uuid' : 'text' } as const;
    // A service that demands the header refuses every request without it. The header is then sent but not trusted.
    const unreliable: CreateOperation['idempotency'] = required === true ? { ...shape, windowSeconds: 0 } : null;
    const said = given.among([]).valueOf([header]);
    if (said !== null) {
      const windowSeconds = saidWindow(header, said);
      if (windowSeconds === 0) {
        notebook.add('create.idempotency', `not by ${header}`, pointer, 'certain', 'you said so');
        return unreliable;
      }
      return found({ ...shape, windowSeconds }, pointer, 'you said so', notebook);
    }
    if (deprecated === true || isIgnored(own)) {
      notebook.add('create.idempotency', `not by ${header}`, pointer, 'certain', 'the document says so');
      notebook.note(`The header ${header} is left alone: the document does not say that the service heeds it.`);
      if (unreliable === null) continue;
      return unreliable;
    }
    const words = [own, ...sentencesAbout(header, operation.words)].join('\n').slice(0, MAX_WORDS);
    const window = shortestDuration(words, DEFAULT_KEY_LIFE_SECONDS);
    if (saysRecognised(words, operation.method.toUpperCase()) && window !== 'unclear') {
      const why = 'the document says that a repeated create is recognised by it';
      return found({ ...shape, windowSeconds: window }, pointer, why, notebook);
    }
    notebook.ask({
      name: `idempotency:${header}`,
      text:
        `Does the service recognise a repeated create by the header ${header}, answer it as the first and create nothing again? ` +
        'The document does not say so plainly. If it does, say for how long it knows a key, or yes.',
      answer: `--set ${header}=24h`,
      unanswered: 'no',
    });
    return unreliable;
  }
  return null;
}

function found(idempotency: Idempotency, pointer: string, why: string, notebook: Findings): Idempotency {
  const { header, format, windowSeconds } = idempotency;
  const life =
    windowSeconds === null ? `${DEFAULT_KEY_LIFE_SECONDS / 60} minutes, for no time is named` : timeText(windowSeconds);
  notebook.add('create.idempotency', `${header} (${format}), for ${life}`, pointer, 'certain', why);
  return idempotency;
}

/**
 * Reads a person's statement about the header. Returns the time in seconds for which the header is trusted, 0 if it is
 * not trusted, or null if no time was named.
 */
function saidWindow(header: string, said: string): number | null {
  if (/^(?:n|no|none|false)$/i.test(said)) return 0;
  if (/^(?:y|yes|true)$/i.test(said)) return null;
  const window = said === EACH_ROW ? null : shortestDuration(said, DEFAULT_KEY_LIFE_SECONDS);
  if (typeof window === 'number' && window > 0) return window;
  throw new SrqError(
    'parameter.not-allowed',
    `"${said}" does not say whether a repeated create is recognised by ${header}.`,
    `Say no, yes, or for how long the service knows a key: --set ${header}=24h`,
  );
}

/**
 * Tells whether the description says that the service ignores the header. If such a header were trusted, a repeated
 * create would be acted on twice. The opposite mistake only leaves a request in doubt.
 */
function isIgnored(description: string): boolean {
  const sentences = description.split(/[.;\n]/);
  return sentences.some((each) => SAYS_IGNORED.test(each) && !OF_REPETITIONS.test(each));
}

/** Returns the sentences about the header from the description of the operation. */
function sentencesAbout(header: string, words: string): string[] {
  const name = header.toLowerCase();
  return words
    .split(/(?<=[.;!?])\s|\n/)
    .filter((each) => each.toLowerCase().includes(name) || /\bidempoten/i.test(each));
}

const isUuidPattern = (pattern: unknown): boolean =>
  typeof pattern === 'string' && pattern.includes('{8}') && pattern.includes('{12}');

function timeText(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3600, 'hour'],
    [60, 'minute'],
  ] as const;
  const [size, name] = units.find(([each]) => seconds >= each * 2 && seconds % each === 0) ?? [1, 'second'];
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
