import { expect, test } from 'vitest';
import { STEP_NAMES } from '../../src/request/diagnosis.ts';
import { COMMANDS_WITH_DOCUMENTS, inputSchema, outputSchema } from '../../src/request/documents/json-schema.ts';

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
  'auth = basic bearer apiKey',
  'auth = body basic',
  'audioForm = base64 data-url binary',
  'confidence = certain likely weak',
  'encoding = form json',
  'encoding = form json multipart',
  'format = csv json',
  'format = csv json xlsx',
  'format = uuid text',
  'in = body header query',
  'in = header query',
  'kind = live test',
  'level = certain likely',
  'method = POST PUT',
  'pass = sending|looking after others|settling',
  'result = ok warn fail skip',
  'said = taken refused',
  'secret = stored env command keychain contract missing',
  'sends = creates asks nothing',
  'severity = error warning',
  'state = none expired valid',
  'status = created duplicate rejected failed unknown',
  'status = created duplicate repeated invalid rejected failed unknown ready',
  'status = created failed',
  'type = flag text number choice',
  'type = string integer number boolean',
  'verdict = clear duplicate',
  'verdict = clear duplicate unknown',
];

test('the words that members may be are those of this version', () => {
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

test('the steps of a diagnosis are these, in their order', () => {
  const names = 'settings store proxy dns tcp tls clock token validate log disk results create contract';
  expect(STEP_NAMES).toEqual(names.split(' '));
});

test('a command prints one document or an error, but for these', () => {
  const shapes = (command: string) => (outputSchema(command)['anyOf'] as object[]).length;
  const others = COMMANDS_WITH_DOCUMENTS.filter((command) => shapes(command) !== 2);
  expect(Object.fromEntries([...others, 'events'].map((command) => [command, shapes(command)]))).toEqual({
    ...{ validate: 3, create: 3, bulk: 4, log: 4, export: 5, resolve: 3, enqueue: 4, 'contract learn': 3, events: 6 },
  });
});

test.each(['validate', 'create', 'log', 'export'])('%s may print a list of its documents', (command) => {
  const shapes = outputSchema(command)['anyOf'] as { type: string }[];
  expect(shapes.filter(({ type }) => type === 'array')).toHaveLength(1);
});

test.each(['create', 'validate'])('%s reads one request or several, whose values are scalars or null', (command) => {
  const { title, anyOf } = inputSchema(command) ?? {};
  const [one, several] = anyOf as { type: string; properties: Record<string, { type: unknown }>; items: object }[];
  expect([title, one?.type, several?.type, several?.items]).toEqual([`srq ${command} --file`, 'object', 'array', one]);
  expect(Object.keys(one?.properties ?? {})).toHaveLength(10);
  for (const { type } of Object.values(one?.properties ?? {}))
    expect(type).toEqual(['string', 'number', 'boolean', 'null']);
});

test('other commands read no document', () => {
  expect([inputSchema('bulk'), inputSchema('toString')]).toEqual([null, null]);
});
