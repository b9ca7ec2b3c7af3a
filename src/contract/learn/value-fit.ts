import { listOf, textOf } from '../documents/json-parts.ts';
import { typesOf, valuesOf } from '../schema/flat-schema.ts';
import type { Json } from '../version-1/contract.ts';
import type { Leaf } from './body-leaves.ts';
import type { Content } from './field-words.ts';

/** The values that a content can have on the wire. */
interface ContentForm {
  /** The JSON types that are allowed besides text. */
  readonly types: readonly string[];
  /** Matches the formats that are allowed. Other formats say that the text is something else. */
  readonly formats: RegExp;
  readonly mayBeListed: boolean;
  readonly mayBeChosen: boolean;
  /** Minimum value that makes sense for the maximum length. */
  readonly minLength: number;
}

const TEXT: ContentForm = {
  types: [],
  formats: /^(?:string|text|free-?text|multi-?line|markdown)$/,
  mayBeListed: false,
  mayBeChosen: false,
  minLength: 1,
};
const NUMERIC = ['integer', 'number'];
const FORMS: Readonly<Record<Content, ContentForm>> = {
  country: { ...TEXT, formats: /country|iso/, mayBeChosen: true, minLength: 2 },
  lang: { ...TEXT, formats: /lang|locale|bcp|iso/, mayBeChosen: true, minLength: 2 },
  location: { ...TEXT, formats: /text|address|string/, mayBeListed: true, minLength: 10 },
  street: { ...TEXT, formats: /text|address|string/, minLength: 5 },
  house_number: { ...TEXT, types: NUMERIC },
  postal_code: { ...TEXT, types: NUMERIC, formats: /zip|post|int|string/, minLength: 3 },
  city: { ...TEXT, mayBeChosen: true, minLength: 3 },
  region: { ...TEXT, mayBeChosen: true },
  fullname: { ...TEXT, minLength: 8 },
  first_name: { ...TEXT, minLength: 3 },
  last_name: { ...TEXT, minLength: 3 },
  email: { ...TEXT, formats: /mail|string/, mayBeListed: true, minLength: 8 },
  phone: {
    ...TEXT,
    types: NUMERIC,
    formats: /phone|tel|e\.?164|msisdn|mobile|int|string/,
    mayBeListed: true,
    minLength: 6,
  },
  request_text: { ...TEXT, formats: /text|html|string|textarea|multi-?line|markdown/, minLength: 21 },
  category: { ...TEXT, types: NUMERIC, formats: /uuid|int|string|id/, mayBeListed: true, mayBeChosen: true },
  ref: { ...TEXT, types: NUMERIC, formats: /uuid|int|string|id/ },
  audio_file: { ...TEXT, formats: /byte|binary|base64|audio|data|string/, mayBeListed: true, minLength: 100 },
};

/**
 * Tells whether a place can hold a content, according to the type, format, values and length in its schema. A recording
 * cannot be a boolean such as `play: true`, a name cannot be a date, and an e-mail address cannot be chosen from a
 * list.
 */
export function mayHold(content: Content, { keywords, shape }: Pick<Leaf, 'keywords' | 'shape'>): boolean {
  const form = FORMS[content];
  if (shape === 'object' || (shape === 'list' && !form.mayBeListed)) return false;
  const values = valuesOf(keywords).filter((value) => value !== null);
  const said = typesOf(keywords).filter((type) => type !== 'null');
  const types = said.length > 0 ? said : [...new Set(values.map(typeOfValue))];
  if (types.length > 0 && !types.some((type) => type === 'string' || form.types.includes(type))) return false;
  if (values.length > 1 && !form.mayBeChosen) return false;
  const [format, maxLength] = [textOf(keywords['format']).toLowerCase(), keywords['maxLength']];
  if (format !== '' && !form.formats.test(format)) return false;
  return typeof maxLength !== 'number' || maxLength >= form.minLength;
}

function typeOfValue(value: Json): string {
  return Array.isArray(value) ? 'array' : typeof value === 'number' ? 'number' : typeof value;
}

/** Returns the content that a format alone indicates, or null. */
export function contentOfFormat({ keywords, shape }: Pick<Leaf, 'keywords' | 'shape'>): Content | null {
  const format = textOf(keywords['format']).toLowerCase();
  if (shape === 'object' || listOf(keywords['enum']).length > 0) return null;
  if (/^e-?mail$/.test(format)) return 'email';
  return /^(?:phone|phone-?number|tel|telephone|e\.?164)$/.test(format) ? 'phone' : null;
}
