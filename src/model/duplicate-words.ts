const DUPLICATE =
  /dupli[ck]|already (?:exists?|submitted|created|received|sent)\b|seen before|dublette|bereits vorhanden/i;
/** The longest text that is looked at. */
const MAX_LENGTH = 4000;
const DENIAL = "\\b(?:no|not|non|never|without|isn['’]t|aren['’]t)\\b";
const DENIED = new RegExp(`${DENIAL}[^.;:]{0,80}?(?:${DUPLICATE.source})`, 'i');
const DENYING = new RegExp(DENIAL, 'i');
/** A duplicate is not all that is spoken of, or it is the key of the call that was there before. */
const PERHAPS = /\bor\b|\boder\b|idempoten/i;

/**
 * What words, or a code such as `DUPLICATE_REQUEST`, say of a duplicate: that it is one, that it is none, both or
 * something else besides, nothing at all.
 */
export function saidOfDuplicate(text: string): 'yes' | 'no' | 'perhaps' | null {
  const words = text
    .slice(0, MAX_LENGTH)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_\-\s]+/g, ' ');
  if (!DUPLICATE.test(words)) return null;
  if (DENIED.test(words)) return 'no';
  const told = words.split(/[.;:,]/).filter((part) => DUPLICATE.test(part));
  return PERHAPS.test(words) || told.some((part) => DENYING.test(part)) ? 'perhaps' : 'yes';
}
