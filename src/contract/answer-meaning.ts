import type { CreateOperation } from '../model/contract.ts';
import { isIdentifyingName } from '../model/identifying-name.ts';
import { type AnswerPlace, type DescribedAnswer, refused, succeeded } from './answers.ts';

/** Parts of an answer that speak of something else than the request. */
export const ABOUT_ANOTHER =
  /^(?:links?|users?|account|client|customer|contact|person|partner|categor(?:y|ies)|location|country|meta|included|relationships)$/;
/** Parts that tell of earlier requests, or of what was wrong. */
const ABOUT_EARLIER = /^(?:errors?|duplicates?|matches)$/;
/** What names the created request in the answers of create. */
export function identifierPlaces(answers: readonly DescribedAnswer[]): CreateOperation['identifiers'] {
  const places = answers.filter(succeeded).flatMap((answer) => answer.places);
  const named = places.filter(isIdentifier);
  const telling = named.filter(({ words }) => words.join('') !== 'code');
  const kept = telling.length > 0 ? telling : named;
  const names = kept.map(({ path }) => path.findLast((name) => name !== '*') ?? 'id');
  return [...new Map(kept.map((place, index) => [place.pointer, index])).values()].flatMap((index) => {
    const place = kept[index];
    const name = names[index] ?? 'id';
    const isAlone = names.filter((each) => each === name).length === 1;
    return place === undefined ? [] : [{ name: isAlone ? name : place.path.join('.'), pointer: place.pointer }];
  });
}

function isIdentifier({ words, path, types }: AnswerPlace): boolean {
  const around = path.slice(0, -1).filter((name) => name !== '*');
  if (
    around.some((name) => ABOUT_ANOTHER.test(name.toLowerCase()) || ABOUT_EARLIER.test(name.toLowerCase())) ||
    types.some((type) => /object|array|boolean/.test(type))
  ) {
    return false;
  }
  return isIdentifyingName(words);
}

const TELLING = [
  /^(?:detail|details)$/,
  /^(?:msg|message|defaultmessage|errordescription|description|errormessage)$/,
  /^(?:title|reason|error|errors|text)$/,
];

/** Where the refusals say why: one place for the whole, one within a list or an object of them. */
export function errorTextPlaces(answers: readonly DescribedAnswer[]): { pointers: string[]; where: string } {
  const usual = [...answers.filter(refused)].sort((a, b) => preference(a.status) - preference(b.status));
  const answer = usual.find(({ places }) => places.length > 0);
  if (answer === undefined) return { pointers: [], where: '' };
  const texts = answer.places.filter(({ types, values }) =>
    types.length > 0 ? types.includes('string') : values.some((each) => typeof each === 'string'),
  );
  const of = (isWithin: boolean) => {
    const places = texts.filter(({ path }) => path.includes('*') === isWithin);
    return TELLING.map((pattern) => places.find(({ words }) => pattern.test(words.join('')))).find(Boolean)?.pointer;
  };
  return { pointers: [of(false), of(true)].flatMap((each) => each ?? []), where: answer.pointer };
}

/** Those that speak of the data before those that speak of who asks, and how often. */
const preference = (status: number): number =>
  [422, 400, 409].indexOf(status) + 1 || (status === 401 || status === 429 ? 9 : 5);
