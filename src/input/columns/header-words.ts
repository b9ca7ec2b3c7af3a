import { isFieldWord, isKnownWord } from './vocabulary.ts';

/**
 * Splits a header into its words, folded to lower-case ASCII letters: `contactPhoneNumber`, `E-Mail`, `Kunden-Tel.` and
 * `¿Qué necesitas?` give `contact phone number`, `email`, `kunden tel` and `que necesitas`. An unknown word is split if
 * it consists of known ones (`handynummer`). With `mendsSlips`, an unknown word is replaced by the known word from
 * which it differs by one typing error, which may be a wrong guess. `#` and `№` are words of their own, because they
 * mean a number.
 */
export function headerWords(header: string, mendsSlips: boolean): string[] {
  const plain = header
    .normalize('NFKC')
    .replace(/\{\{.*?\}\}/g, ' ')
    .replace(/whatsapp/gi, ' whatsapp ')
    .replace(/\bdrop[-_ ]?off\b/gi, ' dropoff ')
    // The German "vor Ort" means at the site, and no town.
    .replace(/\bvor ort\b/gi, ' site ')
    // Without its accent, the French word for "where" would be the one for "or".
    .replace(/^[^\p{L}]*où(?!\p{L})/iu, 'where ')
    // These are forms of both genders: "Alumno/a", "Schüler/in".
    .replace(/(?<=\p{L}{2})\/(?:s|e|en|r|in|innen|a|o|as|os)(?!\p{L})/giu, '')
    .replace(/(\p{L})@(\p{L})/gu, '$1a$2')
    // Initials with a small letter are one word, which may mean anybody: "NoK phone".
    .replace(/(?<!\p{L})\p{Lu}\p{Ll}\p{Lu}(?!\p{L})/gu, (initials) => initials.toLowerCase())
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    // Initials are one word, which may mean anybody: "Tel. w.p."
    .replace(/(?<![a-z])[a-z](?:\.[a-z])+(?![a-z])/g, (initials) => initials.replaceAll('.', ''))
    .replace(/(?<![a-z])post[^a-z]code(?=s?(?![a-z]))/g, 'postcode');
  const words = plain.split(/[^a-z#]+/).filter((word) => word !== '');
  return joinedLetters(words).flatMap((word) => understoodWords(word, mendsSlips));
}

/** Joins single letters: `c p` becomes `cp`, and a single letter is joined to a word that it completes. */
function joinedLetters(words: readonly string[]): string[] {
  const joined: string[] = [];
  let letters = '';
  const flush = () => {
    // A single `n` before another word means the number of something.
    if (letters === 'n') joined.push('#');
    else if (letters.length === 1 || isKnownWord(letters)) joined.push(letters);
    else joined.push(...letters);
    letters = '';
  };
  for (const word of words) {
    if (word.length === 1 && word !== '#') letters += word;
    else if (letters !== '' && isKnownWord(letters + word)) {
      joined.push(letters + word);
      letters = '';
    } else {
      flush();
      joined.push(word);
    }
  }
  flush();
  return joined;
}

function understoodWords(word: string, mendsSlips: boolean): readonly string[] {
  if (isKnownWord(word)) return [word];
  const parts = compoundParts(word);
  if (parts !== null) return parts;
  return [(mendsSlips ? withoutSlip(word) : null) ?? word];
}

/**
 * Minimum length of a known word that may be a part of a compound. Only `id`, `nr` and `no` may be shorter, at its end.
 */
const MIN_PART = 3;
const SHORT_ENDINGS = ['id', 'nr', 'no'];
const MAX_COMPOUND = 40;

/**
 * Splits a word into known words, the longest first, or returns null. The letters `s` or `n` may join them, as in
 * German.
 */
function compoundParts(word: string): string[] | null {
  if (word.length < 5 || word.length > MAX_COMPOUND) return null;
  for (let end = word.length - 2; end >= MIN_PART; end--) {
    const first = knownStem(word.slice(0, end));
    if (first === null) continue;
    const rest = word.slice(end);
    const isEnding = rest.length >= MIN_PART || SHORT_ENDINGS.includes(rest);
    if (isEnding && isPart(rest)) return [first, rest];
  }
  return null;
}

/** Returns the known word that a part of a compound is, with or without the letters that join it to the next part. */
function knownStem(part: string): string | null {
  if (isPart(part)) return part;
  const bare = /^(.{3,})(?:s|n|en|es)$/.exec(part)?.[1];
  return bare !== undefined && isPart(bare) ? bare : null;
}

/**
 * Tells whether a word may be a part of a compound. Words of three letters must have a meaning for a field, because
 * otherwise nearly everything would be a compound.
 */
function isPart(word: string): boolean {
  if (word.length > MIN_PART) return isKnownWord(word);
  return isFieldWord(word);
}

/** Minimum length of a word in which a typing error is looked for. Shorter words are too similar to each other. */
const MIN_SLIP = 5;

/** Returns the first known word that differs from a word by one letter that is missing, added, wrong or swapped. */
function withoutSlip(word: string): string | null {
  if (word.length < MIN_SLIP || word.length > MAX_COMPOUND) return null;
  return [...slipsOf(word)].find((each) => each.length >= MIN_SLIP && isKnownWord(each)) ?? null;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

function slipsOf(word: string): Set<string> {
  const slips = new Set<string>();
  for (let at = 0; at <= word.length; at++) {
    const [before, after] = [word.slice(0, at), word.slice(at)];
    if (after !== '') slips.add(before + after.slice(1));
    if (after.length > 1) slips.add(before + after.charAt(1) + after.charAt(0) + after.slice(2));
    for (const letter of LETTERS) {
      slips.add(before + letter + after);
      if (after !== '') slips.add(before + letter + after.slice(1));
    }
  }
  slips.delete(word);
  return slips;
}
