import { DOCUMENTED_PARAMETERS } from '../../request/contract/wire.ts';
import { isPart, wholeOf } from '../../request/lead/parts.ts';
import type { JsonObject } from '../documents/json-parts.ts';
import { textOf } from '../documents/json-parts.ts';
import type { Confidence } from '../version-1/contract.ts';
import { isElement, type Leaf } from './body-leaves.ts';
import {
  type Content,
  fartherOwner,
  foreignName,
  isName,
  isSilent,
  type Owner,
  ownerOfNoun,
  type SpokenName,
  type SpokenObject,
  spokenName,
  spokenObject,
  wordsOf,
} from './field-words.ts';
import { contentOfFormat, mayHold } from './value-fit.ts';

/** The field that a name is taken for. `rank` is its distance from srq's own name, and 0 is best. */
export interface NamedField {
  readonly field: string;
  readonly rank: number;
  readonly confidence: Confidence;
  readonly why: string;
}

/** The meaning of a value's place, as derived from its names, its schema and its description. */
export interface NameReading extends NamedField {
  readonly owner: Owner;
  /** The key of the nearest enclosing object that is not certainly the customer's, or an empty text. */
  readonly strangerKey: string;
  /** The keys of the object that represents the person, and of the object whose members make up an address. */
  readonly personKey: string;
  readonly placeKey: string;
  /** Whether the value is in an object for a person. */
  readonly isOfPerson: boolean;
  /** Whether the value is in an object for an address. */
  readonly isOfAddress: boolean;
  /** Whether it is only named `name` or `address`, so that its meaning depends on what is beside it. */
  readonly isBare: boolean;
}

type Described = Pick<Leaf, 'keywords' | 'shape'>;
const NOTHING_SAID: Described = { keywords: {}, shape: 'scalar' };

/** The documented fields. They show whether an operation is about service requests. A part counts as its field. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set(DOCUMENTED_PARAMETERS);

/** Returns the documented fields among these, where a part counts as its field. */
export function knownFields(fields: Iterable<string>): ReadonlySet<string> {
  return new Set([...fields].map(wholeOf).filter((field) => KNOWN_FIELDS.has(field)));
}

/** Returns the field that the name of a header, a query parameter or a path variable certainly means, or undefined. */
export function fieldNamed(name: string, said: Described = NOTHING_SAID): NamedField | undefined {
  const reading = readName([name], said);
  return reading?.owner === 'customer' ? reading : undefined;
}

/**
 * Reads the meaning of a place in a body. The whole words of its name and of the names around it decide, unless the
 * type or format of its schema contradicts them. Otherwise its format or its description decides. Returns undefined if
 * nothing indicates a meaning.
 */
export function readName(path: readonly string[], said: Described): NameReading | undefined {
  const last = path.at(-1) ?? '';
  const around = path.slice(0, -1).filter((name) => !isElement(name));
  const objects = around.map(spokenObject);
  const context = contextOf(path, objects);
  const recording = recordingPart(last, around.at(-1) ?? '');
  if (recording !== null) return { ...context, ...recording, isBare: false };
  const read =
    byName(last, objects) ??
    byColumnName(last, objects) ??
    byFormat(said) ??
    byDescription(last, said.keywords, objects);
  if (read === undefined || !mayHold(read.content, said)) return undefined;
  const owner = [context.owner, read.owner, ownerByDescription(said.keywords, read)].reduce(fartherOwner);
  const isThing = isName(read.content) && owner === 'other thing';
  if (isThing) return undefined;
  const { content, rank, confidence, why, isBare, before } = read;
  const placeKey = `${context.placeKey} ${before}`;
  const personKey = owner === context.owner ? context.personKey : `${context.personKey} ${before}`;
  return { ...context, field: content, rank, confidence, why, owner, isBare, placeKey, personKey };
}

type Ownership = Pick<NameReading, 'owner' | 'strangerKey' | 'personKey' | 'placeKey' | 'isOfPerson' | 'isOfAddress'>;

function contextOf(path: readonly string[], objects: readonly SpokenObject[]): Ownership {
  const inner = objects.findLastIndex(({ content }) => content === null) + 1;
  const names = path.slice(0, -1).filter((name) => !isElement(name));
  return {
    owner: objects.map(({ owner }) => owner).reduce(fartherOwner, 'customer'),
    strangerKey: names.slice(0, objects.findLastIndex(({ owner }) => owner !== 'customer') + 1).join('\u0000'),
    personKey: names.slice(0, inner).join('\u0000'),
    placeKey: names.join('\u0000'),
    isOfPerson: objects.some(({ isPerson }) => isPerson),
    isOfAddress: objects.some(({ content }) => content === 'location'),
  };
}

