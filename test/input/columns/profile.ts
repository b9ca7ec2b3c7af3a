import type { ContentProfile } from '../../../src/input/columns/content.ts';

/** A column of ten different texts of ten letters that have no form of their own. */
const PLAIN: ContentProfile = {
  filled: 10,
  email: 0,
  phone: 0,
  phoneShape: 0,
  writtenAsPhone: 0,
  postalCode: 0,
  country: 0,
  language: 0,
  date: 0,
  url: 0,
  ip: 0,
  yesNo: 0,
  amount: 0,
  digits: 0,
  recording: 0,
  wordsOnly: 0,
  oneWord: 0,
  givenName: 0,
  town: 0,
  streetWord: 0,
  clientele: 0,
  streetLike: 0,
  placeLike: 0,
  longText: 0,
  hasSpace: 0,
  codeLike: 0,
  distinct: 1,
  isSequence: false,
  medianLength: 10,
};

/** A profile as a column's cells would give it, told by its shares. */
export function profile(shares: Partial<ContentProfile> = {}): ContentProfile {
  return { ...PLAIN, ...shares };
}

/** What is asked of a profile at several values of one of its shares: `0.5 no, 0.6 yes` becomes `[[0.5, 'no'], [0.6, 'yes']]`. */
export function atValues(text: string): readonly (readonly [value: number, answer: string])[] {
  return text.split(', ').map((each) => {
    const [value = '', answer = ''] = each.split(' ');
    return [Number(value), answer];
  });
}
