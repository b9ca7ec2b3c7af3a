import { type Command, InvalidArgumentError } from 'commander';
import { expect, test } from 'vitest';
import { makeProgram } from '../../src/cli/program.ts';

const program = await makeProgram('0.0.0', async () => {}, {});

/** Every command, the hidden ones too, by its words. */
function commandsOf(command: Command, words: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((each) => {
    const name = [...words, each.name()];
    return [[name.join(' '), each] as [string, Command], ...commandsOf(each, name)];
  });
}

function refusalOf(parse: (text: string, before: unknown) => unknown): string {
  try {
    parse('none', undefined);
    return '';
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    return error.message;
  }
}

test('each option that takes a whole number has these bounds, and this number if it is not given', () => {
  const said = commandsOf(program).flatMap(([name, { options }]) =>
    options.flatMap(({ long, parseArg, defaultValue }) => {
      const bounds = parseArg ? /^Give a whole number,? (.+)\.$/.exec(refusalOf(parseArg))?.[1] : undefined;
      return bounds === undefined ? [] : [`${name} ${long}: ${bounds}, else ${defaultValue ?? 'none'}`];
    }),
  );
  expect(said.toSorted()).toEqual([
    'bulk --concurrency: from 1 to 1000, else 16',
    'bulk --health-port: from 1 to 65535, else none',
    'bulk --limit: of at least 1, else none',
    'bulk --skip-lines: of at least 0, else 0',
    'bulk --skip: of at least 0, else 0',
    'enqueue --limit: of at least 1, else none',
    'enqueue --skip-lines: of at least 0, else 0',
    'enqueue --skip: of at least 0, else 0',
    'export --skip-lines: of at least 0, else 0',
    'log --limit: from 0 to 1000000, else none',
    'report --skip-lines: of at least 0, else 0',
    'sandbox --latency: from 0 to 600000, else 0',
    'sandbox --port: from 0 to 65535, else 4010',
    'sandbox --seed: from 0 to 4294967295, else 1',
    'sandbox --token-ttl: from 1 to 31536000, else 3600',
    'store prune --older-than: from 1 to 36500, else 30',
    'work --concurrency: from 1 to 1000, else 64',
    'work --health-port: from 1 to 65535, else none',
    'work --missing: from 10 to 86400, else 30',
  ]);
});

test('each option that takes one of a few words takes these, and this one if it is not given', () => {
  const said = commandsOf(program).flatMap(([name, { options }]) =>
    options.flatMap(({ long, argChoices, defaultValue }) =>
      argChoices ? [`${name} ${long}: ${argChoices.join(', ')}, else ${defaultValue ?? 'none'}`] : [],
    ),
  );
  const formats = 'csv, json, ndjson, else none';
  const statuses = 'created, duplicate, rejected, failed, unknown, else none';
  expect(said.toSorted()).toEqual([
    `bulk --format: ${formats}`,
    'bulk --in-doubt: park, validate, else validate',
    'bulk --on-duplicate: skip, create, else skip',
    'create --on-duplicate: skip, create, else skip',
    `enqueue --format: ${formats}`,
    'enqueue --on-duplicate: skip, create, else skip',
    `export --format: ${formats}`,
    `export --status: ${statuses}`,
    `log --status: ${statuses}`,
    'login --encoding: form, json, else none',
    `report --format: ${formats}`,
    'work --log-format: text, json, else text',
    'work --on-duplicate: skip, create, else skip',
  ]);
});
