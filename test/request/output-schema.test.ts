import { expect, test } from 'vitest';
import { COMMANDS_WITH_DOCUMENTS, outputSchema } from '../../src/request/documents/json-schema.ts';

test.each([...COMMANDS_WITH_DOCUMENTS, 'events'])(
  'the schema of %s takes members that a later version may add, and asks for the version',
  (command) => {
    const schema = outputSchema(command);
    expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
    for (const shape of schema['anyOf'] as { type: string; required?: readonly string[] }[])
      if (shape.type === 'object') expect(shape.required).toContain('schemaVersion');
  },
);
