import type { Context } from '../cli/context.ts';
import { askUntil } from '../cli/prompt.ts';
import type { AskMeaning } from '../delivery/send-rows.ts';
import { printable } from '../report/output.ts';
import { SrqError } from '../request/words/errors.ts';

/** Asks what an answer means. If it names an identifier, a choice is to believe every new one. */
export function askMeaning(context: Context, ...[row, { text, ids }]: Parameters<AskMeaning>): ReturnType<AskMeaning> {
  const [name] = Object.keys(ids);
  const always =
    name === undefined ? [] : [`  i  yes, whenever its "${printable(name)}" is a new one, whatever else it says`];
  const question = [
    `The service answered row ${row}: ${printable(text)}`,
    'Does that mean that the request was taken?',
    '  y  yes, whenever it answers just like this',
    ...always,
    '  n  no, it means a refusal',
    '  Enter  look it up first: the row stays unknown, and the run stops',
    'Your answer:',
  ].join('\n');
  return askUntil(context, question, (answer) => {
    const choice = answer.trim().toLowerCase();
    if (choice === '') return null;
    if (choice === 'i' && name !== undefined) return 'id';
    if (choice === 'y' || choice === 'yes') return 'taken';
    if (choice === 'n' || choice === 'no') return 'refused';
    throw new SrqError('arguments.invalid', `Type y, ${name === undefined ? '' : 'i '}or n, or press Enter.`);
  });
}
