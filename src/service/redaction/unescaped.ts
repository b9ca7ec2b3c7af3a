import { Characters } from './characters.ts';

/** Code of an HTML entity whose name is not known here, so that its character is unknown. */
export const UNREADABLE = -2;
/**
 * Base of the codes of bytes that stood in a URL, such as `%C3`. They are kept apart from the letter with the same
 * number until they prove to be one of several bytes of a character.
 */
const BYTE_BASE = 0x110000;
/**
 * Base of the codes of backslashes that came from an escape. The offset, from 1, is the number of escapes undone. The
 * character after this backslash belongs to an escape of the text within.
 */
const BACKSLASH_BASE = 0x120000;
const REPLACEMENT = 0xfffd;
const MAX_ESCAPE_LENGTH = 32;

const PERCENT = 0x25;
const AMPERSAND = 0x26;
const HASH = 0x23;
const SEMICOLON = 0x3b;
const LESS = 0x3c;
const GREATER = 0x3e;
const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
const SMALL_X = 0x78;
const BEGINNINGS = [PERCENT, AMPERSAND, BACKSLASH, LESS];
/** Maps a character after a backslash to the character that both stand for. */
const AFTER_BACKSLASH = new Map(
  Object.entries({ b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '"': 34, "'": 39, '/': 47 }).map(([letter, code]) => [
    letter.charCodeAt(0),
    code,
  ]),
);

/**
 * Undoes every escape of JSON, URLs and HTML, nested ones as well. An escape is undone as soon as its last character
 * has been read, so that its result may be part of the next escape. Takes time proportional to the length.
 */
export function unescaped(source: Characters): Characters {
  if (!BEGINNINGS.some((each) => source.includes(each))) return source;
  const read = new Characters(source.length);
  // Most characters come long after the last one that may begin an escape.
  let begun = -MAX_ESCAPE_LENGTH;
  for (let at = 0; at < source.length; at++) {
    const code = source.code(at);
    read.push(code, source.start(at), source.end(at));
    if (code < 0x60 && BEGINNINGS.includes(code)) begun = read.length;
    while (read.length - begun < MAX_ESCAPE_LENGTH && undoLast(read)) begun = read.length;
  }
  for (let at = 0; at < read.length; at++) read.change(at, character(read.code(at)));
  return read;
}

function character(code: number): number {
  if (code > BACKSLASH_BASE) return BACKSLASH;
  return code > BYTE_BASE ? code - BYTE_BASE : code;
}

/** Returns how many escapes a backslash came from, or -1 if the code is not a backslash. */
function backslashDepth(code: number): number {
  if (code === BACKSLASH) return 0;
  return code > BACKSLASH_BASE ? code - BACKSLASH_BASE : -1;
}

/** Undoes the escape that ends the text, and returns false if there is none. */
function undoLast(read: Characters): boolean {
  const last = read.fromEnd(1);
  if (last > BYTE_BASE && last < BACKSLASH_BASE) return joinBytes(read);
  if (last >= 0xdc00 && last <= 0xdfff) return joinSurrogates(read);
  const before = read.fromEnd(2);
  if (backslashDepth(before) >= 0) {
    // A backslash before one of another depth may begin an escape of its own.
    const meant = before === last ? BACKSLASH_BASE + backslashDepth(last) + 1 : AFTER_BACKSLASH.get(lowerCase(last));
    if (meant === undefined) return false;
    read.joinLast(2, meant);
    return true;
  }
  if (last === SEMICOLON) return undoEntity(read);
  if (last === GREATER) return undoLineBreak(read);
  return hexDigit(last) >= 0 && undoHex(read);
}

/** Undoes an escape with hexadecimal digits: `%e3`, `\xe3`, `\u00e3` or `%u00e3`. */
function undoHex(read: Characters): boolean {
  if (read.fromEnd(3) === PERCENT) return undoNumber(read, 3, 2);
  if (lowerCase(read.fromEnd(3)) === SMALL_X && backslashDepth(read.fromEnd(4)) >= 0) return undoNumber(read, 4, 2);
  if (lowerCase(read.fromEnd(5)) !== SMALL_U) return false;
  const first = read.fromEnd(6);
  return (first === PERCENT || backslashDepth(first) >= 0) && undoNumber(read, 6, 4);
}

