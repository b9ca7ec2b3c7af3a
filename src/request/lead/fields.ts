/**
 * Contents that a file may have instead of a field: the parts from which some fields are joined, and notes, which may
 * describe the request.
 */
export type FieldPart = 'first_name' | 'last_name' | 'street' | 'house_number' | 'postal_code' | 'city' | 'notes';

/** The facts about one field. The names that columns have for it are in `exact-names.txt`. */
interface FieldFacts {
  /** The option of `create` and `validate`, as commander names it: `requestText` is `--request-text`. */
  readonly option: string;
  readonly value: string;
  readonly help: string;
  /** Whether only `srq help COMMAND --all` shows the option. */
  readonly isRare: boolean;
  readonly joinedFrom: readonly FieldPart[];
  /** The prefix that Meta writes before the values of its exports. */
  readonly metaPrefix: string | null;
  /**
   * Length above which a text is probably something else, because the service's own bounds are not public. Null if the
   * field has bounds of its own.
   */
  readonly usualLength: number | null;
}

/** Usual maximum length of a text if its field sets no other. */
export const USUAL_LENGTH = 1000;
const USUAL = { isRare: false, joinedFrom: [], metaPrefix: null, usualLength: USUAL_LENGTH };

function field<const Option extends string>(
  option: Option,
  value: string,
  help: string,
  more: Partial<FieldFacts> = {},
): FieldFacts & { readonly option: Option } {
  return { ...USUAL, ...more, option, value, help };
}

/**
 * The fields that a user can give for one request, by srq's names. `audio_file` and `ref` are not sent under these
 * names. A new field needs a row here. Its column names are in `exact-names.txt`. The compiler then demands how its
 * cells look (`input/columns/fit.ts`) and its names in API descriptions (`contract/fields.ts`).
 */
export const FIELD = {
  country: field('country', 'code', 'market, e.g. PT'),
  lang: field('lang', 'code', "language, e.g. pt; left out: the market's usual one", { usualLength: 35 }),
  location: field('location', 'text', 'locality and postal code', {
    joinedFrom: ['street', 'house_number', 'postal_code', 'city'],
    metaPrefix: 'z:',
    usualLength: 300,
  }),
  fullname: field('fullname', 'name', "the customer's name", {
    joinedFrom: ['first_name', 'last_name'],
    usualLength: 200,
  }),
  email: field('email', 'address', "the customer's e-mail address", { usualLength: null }),
  phone: field('phone', 'number', "the customer's telephone number", { metaPrefix: 'p:', usualLength: null }),
  request_text: field('requestText', 'text', 'what is needed', { usualLength: 10_000 }),
  category: field('category', 'category', 'category of the need', { usualLength: 100 }),
  audio_file: field('audio', 'file', 'a recording in place of text, for approved partners', {
    isRare: true,
    usualLength: null,
  }),
  ref: field('ref', 'ref', 'your own reference, kept in the log', { metaPrefix: 'l:', usualLength: 255 }),
};

export type Field = keyof typeof FIELD;
export const FIELDS = Object.keys(FIELD) as readonly Field[];

/** The names under which commander passes the fields. */
export type FieldOption = (typeof FIELD)[Field]['option'];

/** Tells whether a name is one of srq's own fields. Every other name is a further parameter of the request. */
export function isField(name: string): name is Field {
  return Object.hasOwn(FIELD, name);
}
