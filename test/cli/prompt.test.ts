import { expect, test } from 'vitest';
import { ask, askHidden, askKey, askUntil, askYesNo, forgetTyped } from '../../src/cli/prompt.ts';
import { SrqError } from '../../src/request/errors.ts';
import { contextOf } from '../helpers/command-context.ts';

const LEFT = { code: 'interrupted', reason: 'prompt.left', message: 'Nothing was sent.' };

test.each([
  ['y', true],
  ['Y', true],
  ['yes', true],
  ['YES', true],
  [' yes ', true],
  ['', false],
  ['n', false],
  ['N', false],
  ['no', false],
  ['NO', false],
])('a question of yes or no is answered by %j: %j', async (typed, answer) => {
  const { context, stderr } = contextOf({ typed: [[/Sure\? \[y\/N\] /, `${typed}\r`]] });
  expect(await askYesNo(context, 'Sure?')).toBe(answer);
  expect(stderr()).not.toContain('Type y');
});

test.each(['yess', 'ye', 'nope', 'xn', 'xy', 'j', '1', 'y n'])(
  'a question of yes or no is asked again after %j',
  async (typed) => {
    const { context, stderr } = contextOf({
      typed: [
        [/Sure\? /, `${typed}\r`],
        [/Type y for yes, or n for no\.[\s\S]*Sure\? /, 'y\r'],
      ],
    });
    expect(await askYesNo(context, 'Sure?')).toBe(true);
    expect(stderr().match(/Type y for yes/g)).toHaveLength(1);
  },
);

test('what is wrong with an answer is told with its hint, and other errors are thrown', async () => {
  const { context, stderr } = contextOf();
  const answers = ['bare', 'hinted', 'right'];
  const accepts = (answer: string) => {
    if (answer === 'bare') throw new SrqError('arguments.invalid', 'That is wrong.');
    if (answer === 'hinted') throw new SrqError('arguments.invalid', 'Wrong again.', 'Type right.');
    return answer.length;
  };
  expect(await askUntil(context, async () => answers.shift() ?? '', accepts)).toBe(5);
  expect(stderr()).toMatch(/That is wrong\.\n[\s\S]*Wrong again\. Type right\.\n/);
  const broken = () => {
    throw new TypeError('broken');
  };
  await expect(askUntil(context, async () => '', broken)).rejects.toThrow(TypeError);
});

test('an answer is trimmed, and Ctrl-C and the end of the input leave the question', async () => {
  const typed = contextOf({ typed: [[/Name: /, '  Ana Exemplo \r']] });
  expect(await ask(typed.context, 'Name:')).toBe('Ana Exemplo');
  for (const keys of ['\u0003', '\u0004']) {
    const { context } = contextOf({ typed: [[/Name: /, keys]] });
    await expect(ask(context, 'Name:'), JSON.stringify(keys)).rejects.toMatchObject(LEFT);
  }
});

test('a secret is asked for on the terminal, is not shown, and ends its line', async () => {
  const { context, stderr, stdout } = contextOf({ typed: [[/Client secret: /, 's3cret words\r']] });
  expect(await askHidden(context, 'First line\nClient secret: ')).toBe('s3cret words');
  expect([stderr(), stdout()]).toEqual(['First line\nClient secret: \n', '']);
});

test('a locale of ASCII gets its questions in ASCII', async () => {
  const { context, stderr } = contextOf({ typed: [[/q to quit: /, '\r']], env: { LC_ALL: 'C' } });
  await ask(context, 'Enter to go on · q to quit: ');
  expect(stderr()).not.toContain('·');
});

test.each([
  ['y', 'y'],
  ['Y', 'y'],
  ['N', 'n'],
  ['xzn', 'n'],
  ['\u001b[Ay', 'y'],
  ['\u001b[15~n', 'n'],
  ['\u001b[1;5Cy', 'y'],
  ['\u001bOny', 'y'],
  ['\u001bny', 'y'],
  ['🧳n', 'n'],
])('of the keys %j the one that answers is %j', async (keys, answer) => {
  const { context, stdin, stderr } = contextOf({ typed: [[/quit: /, keys]] });
  expect(await askKey(context, 'y yes · n no · q quit:', ['y', 'n', 'q'])).toBe(answer);
  expect([stdin.isRaw, stderr().endsWith(`quit: ${answer}\n`)]).toEqual([false, true]);
});

test.each(['\u0003', '\u0004', 'x\u0003y', '\u001b\u0003'])('the keys %j leave a question', async (keys) => {
  const { context, stdin } = contextOf({ typed: [[/quit: /, keys]] });
  await expect(askKey(context, 'y yes · q quit:', ['y', 'q'])).rejects.toMatchObject(LEFT);
  expect(stdin.isRaw).toBe(false);
});

test('a terminal that is closed leaves a question, too', async () => {
  const { context, stdin } = contextOf({ typed: [] });
  const asked = askKey(context, 'y yes · q quit:', ['y', 'q']);
  stdin.end();
  await expect(asked).rejects.toMatchObject(LEFT);
});

test('keys typed ahead answer the next questions, unless they are forgotten', async () => {
  const { context, stdin } = contextOf({ typed: [[/First/, 'ynq']] });
  expect(await askKey(context, 'First', ['y', 'n', 'q'])).toBe('y');
  expect(await askKey(context, 'Second', ['y', 'n', 'q'])).toBe('n');
  await forgetTyped(context);
  expect(stdin.isRaw).toBe(false);
  const third = askKey(context, 'Third', ['y', 'n', 'q']);
  stdin.write('y');
  expect(await third).toBe('y');
});
