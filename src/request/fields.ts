/** What a file may have in place of a field: what some fields are joined from, and notes, which may tell what is needed. */
export type FieldPart = 'first_name' | 'last_name' | 'street' | 'postal_code' | 'city' | 'notes';

/** All that depends on a field alone. The names that columns have for it are in `field-aliases.ts`, a line each. */
interface FieldFacts {
  /** The option that gives it to `create` and `validate`, as commander names it: `requestText` is `--request-text`. */
  readonly option: string;
  readonly value: string;
  readonly help: string;
  /** Only `srq help COMMAND --all` shows the option. */
  readonly isRare: boolean;
  readonly joinedFrom: readonly FieldPart[];
  /** The prefixes that Meta writes before the values of its exports. */
  readonly metaPrefix: string | null;
  /**
   * Letters beyond which it is probably something else, for the service's own bounds are not public. Null: it has bounds of
   * its own.
   */
  readonly usualLength: number | null;
  /** What to do about a finding, beyond what its message says. Null: what goes for every field. */
  readonly advice: string | null;
}

export const USUAL_LENGTH = 1000;
const USUAL = { isRare: false, joinedFrom: [], metaPrefix: null, usualLength: USUAL_LENGTH, advice: null };

function field<const Option extends string>(
  facts: Pick<FieldFacts, 'value' | 'help'> & Partial<FieldFacts> & { readonly option: Option },
): FieldFacts & { readonly option: Option } {
  return { ...USUAL, ...facts };
}

/**
 * What a user can give for one request, by srq's names, a row each. `audio_file` and `ref` do not go on the wire as such. A
 * further field is a further row here and one in `field-aliases.ts`.
 */
export const FIELD = {
  country: field({
    option: 'country',
    value: 'code',
    help: 'market, e.g. PT',
    advice: 'Correct the cell; for a file of one country: --set country=PT',
  }),
  lang: field({
    option: 'lang',
    value: 'code',
    help: "language, e.g. pt; left out: the market's usual one",
    usualLength: 35,
    advice: 'Correct the cell; for a file of one language: --set lang=pt',
  }),
  location: field({
    option: 'location',
    value: 'text',
    help: 'locality and postal code',
    joinedFrom: ['street', 'postal_code', 'city'],
    metaPrefix: 'z:',
    usualLength: 300,
    advice: 'Correct the cell, or make the location of several columns: --set "location={Postcode} {City}"',
  }),
  fullname: field({
    option: 'fullname',
    value: 'name',
    help: "the customer's name",
    joinedFrom: ['first_name', 'last_name'],
    usualLength: 200,
    advice: 'Fill the cell; if another column holds the name: --map COLUMN=fullname',
  }),
  email: field({
    option: 'email',
    value: 'address',
    help: "the customer's e-mail address",
    usualLength: null,
    advice: 'Correct the cell; if another column holds the address: --map COLUMN=email',
  }),
  phone: field({
    option: 'phone',
    value: 'number',
    help: "the customer's telephone number",
    metaPrefix: 'p:',
    usualLength: null,
    advice: 'Correct the cell; if another column holds the number: --map COLUMN=phone',
  }),
  request_text: field({
    option: 'requestText',
    value: 'text',
    help: 'what is needed',
    usualLength: 10_000,
    advice: 'Fill the cell; if another column says what is needed: --map COLUMN=request_text',
  }),
  category: field({ option: 'category', value: 'category', help: 'category of the need', usualLength: 100 }),
  audio_file: field({
    option: 'audio',
    value: 'file',
    help: 'a recording in place of text, for approved partners',
    isRare: true,
    usualLength: null,
    advice: 'Put the recording into the folder of the file and name it there.',
  }),
  ref: field({
    option: 'ref',
    value: 'ref',
    help: 'your own reference, kept in the log',
    metaPrefix: 'l:',
    usualLength: 255,
  }),
};

export type Field = keyof typeof FIELD;
export const FIELDS = Object.keys(FIELD) as readonly Field[];

/** By these names commander hands the fields over. */
export type FieldOption = (typeof FIELD)[Field]['option'];

const names: ReadonlySet<string> = new Set(FIELDS);

/** Whether a name is one of srq's own; every other is a further parameter of the request. */
export function isField(name: string): name is Field {
  return names.has(name);
}
