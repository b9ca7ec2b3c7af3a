import { MAX_FOR_PATTERN } from '../../request/contract-rules.ts';

/** Longer ones are the work of machines. */
const MAX_PATTERN = 500;
/** About a second for the longest text that is looked through, if it was made to take long; no text of a person comes near. */
const MAX_STEPS = 500_000_000;

/**
 * Whether a pattern compiles, and its parts prove that no text makes it run away (ReDoS): engines try every way to match,
 * and the ways multiply wherever two repetitions can share the same characters.
 */
export function isCheapPattern(pattern: string): boolean {
  if (pattern.length > MAX_PATTERN) return false;
  const flags = ['u', ''].find((each) => compiles(pattern, each));
  // Without `u` these mean something else than whoever wrote them thought.
  if (flags === undefined || (flags === '' && /\\(?:p|u\{)/i.test(pattern))) return false;
  const node = parsePattern(pattern, flags);
  if (node === null) return false;
  const starts = isAtStart(node) ? 1 : MAX_FOR_PATTERN;
  return starts * costOf(node, ALL_CHARACTERS).steps <= MAX_STEPS;
}

function compiles(pattern: string, flags: string): boolean {
  try {
    new RegExp(pattern, flags);
    return true;
  } catch {
    return false;
  }
}

function isAtStart(node: PatternNode): boolean {
  if (node.kind === 'all') return node.parts[0] !== undefined && isAtStart(node.parts[0]);
  return node.kind === 'start' || (node.kind === 'any' && node.branches.every(isAtStart));
}

/** What a part can begin with. `passes`: it may take nothing, so that what follows begins there, too. */
interface Beginning {
  readonly characters: CharacterSet;
  readonly passes: boolean;
}

function beginningOf(node: PatternNode): Beginning {
  switch (node.kind) {
    case 'one':
      return { characters: node.characters, passes: false };
    case 'start':
    case 'nothing':
      return { characters: 0n, passes: true };
    case 'end':
      return { characters: 0n, passes: false };
    case 'lookahead':
      // It looks far ahead wherever it is tried: no character before it spares that.
      return { characters: ALL_CHARACTERS, passes: false };
    case 'all':
      return node.parts.reduceRight<Beginning>(before, { characters: 0n, passes: true });
    case 'any': {
      const all = node.branches.map(beginningOf);
      const characters = all.reduce((sum, each) => sum | each.characters, 0n);
      return { characters, passes: all.some(({ passes }) => passes) };
    }
    case 'loop': {
      const { characters, passes } = beginningOf(node.body);
      return { characters, passes: passes || node.least === 0 };
    }
  }
}

function before(after: Beginning, part: PatternNode): Beginning {
  const own = beginningOf(part);
  return own.passes ? { characters: own.characters | after.characters, passes: after.passes } : own;
}

/** Upper bounds for one try of a part at one place of the longest text. */
interface Cost {
  readonly steps: number;
  /** From how many ends the engine may go on. */
  readonly ends: number;
}

const ONE_STEP: Cost = { steps: 1, ends: 1 };

/** `follow`: what can come next. */
function costOf(node: PatternNode, follow: CharacterSet): Cost {
  switch (node.kind) {
    case 'lookahead':
      return { steps: costOf(node.inside, ALL_CHARACTERS).steps, ends: 1 };
    case 'all':
      return costOfAll(node.parts, follow);
    case 'any':
      return costOfAny(node.branches, follow);
    case 'loop':
      return costOfLoop(node, follow);
    default:
      return ONE_STEP;
  }
}

function costOfAll(parts: readonly PatternNode[], follow: CharacterSet): Cost {
  const [cost] = parts.reduceRight<[Cost, CharacterSet]>(
    ([rest, next], part) => {
      const { steps, ends } = costOf(part, next);
      const { characters, passes } = beginningOf(part);
      const sum = { steps: steps + ends * rest.steps, ends: ends * rest.ends };
      return [sum, passes ? characters | next : characters];
    },
    [{ steps: 0, ends: 1 }, follow],
  );
  return { ...cost, steps: Math.max(1, cost.steps) };
}

function costOfAny(branches: readonly PatternNode[], follow: CharacterSet): Cost {
  let seen: CharacterSet = 0n;
  let isOneAtMost = true;
  for (const { characters, passes } of branches.map(beginningOf)) {
    const own = passes ? characters | follow : characters;
    isOneAtMost &&= (seen & own) === 0n;
    seen |= own;
  }
  const costs = branches.map((branch) => costOf(branch, follow));
  const ends = costs.map((each) => each.ends);
  return {
    steps: costs.reduce((sum, { steps }) => sum + steps, 0),
    ends: isOneAtMost ? Math.max(...ends) : ends.reduce((sum, each) => sum + each, 0),
  };
}

function costOfLoop({ body, least, most }: Extract<PatternNode, { kind: 'loop' }>, follow: CharacterSet): Cost {
  const { characters, passes } = beginningOf(body);
  const { steps, ends } = costOf(body, characters | follow);
  // Each time round takes a character, unless it may take none.
  const rounds = passes && most < Infinity ? most : Math.min(most, MAX_FOR_PATTERN);
  if (ends > 1) {
    const ways = (ends ** (rounds + 1) - 1) / (ends - 1);
    return { steps: steps * ways, ends: ways };
  }
  // Where the next part cannot begin like another round, only the end of the last round goes on.
  const isClear = !passes && (characters & follow) === 0n;
  return { steps: Math.max(1, rounds * steps), ends: isClear ? 1 : Math.max(1, rounds - least + 1) };
}

/** Bits 0 to 127: that ASCII character; {@link OTHERS}: any other one. May hold more than a pattern allows, never less. */
type CharacterSet = bigint;

const ASCII = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const OTHERS: CharacterSet = 1n << 128n;
const ALL_CHARACTERS: CharacterSet = (OTHERS << 1n) - 1n;

/** A pattern as far as it tells what looking for it costs. */
type PatternNode =
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
function parsePattern(source: string, flags: string): PatternNode | null {
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
