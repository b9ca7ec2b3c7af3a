import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { callSrq } from '../doors/call-srq.ts';
import { makeProgram } from '../doors/program.ts';

const output = {
  writeOut: () => {},
  writeErr: () => {},
  getOutHelpWidth: () => 80,
};
const program = await makeProgram('0.0.0', async () => {}, output);

/** Every command that is shown, by its words. */
function commandsOf(command: Command, words: readonly string[] = []): [string, Command][] {
  const shown = command.createHelp().visibleCommands(command);
  return shown.flatMap((each) => {
    const name = [...words, each.name()];
    return [[name.join(' '), each] as [string, Command], ...commandsOf(each, name)];
  });
}

function helpOf(command: Command): string[] {
  let text = '';
  command.configureOutput({ ...output, writeOut: (part) => (text += part) });
  command.outputHelp();
  return text.trimEnd().split('\n');
}

describe('the help of a command', () => {
  test.each(commandsOf(program))(
    'the help of %s fits a screen of 80 columns and 24 lines, with one to three examples',
    (name, command) => {
      const lines = helpOf(command);
      expect(lines.length).toBeLessThan(24);
      expect(lines.filter((line) => line.length > 80)).toEqual([]);
      const examples = lines.filter((line) =>
        new RegExp(`^ {2}(?:eval "\\$\\()?srq ${name.split(' ')[0]}\\b`).test(line),
      );
      expect(examples.length).toBeGreaterThanOrEqual(1);
      expect(examples.length).toBeLessThanOrEqual(3);
    },
  );

  test('the help of all commands fits a screen, too, and names every one', () => {
    const lines = helpOf(program);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeLessThan(24);
    for (const topic of ['--all', 'exit-codes', 'errors'])
      expect(lines.at(-1)).toMatch(new RegExp(`srq help \\S*${topic}\\b`));
    for (const command of program.createHelp().visibleCommands(program))
      expect(lines.filter((line) => line.startsWith(`  ${command.name()} `))).toHaveLength(1);
  });

  test('the help of a command says how to see its rare options, and shows them when asked', async () => {
    const bulk = program.commands.find((command) => command.name() === 'bulk') as Command;
    const short = helpOf(bulk).join('\n');
    expect(short).not.toContain('--settle');
    expect(short).toContain('srq help bulk --all');
    const { stdout: text } = await callSrq(['help', 'bulk', '--all'], { env: {}, cwd: null });
    for (const { long } of bulk.options) expect(text).toContain(` ${long}`);
    expect(text).not.toContain('More options');
  });
});
