import type { CreateOperation } from '../model/contract.ts';
import type { DescribedOperation, Reading } from './described-operation.ts';
import { flatten } from './flat-schema.ts';
import { objectOf, textOf } from './json-parts.ts';
import type { Notebook } from './notebook.ts';
import { IDEMPOTENCY_HEADER } from './operation-parameters.ts';

const NOT_HEEDED =
  /\b(?:ignored?|deprecated|obsolete|unused|no longer|not (?:\w+ ){0,2}(?:used|supported|evaluated|honou?red|considered|heeded|implemented))\b/i;
/** What is ignored then is the repetition, which is what the header is for. */
const OF_REPETITIONS = /\b(?:repe\w+|retr\w+|same|duplicates?|second|subsequent|further|before|already)\b/i;

/** The header by which create recognises a repeated request, if the document has one that the service heeds. */
export function idempotencyOf(
  reading: Reading,
  operation: DescribedOperation,
  notebook: Notebook,
): CreateOperation['idempotency'] {
  for (const { value, pointer } of operation.parameters) {
    const { name, in: place, schema, description, deprecated } = objectOf(value);
    const header = textOf(name);
    if (place !== 'header' || !IDEMPOTENCY_HEADER.test(header)) continue;
    if (deprecated === true || isNotHeeded(textOf(description))) {
      notebook.note(`The header ${header} is left alone: the document does not say that the service heeds it.`);
      continue;
    }
    const { keywords } = flatten(reading.schemas.expand(schema, `${pointer}/schema`).schema);
    const isUuid =
      keywords['format'] === 'uuid' || /\buuid\b/i.test(textOf(description)) || isUuidPattern(keywords['pattern']);
    const format = isUuid ? 'uuid' : 'text';
    notebook.find(
      'create.idempotency',
      `${header} (${format})`,
      pointer,
      'certain',
      'a repeated create is recognised by it',
    );
    return { header, format };
  }
  return null;
}

/** If it is taken for one that is, a repeated create is acted on a second time; the other mistake only leaves a doubt. */
function isNotHeeded(description: string): boolean {
  const sentences = description.split(/[.;\n]/);
  return sentences.some((each) => NOT_HEEDED.test(each) && !OF_REPETITIONS.test(each));
}

const isUuidPattern = (pattern: unknown): boolean =>
  typeof pattern === 'string' && pattern.includes('{8}') && pattern.includes('{12}');
