import { describe, expect, test } from 'vitest';
import { ENVIRONMENT } from '../../src/cli/environment.ts';
import { makeProgram } from '../../src/cli/program.ts';
import { COMMAND_FACTS, commandMap, leavesOf } from '../../src/commands/command-map.ts';
import { COMMANDS_WITH_DOCUMENTS, documentsOf, outputSchema } from '../../src/request/documents/json-schema.ts';
import type { DocumentOf } from '../../src/request/documents/types.ts';

const program = await makeProgram('1.2.3', async () => {}, {});

async function mapOf(...words: string[]): Promise<DocumentOf<'help'>> {
  let printed: DocumentOf<'help'> | null = null;
  const reporter = { result: async (_: string, document: DocumentOf<'help'>) => (printed = document) };
  const wanted = words.reduce((command, word) => {
    return command.commands.find((each) => each.name() === word) ?? command;
  }, program);
  await commandMap({ reporter: async () => reporter } as never, program, wanted);
  return printed as unknown as DocumentOf<'help'>;
}

describe('the map of the commands', () => {
  test('has every command that can be run, and facts on each; no facts are left over', async () => {
    const { commands, version } = await mapOf();
    expect(version).toBe('1.2.3');
    const names = commands.map(({ name }) => name);
    expect(names.sort()).toEqual(Object.keys(COMMAND_FACTS).sort());
    expect(names).toEqual(
      leavesOf(program)
        .map(([words]) => words.join(' '))
        .sort(),
    );
  });

  test('every command but those on help has documents, and every document but the events a command', async () => {
    const topics = COMMANDS_WITH_DOCUMENTS.filter((name) => name.startsWith('help ') || name === 'events');
    const commands = Object.keys(COMMAND_FACTS);
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

  test('says of a command what it may send, and how it may end', async () => {
    const { commands } = await mapOf();
    const sending = (sends: string) => commands.filter((each) => each.sends === sends).map(({ name }) => name);
    expect(sending('creates').toSorted()).toEqual(['bulk', 'create', 'doctor', 'work']);
    expect(sending('asks').toSorted()).toEqual(['login', 'resolve', 'validate']);
    for (const { name, errors, exitCodes, reasons, sends } of commands) {
      expect([name, exitCodes]).toEqual([name, [...new Set(exitCodes)].toSorted((a, b) => a - b)]);
      // What every command may meet, and what follows from a call to the service.
      for (const each of ['fault', 'usage', 'settings', 'interrupted', 'terminated'])
        expect([name, errors]).toEqual([name, expect.arrayContaining([each])]);
      for (const each of ['unreachable', 'service'])
        expect([name, each, errors.includes(each)]).toEqual([name, each, sends !== 'nothing']);
      // A create needs the log, and may end in doubt.
      if (sends === 'creates')
        expect([name, errors]).toEqual([name, expect.arrayContaining(['log', 'unknown', 'auth'])]);
      expect([name, reasons.includes('arguments.invalid'), reasons.includes('auth.refused')]).toEqual([
        ...[name, true, errors.includes('auth')],
      ]);
    }
  });

  test('says which option an environment variable stands for, and there is such an option', async () => {
    const { commands, globalOptions } = await mapOf();
    const all = [...globalOptions, ...commands.flatMap(({ options }) => options)];
    for (const { option, names } of ENVIRONMENT.filter((each) => each.option !== undefined))
      expect(all.find(({ name }) => name === option)).toMatchObject({ environment: names[0] });
    expect(globalOptions.find(({ name }) => name === '--profile')).toMatchObject({ environment: 'SRQ_PROFILE' });
  });
});