/** The meaning of one name, before the enclosing objects are considered. */
interface Read {
  readonly content: Content;
  readonly rank: number;
  readonly confidence: Confidence;
  readonly why: string;
  readonly owner: Owner;
  readonly isBare: boolean;
  readonly before: string;
}

const ALONE = { owner: 'customer', isBare: false, before: '' } as const;

function byName(last: string, objects: readonly SpokenObject[]): Read | undefined {
  const words = wordsOf(last);
  const parent = objects.at(-1);
  if (parent?.content) {
    const nested = nestedValue(words, parent.content);
    return nested && parent.isVague ? { ...nested, rank: 46, confidence: 'weak' } : nested;
  }
  const spoken = spokenName(words);
  if (spoken === undefined) return undefined;
  return { ...nearnessOf(spoken, last, objects), ...readOf(spoken) };
}

const readOf = ({ content, owner, before, extra, phrase }: SpokenName) => ({
  content,
  owner,
  before,
  isBare: phrase === 'address' || phrase === 'address line' || (phrase === 'name' && extra === 0),
});

function nearnessOf(
  { content, nearness, order, extra }: SpokenName,
  last: string,
  objects: readonly SpokenObject[],
): Pick<Read, 'rank' | 'confidence' | 'why'> {
  const person = objects.some(({ isWrapper }) => !isWrapper);
  const within = person ? ', within an object that fits' : '';
  const step = person ? 1 : 0;
  if (nearness === 'own' && extra === 0) {
    const isExact = last === content;
    if (person) return { rank: 6, confidence: 'likely', why: `the same name${within}` };
    return {
      rank: isExact ? 0 : 1,
      confidence: 'certain',
      why: isExact ? 'the same name' : 'the same words',
    };
  }
  if (nearness === 'own') return { rank: 5 + step, confidence: 'likely', why: 'the same name, more closely said' };
  if (nearness === 'usual') {
    return { rank: 10 + order + extra + step, confidence: 'likely', why: `a usual name of it${within}` };
  }
  return { rank: 40 + order, confidence: 'weak', why: 'a name that is also used for other things' };
}

/**
 * Matches the members that hold the content of an object, by the content that the object's name indicates:
 * `category.id`, `location.address`, `phones.0.number`.
 */
const VALUES: Readonly<Partial<Record<Content, RegExp>>> = {
  category: /^(?:id|code|key|slug|name|value)$/,
  location: /^(?:address|full address|full|text|formatted|formatted address|value)$/,
  country: /^(?:code|iso|iso code|value)$/,
  lang: /^(?:code|value)$/,
  phone: /^(?:(?:free form |full |phone |formatted )?number|value|full|e164|phone|mobile|cell|home|nummer|numero)$/,
  email: /^(?:address|value|email|email address)$/,
  request_text: /^(?:text|value|content|body)$/,
  fullname: /^(?:full|full name|value|display|text)$/,
  audio_file: /^(?:data|content|base 64|base 64 data|file|body|value|byte|audio|recording)$/,
};
/** Names of members that are parts only within such an object. */
const NESTED_PARTS: Readonly<Record<string, Content>> = {
  'fullname first': 'first_name',
  'fullname last': 'last_name',
  'fullname family': 'last_name',
  'fullname given': 'first_name',
  'location line': 'street',
  'location line 1': 'street',
  'location number': 'house_number',
  'location code': 'postal_code',
  'street number': 'house_number',
  'street name': 'street',
};

function nestedValue(words: readonly string[], parent: Content): Read | undefined {
  const name = words.join(' ');
  const why = `the value of ${parent}`;
  if (VALUES[parent]?.test(name)) {
    return { ...ALONE, content: parent, rank: 20, confidence: 'likely', why, isBare: name === 'address' };
  }
  const content = NESTED_PARTS[`${parent} ${name}`];
  if (content !== undefined) return { ...ALONE, content, rank: 21, confidence: 'likely', why };
  const spoken = spokenName(words);
  if (spoken === undefined || spoken.owner !== 'customer') return undefined;
  const isOfPlace = spoken.content === 'country' && parent === 'location';
  const isInside = isPart(spoken.content) && wholeOf(spoken.content) === parent;
  if (!isOfPlace && !isInside) return undefined;
  return { ...ALONE, content: spoken.content, rank: 21 + spoken.order, confidence: 'likely', why };
}

