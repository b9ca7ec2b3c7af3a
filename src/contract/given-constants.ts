import type { Question } from '../model/contract.ts';
import { nearest } from '../model/did-you-mean.ts';
import { SrqError } from '../model/errors.ts';
import { isSecretName } from '../model/secret-name.ts';
import type { JsonObject } from './described.ts';
import { textOf } from './json-parts.ts';
import { allowedValues } from './leaf-parameter.ts';

/** The values that a person gave for what srq cannot know, by a parameter's name or its whole path joined by dots. */
export interface GivenConstants {
  valueOf(path: readonly string[]): string | null;
  /** Asks for the value of a parameter. */
  question(path: readonly string[], keywords: JsonObject): Question;
  /** Throws `SrqError('input')` for a value that no parameter took. */
  refuseUnused(): void;
}

export function givenConstants(values: Readonly<Record<string, string>>): GivenConstants {
  const used = new Set<string>();
  const asked = new Set<string>();
  const lookUp = (name: string): string | null => {
    asked.add(name);
    if (!Object.hasOwn(values, name)) return null;
    used.add(name);
    return values[name] ?? null;
  };
  return {
    valueOf: (path) => lookUp(path.join('.')) ?? lookUp(path.at(-1) ?? ''),
    question(path, keywords) {
      const name = path.at(-1) ?? '';
      const description = textOf(keywords['description']).replace(/\s+/g, ' ').trim().slice(0, 200);
      const allowed = allowedValues(keywords)
        ?.slice(0, 8)
        .map(({ value }) => value);
      const told = [description, ...(allowed ? [`one of ${allowed.join(', ')}`] : [])].filter((each) => each !== '');
      return {
        name: `constant:${name}`,
        text: `The service requires "${path.join('.')}"${told.length > 0 ? ` (${told.join('; ')})` : ''}. What is its value?`,
        answer: answerFor(name),
      };
    },
    refuseUnused() {
      const name = Object.keys(values).find((each) => !used.has(each));
      if (name === undefined) return;
      const meant = nearest(name, [...asked]);
      throw new SrqError(
        'input',
        `The document has no parameter "${name}".`,
        meant === null
          ? 'Leave it out, or see the names with: srq contract learn FILE --dry-run'
          : `Did you mean: ${answerFor(meant)}`,
      );
    },
  };
}

/** The flag that gives a value; a secret is no argument, which others can read. */
export function answerFor(name: string): string {
  return `--set ${name}=${isSecretName(name) ? '@FILE' : 'VALUE'}`;
}
