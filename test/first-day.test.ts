import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeProgram } from './doors/program.ts';

const program = await makeProgram('0.0.0', async () => {}, {});
const page = readFileSync('docs/first-day.md', 'utf8');
/** The words of each command of the page, without `srq` and what a shell reads. */
const commands = [...page.matchAll(/^\$ srq (.*)$/gm)].map(([, line = '']) =>
  (line.replace(/ < \S+$/, '').match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replace(/^"|"$/g, '')),
);

test('the first day goes from login to log, and a later one to the contract', () => {
  const names = [...new Set(commands.map(([name]) => name))];
  expect(names).toEqual(['login', 'doctor', 'status', 'validate', 'create', 'template', 'bulk', 'log', 'contract']);
});

test.each(commands)('srq %s of the first day exists, with its flags', (...words) => {
  const command = program.commands.find((each) => each.name() === words[0]);
  expect(command).toBeDefined();
  const within = command?.commands.find((each) => each.name() === words[1]);
  const known = [program, command, within].flatMap((each) => each?.options.map(({ long }) => long) ?? []);
  const unknown = words.filter((word) => word.startsWith('--') && !known.includes(word));
  expect(unknown).toEqual([]);
});

test('every next command that the first day shows exists', () => {
  const shown = [...page.matchAll(/(?:Next|Try it): srq (\w+)/g)].map(([, name]) => name);
  expect(shown.length).toBeGreaterThan(2);
  expect(shown.filter((name) => !program.commands.some((each) => each.name() === name))).toEqual([]);
});
