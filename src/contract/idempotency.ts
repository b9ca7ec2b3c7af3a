import type { CreateOperation } from '../model/contract.ts';
import type { DescribedOperation, Reading } from './described-operation.ts';
import { flatten } from './flat-schema.ts';
import { objectOf, textOf } from './json-parts.ts';
import type { Notebook } from './notebook.ts';
import { IDEMPOTENCY_HEADER } from './operation-parameters.ts';

/** The header by which create recognises a repeated request, if the document has one. */
export function idempotencyOf(
  reading: Reading,
  operation: DescribedOperation,
  notebook: Notebook,
): CreateOperation['idempotency'] {
  for (const { value, pointer } of operation.parameters) {
    const { name, in: place, schema, description } = objectOf(value);
    const header = textOf(name);
    if (place !== 'header' || !IDEMPOTENCY_HEADER.test(header)) continue;
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

const isUuidPattern = (pattern: unknown): boolean =>
  typeof pattern === 'string' && pattern.includes('{8}') && pattern.includes('{12}');