function undoNumber(read: Characters, length: number, digits: number): boolean {
  let code = 0;
  for (let place = digits; place > 0; place--) {
    const digit = hexDigit(read.fromEnd(place));
    if (digit < 0) return false;
    code = code * 16 + digit;
  }
  const isByte = length === 3 && code > 0x7f;
  const depth = Math.max(0, backslashDepth(read.fromEnd(length)));
  read.joinLast(length, isByte ? BYTE_BASE + code : unescapedCode(code, depth));
  return true;
}

const unescapedCode = (code: number, depth: number): number => (code === BACKSLASH ? BACKSLASH_BASE + depth + 1 : code);

/** Joins bytes that are one character in UTF-8. Other bytes remain characters of Latin-1. */
function joinBytes(read: Characters): boolean {
  let code = 0;
  for (let count = 1; count <= 4; count++) {
    const byte = read.fromEnd(count) - BYTE_BASE;
    if (byte < 0x80 || byte > 0xf7) return false;
    if (byte < 0xc0) {
      code += (byte & 0x3f) << (6 * (count - 1));
      continue;
    }
    const expected = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (count === 1 || count !== expected) return false;
    code += (byte & (0xff >> (expected + 1))) << (6 * (count - 1));
    read.joinLast(count, code > 0x10ffff ? REPLACEMENT : code);
    return true;
  }
  return false;
}

function joinSurrogates(read: Characters): boolean {
  const [high, low] = [read.fromEnd(2), read.fromEnd(1)];
  if (high < 0xd800 || high > 0xdbff) return false;
  read.joinLast(2, 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
  return true;
}

function undoEntity(read: Characters): boolean {
  let name = '';
  for (let place = 2; place <= MAX_ESCAPE_LENGTH; place++) {
    const code = read.fromEnd(place);
    if (code === AMPERSAND) {
      const meant = entityCode(name);
      if (meant === null) return false;
      read.joinLast(place, meant);
      return true;
    }
    if (!isAlphanumeric(code) && code !== HASH) return false;
    name = String.fromCharCode(lowerCase(code)) + name;
  }
  return false;
}

const ENTITIES = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', szlig: 'ß', aelig: 'æ', oelig: 'œ' }),
);
/**
 * Matches the names of accented letters. They become plain letters, because accents do not count where words are
 * compared.
 */
const ACCENTED = /^([a-z])(?:acute|grave|circ|uml|tilde|cedil|ring|slash|caron|breve|ogon|macr|dot|dblac|strok)$/;

/** Returns the code of an HTML entity, or null if it is none. `name` is the text between `&` and `;`, in lower case. */
function entityCode(name: string): number | null {
  const [, x, digits] = /^#(x?)([\da-f]+)$/.exec(name) ?? [];
  if (digits !== undefined) {
    if (x === '' && !/^\d+$/.test(digits)) return null;
    const code = Number.parseInt(digits, x === '' ? 10 : 16);
    return code > 0x10ffff ? REPLACEMENT : unescapedCode(code, 0);
  }
  if (!/^[a-z][a-z\d]+$/.test(name)) return null;
  const letter = ENTITIES.get(name) ?? ACCENTED.exec(name)?.[1];
  return letter === undefined ? UNREADABLE : letter.charCodeAt(0);
}

/** Replaces `<br>`, `<br/>` or `<br />` by a line feed. */
function undoLineBreak(read: Characters): boolean {
  let text = '';
  for (let place = 2; place <= 6; place++) {
    const code = read.fromEnd(place);
    if (code === LESS) {
      if (!/^br ?\/?$/i.test(text)) return false;
      read.joinLast(place, 10);
      return true;
    }
    text = String.fromCharCode(code) + text;
  }
  return false;
}

/** Returns the value of a hexadecimal digit, or -1 if the code is not one. */
function hexDigit(code: number): number {
  if (code >= 48 && code <= 57) return code - 48;
  const letter = lowerCase(code);
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}

const isAlphanumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) || (lowerCase(code) >= 97 && lowerCase(code) <= 122);

/** Returns the lower-case form of an ASCII letter, and any other code unchanged. */
const lowerCase = (code: number): number => (code >= 65 && code <= 90 ? code + 32 : code);
