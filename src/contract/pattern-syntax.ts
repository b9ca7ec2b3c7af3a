/** Bits 0 to 127: that ASCII character; {@link OTHERS}: any other one. May hold more than a pattern allows, never less. */
export type CharacterSet = bigint;

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const OTHERS: CharacterSet = 1n << 128n;
export const ALL_CHARACTERS: CharacterSet = (OTHERS << 1n) - 1n;

/** A pattern as far as it tells what looking for it costs. */
export type PatternNode =
  | { readonly kind: 'one'; readonly characters: CharacterSet }
  /** The start or the end of the text, or what holds everywhere and takes no character: `\b`. */
  | { readonly kind: 'start' | 'end' | 'nothing' }
  | { readonly kind: 'lookahead'; readonly inside: PatternNode }
  | { readonly kind: 'all'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'any'; readonly branches: readonly PatternNode[] }
  | { readonly kind: 'loop'; readonly body: PatternNode; readonly least: number; readonly most: number };

const GROUP = /\((?:\?(?::|[=!]|<[\w$]+>))?/y;
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
const ATOM = /\\(?:u\{[\da-f]+\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|p\{[^{}]*\}|.)|\[(?:\\.|[^\]\\])*\]|./isuy;
/** Whether the engine goes back to what a group has found, or reads backwards, is more than a pattern's parts tell. */
const BEYOND_PARTS = /^\\[1-9k]|^\(\?|^$/;
const NOT_ASCII_ALONE = /[^\0-\x7f]|^\.$|^\[\^|\\[DWSspPux]/;

/** The parts of a pattern that compiles with these flags (`u` or none); null for one whose parts do not tell its cost. */
export function parsePattern(source: string, flags: string): PatternNode | null {
  let at = 0;
  let isKnown = true;
  const node = branches();
  return isKnown && at === source.length ? node : null;

  function branches(): PatternNode {
    const found = [sequence()];
    while (source[at] === '|') {
      at += 1;
      found.push(sequence());
    }
    return found.length === 1 && found[0] ? found[0] : { kind: 'any', branches: found };
  }

  function sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(repeated(single()));
    return { kind: 'all', parts };
  }

  function single(): PatternNode {
    const opening = taken(GROUP)?.[0];
    if (opening === undefined) return atom(taken(ATOM)?.[0] ?? '');
    // Of a lookbehind or a flag only the parenthesis is taken: the question mark is no atom.
    const inside = branches();
    at += 1;
    return /[=!]$/.test(opening) ? { kind: 'lookahead', inside } : inside;
  }

  function atom(text: string): PatternNode {
    if (text === '^') return { kind: 'start' };
    if (text === '$') return { kind: 'end' };
    if (/^\\b$/i.test(text)) return { kind: 'nothing' };
    if (text === '?' || BEYOND_PARTS.test(text)) isKnown = false;
    return { kind: 'one', characters: isKnown ? charactersOf(text, flags) : ALL_CHARACTERS };
  }

  function repeated(body: PatternNode): PatternNode {
    const [found, sign, least, comma, most] = taken(QUANTIFIER) ?? [];
    if (found === undefined) return body;
    if (sign !== undefined)
      return { kind: 'loop', body, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity };
    const end = comma === undefined ? least : most;
    return { kind: 'loop', body, least: Number(least), most: end ? Number(end) : Infinity };
  }

  function taken(token: RegExp): RegExpExecArray | null {
    token.lastIndex = at;
    const found = token.exec(source);
    at += found?.[0].length ?? 0;
    return found;
  }
}

/** The engine itself says which of ASCII a class takes. */
function charactersOf(atom: string, flags: string): CharacterSet {
  const others = NOT_ASCII_ALONE.test(atom) ? OTHERS : 0n;
  const taken = new RegExp(`^(?:${atom === ']' || atom === '{' || atom === '}' ? `\\${atom}` : atom})$`, flags);
  return ASCII.reduce(
    (found, character, code) => (taken.test(character) ? found | (1n << BigInt(code)) : found),
    others,
  );
}
