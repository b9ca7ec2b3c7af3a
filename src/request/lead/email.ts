import { domainToASCII } from 'node:url';
import type { FindingOf } from '../words/finding.ts';

/** Matches addresses as most people write them: nothing to tidy, and a domain that is its own ASCII form. */
const PLAIN = /^(?=.{1,64}@)(?!.*@.*xn--)[\w+-]+(?:\.[\w+-]+)*@(?:[a-z\d][a-z\d-]*\.)+[a-z]{2,}$/;
const MAX_ADDRESS_BYTES = 254;
/**
 * Matches what no domain contains. The conversion of a domain to ASCII is that of web addresses, which drops tabs and
 * line breaks, decodes percent signs, and cuts off everything behind the other marks.
 */
const NO_DOMAIN = /[\s/?#\\%:]/;
/** Matches a domain in ASCII with a dot within it. Digits behind the last dot make it a number of a machine. */
const DOTTED_NAME = /[^.]\.[^.]*[^.\d][^.]*\.?$/;

/**
 * Maximum length of a cell. Longer ones hold something else, and the limit also bounds the work that a hostile cell can
 * cause.
 */
const MAX_CELL_LENGTH = 1000;

const refused = (error: FindingOf<'email'>) => ({ email: null, error });

/**
 * Normalises a cell to NFKC, and removes invisible characters, `mailto:` with the subject behind its address, quotes,
 * angle brackets and the name before them, and the commas and semicolons that remain from a list.
 */
function tidied(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[;,\s]+$/, '')
    .trimStart()
    .replace(/^(["'])(.*)\1$/s, '$2')
    .replace(/^[^<>]*<([^<>]*)>$/, '$1')
    .replace(/^mailto:([^@?]*@[^@?]*)\?.*$/i, '$1')
    .replace(/^mailto:/i, '')
    .trim();
}

/**
 * Reads one e-mail address. It is refused only if no mail server could take it: no or several `@`, blanks, an invalid
 * domain, parts that are too long, a list of addresses. An address that is merely unusual passes. Either `email` or `error`, the
 * code of a finding, is null.
 */
export function parseEmail(text: string) {
  if (text.length > MAX_CELL_LENGTH) return refused('email.too-long');
  if (text.length <= MAX_ADDRESS_BYTES && PLAIN.test(text)) return { email: text, error: null };
  const tidy = tidied(text);
  if (/[,;\s|/]/.test(tidy.slice(tidy.indexOf('@'), tidy.lastIndexOf('@')))) return refused('email.several');
  const at = tidy.lastIndexOf('@');
  const local = tidy.slice(0, at);
  const written = tidy.slice(at + 1);
  const domain = NO_DOMAIN.test(written) ? '' : domainToASCII(written);
  if (at < 1 || /[\s@]/.test(local) || !DOTTED_NAME.test(domain)) return refused('email.invalid');
  const email = `${local}@${domain}`;
  if (Buffer.byteLength(local) > 64 || Buffer.byteLength(email) > MAX_ADDRESS_BYTES) return refused('email.too-long');
  return { email, error: null };
}
