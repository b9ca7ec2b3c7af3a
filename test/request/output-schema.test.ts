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

/** Visits each member of a schema with its name. */
function visit(schema: unknown, name: string, see: (name: string, schema: Record<string, unknown>) => void): void {
  if (typeof schema !== 'object' || schema === null) return;
  see(name, schema as Record<string, unknown>);
  for (const [word, value] of Object.entries(schema)) {
    if (word !== 'properties') visit(value, Array.isArray(schema) ? name : word === 'enum' ? '' : name, see);
    else for (const [member, each] of Object.entries(value as object)) visit(each, member, see);
  }
}

/** The words that a member may be in any document, written down apart from the program: `schemaVersion` 1 has these. */
const WORDS: readonly string[] = [
  'audio = base64 data-url binary',
  'auth = body basic',
  'encoding = form json',
  'encoding = form json multipart',
  'format = csv json',
  'format = csv json xlsx',
  'kind = live test',
  'level = certain likely',
  'operation = create token validate',
  'pass = sending|settling',
  'result = ok warn fail skip',
  'said = taken refused',
  'secret = stored env command missing',
  'sends = creates asks nothing',
  'severity = error warning',
  'state = none expired valid',
  'status = created duplicate rejected failed unknown',
  'status = created duplicate repeated invalid rejected failed unknown ready',
  'status = created failed',
  'type = flag text number choice',
  'verdict = clear duplicate unknown',
];

test('the words that a member of JSON output may have are those of this version', () => {
  const found = new Set<string>();
  for (const command of [...COMMANDS_WITH_DOCUMENTS, 'events']) {
    visit(outputSchema(command), '', (name, { enum: words }) => {
      // Codes have lists of their own in the pages, and steps below.
      if (Array.isArray(words) && !/^(?:code|reasons?|name)$/.test(name))
        found.add(`${name} = ${words.toSorted().join('|')}`);
    });
  }
  const sorted = (line: string) => {
    const [name, words = ''] = line.split(' = ');
    return `${name} = ${words
      .split(words.includes('|') ? '|' : ' ')
      .toSorted()
      .join('|')}`;
  };
  expect([...found].sort()).toEqual(WORDS.map(sorted).sort());
});
