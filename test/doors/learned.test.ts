import { join } from 'node:path';
import { edited, isRefusal, learn, unlessRefused } from './learn.ts';
import { holds as holdsAt, ticked } from './table.ts';

const holds = (name: string, ...rest: [number, Parameters<typeof holdsAt>[2]]) =>
  holdsAt(join(import.meta.dirname, 'learned', name), ...rest);

/** What a person is told, or what was learned. */
const told = (action: () => string) => {
  const said = unlessRefused(action);
  return isRefusal(said) ? [`✗ ${said.message}`, said.hint || '-'] : [said, '-'];
};

holds('pages.md', 1, ([page = '']) => told(() => edited(ticked(page)).contract.create.call).slice(0, 1));

holds('documents.md', 1, ([document = '']) => {
  const text = ticked(document).replace(/(.)\{(\d+)\}/g, (_, letter, times) => letter.repeat(Number(times)));
  return told(() => learn(text, { name: 'api.json', operations: { create: '/leads' } }).contract.create.call);
});

const BODY = {
  requestBody: { content: { 'application/json': { schema: { properties: { phone: {}, request_text: {} } } } } },
};

holds('operations.md', 2, ([operations = '', said = '']) => {
  const paths: Record<string, object> = {};
  for (const name of operations.split(', ')) {
    const [method = '', path = ''] = name.split(/ (.*)/s);
    paths[path] = { ...paths[path], [method.toLowerCase()]: { ...BODY, responses: { 200: {} } } };
  }
  const person = Object.fromEntries(
    [...said.matchAll(/(\w+)=(.*?)(?=, \w+=|$)/g)].map(([, role, name]) => [role, name]),
  );
  return told(() => {
    const { contract, questions } = learn({ openapi: '3.1.0', paths }, { operations: person });
    const role = (name: string, call: string | undefined) => {
      const question = questions.find((each) => each.name === `operation:${name}`);
      const { choices = [], unanswered } = question ?? {};
      const asked = `${name}? ${choices.join(', ')}${unanswered === undefined ? '' : ` (else ${unanswered})`}`;
      return question ? asked : `${name}: ${call ?? 'none'}`;
    };
    return [role('create', contract.create.call), role('validate', contract.validate?.call)].join(' · ');
  }).slice(0, 1);
});
