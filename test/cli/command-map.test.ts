import { describe, expect, test } from 'vitest';
import { COMMANDS_WITH_DOCUMENTS, documentsOf, outputSchema } from '../../src/request/documents/json-schema.ts';
import type { DocumentOf } from '../../src/request/documents/types.ts';
import { callSrq } from '../doors/call-srq.ts';

async function mapOf(...words: string[]): Promise<DocumentOf<'help'>> {
  return JSON.parse((await callSrq(['help', ...words, '--json'], { env: {}, cwd: null })).stdout);
}

describe('the map of the commands', () => {
  test('the map of commands has all commands, or those below a word', async () => {
    const { commands, version } = await mapOf();
    expect([version, new Set(commands.map(({ name }) => name)).size]).toEqual(['of a test', commands.length]);
    expect((await mapOf('profile')).commands.map(({ name }) => name)).toEqual(['profile list', 'profile use']);
    expect((await mapOf('queue')).commands.map(({ name }) => name)).toEqual(['queue', 'queue purge']);
  });

  test('every command except help has a schema, and every schema except that of events has a command', async () => {
    const topics = COMMANDS_WITH_DOCUMENTS.filter((name) => name.startsWith('help ') || name === 'events');
    const commands = (await mapOf()).commands.map(({ name }) => name);
    expect(COMMANDS_WITH_DOCUMENTS.filter((name) => !topics.includes(name)).sort()).toEqual(commands.sort());
    expect(documentsOf('bulk')).toEqual(['bulk', 'bulk --dry-run']);
  });

  test('every schema demands the version of the document, in each of its shapes', () => {
    type Shape = {
      type: string;
      items?: { anyOf: Shape[] };
      required?: string[];
      properties?: { schemaVersion?: object };
    };
    const shapesIn = ({ anyOf }: { anyOf?: Shape[] }): Shape[] =>
      (anyOf ?? []).flatMap((shape) => (shape.items ? shapesIn(shape.items) : [shape]));
    for (const command of COMMANDS_WITH_DOCUMENTS) {
      const shapes = shapesIn(outputSchema(command));
      expect(shapes.length).toBeGreaterThan(0);
      for (const { required, properties } of shapes)
        expect([command, required?.[0], properties?.schemaVersion]).toEqual([command, 'schemaVersion', { const: 1 }]);
    }
  });

  test('the map of commands says what a command may send', async () => {
    const { commands } = await mapOf();
    const sending = (sends: string) => commands.filter((each) => each.sends === sends).map(({ name }) => name);
    expect(sending('creates').toSorted()).toEqual(['bulk', 'create', 'doctor', 'work']);
    expect(sending('asks').toSorted()).toEqual(['login', 'validate']);
  });

  test('the map of commands says which environment variable stands for an option', async () => {
    const { commands, globalOptions } = await mapOf();
    const ofLogin = commands.find(({ name }) => name === 'login')?.options ?? [];
    const named = [...globalOptions, ...ofLogin].flatMap(({ name, environment }) =>
      environment === null ? [] : [[name, environment]],
    );
    expect(Object.fromEntries(named)).toEqual({
      ...{ '--profile': 'SRQ_PROFILE', '--store': 'SRQ_STORE', '--no-color': 'NO_COLOR' },
      ...{ '--base-url': 'SRQ_BASE_URL', '--client-id': 'SRQ_CLIENT_ID', '--client-secret-stdin': 'SRQ_CLIENT_SECRET' },
    });
  });
});
