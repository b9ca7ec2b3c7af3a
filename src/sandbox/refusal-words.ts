import type { Json, Operation } from '../model/contract.ts';
import { pointerNames } from '../model/json-pointer.ts';
import { type Draft, isList, isObject } from './pointer.ts';
import type { Problems } from './schema-check.ts';

/** One thing that is wrong. `name` is the wire path; empty if it is about the whole request. */
interface Problem {
  readonly name: string;
  readonly words: string;
}

/** Members of an error that say which parameter it is about. */
const NAMES_PARAMETER = /^(?:field|param|parameter|property|attribute|name|pointer|path|loc|location)$/i;

/**
 * The document's refusal with these problems in place of its words. A list of errors gets one element for each problem, an
 * object of errors one member; a single text names them all.
 */
export function refusalBody({ refusal, errorTexts }: Operation, problems: Problems): Draft {
  const all = Object.entries(problems).map(([name, words]) => ({ name, words }));
  const sample: Json = refusal?.body ?? null;
  return errorTexts.reduce<Draft>((draft, pointer) => withWords(draft, pointerNames(pointer), all), sample);
}

function withWords(draft: Draft | undefined, parts: readonly string[], problems: readonly Problem[]): Draft {
  const [part, ...rest] = parts;
  if (part === undefined) return problems.map(({ name, words }) => `${name} ${words}`.trim()).join('; ');
  if (part !== '*') {
    const members = isObject(draft) ? draft : {};
    return { ...members, [part]: withWords(members[part], rest, problems) };
  }
  if (isObject(draft)) {
    const [first] = Object.values(draft);
    const members = problems.map((problem) => [problem.name, withWords(draft[problem.name] ?? first, rest, [problem])]);
    return Object.fromEntries(members);
  }
  const elements = isList(draft) ? draft : [];
  return problems.map((problem, place) =>
    withWords(withName(elements[place] ?? elements[0], problem.name), rest, [problem]),
  );
}

/** An error of the sample, about another parameter. */
function withName(draft: Draft | undefined, name: string): Draft | undefined {
  if (!isObject(draft)) return draft;
  return Object.fromEntries(
    Object.entries(draft).map(([member, value]) => [
      member,
      NAMES_PARAMETER.test(member) && !isObject(value) ? namedAs(value, name) : (withName(value, name) ?? value),
    ]),
  );
}

/** The name as the sample has it: a JSON pointer, a list of its parts (after `body`, as some have it), or by itself. */
function namedAs(sample: Draft, name: string): Draft {
  if (isList(sample)) return [...(sample[0] === 'body' ? ['body'] : []), ...name.split('.')];
  return typeof sample === 'string' && sample.startsWith('/') ? `/${name.replaceAll('.', '/')}` : name;
}