/** Matches words for `name` in other languages. Beside a last name they mean the first name. */
const BARE_NAME = /^(?:nombre|nome|nom|naam)$/i;

/** Reads a name as the name of a column, also in other languages. */
function byColumnName(last: string, objects: readonly SpokenObject[]): Read | undefined {
  const parent = objects.at(-1);
  const found = foreignName(last, Boolean(parent?.content));
  if (found === undefined || (parent && !parent.isPerson && !parent.isWrapper && parent.content === null))
    return undefined;
  const { content, order } = found;
  if (parent?.content && wholeOf(content) !== parent.content) return undefined;
  const why = 'what a column of this name means';
  return { ...ALONE, content, rank: 31 + order, confidence: 'weak', why, isBare: BARE_NAME.test(last) };
}

function byFormat(said: Described): Read | undefined {
  const content = contentOfFormat(said);
  return content === null
    ? undefined
    : { ...ALONE, content, rank: 60, confidence: 'weak', why: 'by its format, though not by its name' };
}

const FILLING = /^(?:the|a|an|s|please|enter|provide|this|that|is|valid|string|required|optional|value)$/;
const MAX_DESCRIPTION = 80;

/** Reads a name such as `value1` by a short description: "The customer's e-mail address". */
function byDescription(last: string, keywords: JsonObject, objects: readonly SpokenObject[]): Read | undefined {
  const text = textOf(keywords['description']);
  if (
    text === '' ||
    text.length > MAX_DESCRIPTION ||
    !isSilent(wordsOf(last)) ||
    objects.some(({ content }) => content !== null)
  )
    return undefined;
  const [phrase = ''] = text.split(/[.(,;:]|\b(?:of|for)\b/i);
  const words = wordsOf(phrase).filter((word) => !FILLING.test(word));
  const spoken = spokenName(words);
  if (spoken === undefined || spoken.owner !== 'customer' || spoken.nearness === 'vague') return undefined;
  if (words.length < 2 && spoken.content !== 'email') return undefined;
  return {
    ...ALONE,
    content: spoken.content,
    rank: 60,
    confidence: 'weak',
    why: 'by its description, not by its name',
  };
}

/** Matches a noun after `of` or `for`, up to the next word that is not a noun, and a noun with a possessive `'s`. */
const NOUN =
  /\b(of|for) (?:the |your |an? |this |our )?(\w+(?: (?!(?:in|on|at|to|of|for|by|with|from|and|or|is|as|who|which|that|when|if|will|used)\b)\w+){0,2})|(\w+)['’]s\b/gi;

/**
 * Returns the owner of a value according to the first sentence of its description: "E-mail of the agent", "The
 * company's phone".
 */
function ownerByDescription(keywords: JsonObject, { content, isBare }: Read): Owner {
  const [sentence = ''] = textOf(keywords['description'])
    .slice(0, MAX_SENTENCE)
    .split(/[.;\n]/);
  // A bare name belongs to whatever noun the description mentions, except after `for`, as in "for example".
  const isBareName = isBare && content === 'fullname';
  const owners = [...sentence.matchAll(NOUN)].map(([, by = '', noun = '', whose = '']) =>
    ownerOfNoun(noun || whose, isBareName && by.toLowerCase() !== 'for'),
  );
  return owners.reduce(fartherOwner, 'customer');
}

const MAX_SENTENCE = 200;

const MEDIA_TYPE = /(?:^| )(?:mime|mime type|media type|content type|type|format|extension|codec)$/;
const FILE_NAME = /(?:^| )(?:file ?name|name)$/;

/** Reads the type or the file name of a recording: `audio_mime_type`, `recording.filename`. */
function recordingPart(last: string, parent: string): NamedField | null {
  const words = wordsOf(last);
  const isOfRecording = [words, wordsOf(parent)].some((each) => each.some((word) => RECORDING.has(word)));
  if (!isOfRecording) return null;
  const told = words.join(' ');
  const field = MEDIA_TYPE.test(told) ? 'audio_type' : FILE_NAME.test(told) ? 'audio_name' : null;
  return field === null ? null : { field, rank: 10, confidence: 'likely', why: 'it goes with the recording' };
}

const RECORDING = new Set(['audio', 'voice', 'recording']);
