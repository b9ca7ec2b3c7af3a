/** What is said of one kind of finding. In its texts, `{field}` and other names in braces are placeholders. */
interface FindingFacts {
  /** An `error` makes the row invalid; a `warning` does so only with --strict. */
  readonly severity: Problem['severity'];
  /** The beginning of the message, after which the value can be quoted. Null if the message quotes no value. */
  readonly subject: string | null;
  /** The message after its subject. */
  readonly says: string;
  /** What to do, with `{field}` and `{column}`. */
  readonly advice: string;
  /** The message if no column gives the field, which is reported once for all rows. Null if it is about a value. */
  readonly absence: Absence | null;
}

interface Absence {
  /** The fields any one of which would suffice. */
  readonly givenBy: readonly string[];
  /** The message if no column gives any of them. `{message}` stands for that of a row. */
  readonly says: string;
}

const CORRECT_CELL = 'Correct the cell, or leave the column out: --map "{column}=-"';
const FILL = "Fill it from a column: --map COLUMN={field}, or --set '{field}={Column}'";
const ANOTHER_NUMBER = 'Correct the cell; if another column holds the number: --map COLUMN=phone';
const ANOTHER_ADDRESS = 'Correct the cell; if another column holds the address: --map COLUMN=email';
const LANGUAGE = 'Correct the cell; for a file of one language: --set lang=pt';
const PLACE = 'Correct the cell, or make the location of several columns: --set "location={Postcode} {City}"';
const NEED = 'Fill the cell; if another column says what is needed: --map COLUMN=request_text';
const RECORDING = 'Put the recording into the folder of the file, and write its name into the cell.';
const EXPORT_AGAIN =
  'was turned into scientific notation by a spreadsheet and its digits are lost; export the file again with this column formatted as text.';

function kind(severity: Problem['severity']) {
  return <const Says extends string>(
    subject: string | null,
    says: Says,
    advice: string,
    absence: Absence | null = null,
  ): FindingFacts & { readonly says: Says } => ({ severity, subject, says, advice, absence });
}

const error = kind('error');
const warning = kind('warning');

const COUNTRY = 'The country';
const PHONE = 'The phone number';
const EMAIL = 'The e-mail address';

/** The kinds of findings. Programs read their codes, so the codes never change. `srq help errors` lists them. */
export const FINDING = {
  'row.unreadable': error(null, '{problem}', 'Correct the row in the file, or export it again.'),
  'row.test-lead': error(
    null,
    'This is a test lead; test leads are never sent.',
    'Correct the row if a customer wrote it.',
  ),
  'row.altered-doubt': warning(
    null,
    'It may have been taken before its cells were changed, so it is not sent. Settle it with srq resolve; then restore its cells, or empty its srq_status to send it as a new request.',
    'Settle it with srq resolve; then restore its cells, or empty its srq_status.',
  ),
  'row.created-before': warning(
    null,
    'A request with its reference was created before, with other content. It is not sent.',
    'If it is a new request, send it with --again, in a file of its own.',
  ),
  'row.other-content': warning(
    null,
    'Its cells differ from what was sent when it got its srq_status, so this content may never have been sent. Were some columns sorted without the others, or was the row changed later? It is not sent.',
    'If columns were sorted without the others, import the file as srq wrote it. If this content was never sent, empty its srq_status.',
  ),
  'columns.unknown-field': warning(
    null,
    '"{field}" is not a field that srq knows; it is sent as it is.',
    'If the service has it, let srq learn its API description: srq contract learn FILE. --strict refuses such fields.',
  ),
  'columns.constant': warning(null, '{rows} get the same {field}, which is given as a constant.', FILL),
  'columns.content': warning(
    null,
    '"{name}" was given as the {field}, but {what}.',
    'If that is a mistake, say which column it is: --map COLUMN={field}',
  ),
  'columns.changed': warning(null, '{what}', 'Look at the plan, and correct it with --map COLUMN=FIELD.'),

  'country.missing': error(null, 'There is no country.', 'Fill the cell; for a file of one country: --set country=PT', {
    givenBy: ['country'],
    says: 'No column gives the country',
  }),
  'country.unknown': error(
    COUNTRY,
    'is not one of the markets: {markets}.',
    'Correct the cell; for a file of one country: --set country=PT',
  ),

  'lang.missing': error(
    null,
    '{market} has several languages ({languages}), and none is given.',
    'Fill the cell; for a file of one language: --set lang=pt',
    { givenBy: ['lang'], says: 'No column gives the language: {message}' },
  ),
  'lang.unknown': warning('The language', 'is not a language code such as pt or de.', LANGUAGE),

  'contact.missing': error(
    null,
    'There is neither a phone number nor an e-mail address.',
    'Fill one of the cells; if another column holds it: --map COLUMN=phone, or --map COLUMN=email',
    { givenBy: ['phone', 'email'], says: 'No column gives a phone number or an e-mail address' },
  ),
  'phone.not-a-number': error(PHONE, 'is not a telephone number.', ANOTHER_NUMBER),
  'phone.too-short': error(PHONE, 'is too short for {country}; digits are missing.', ANOTHER_NUMBER),
  'phone.too-long': error(PHONE, 'is too long for {country}.', ANOTHER_NUMBER),
  'phone.invalid': error(
    PHONE,
    'is not a telephone number of {country}; check the digits and the country.',
    ANOTHER_NUMBER,
  ),
  'phone.country-code': error(PHONE, 'begins with a country code that does not exist.', ANOTHER_NUMBER),
  'phone.two-ways': error(
    PHONE,
    'may begin with the country code of {country}, or may be a number within the country; write it with + and the country code.',
    ANOTHER_NUMBER,
  ),
  'phone.two-numbers': error(PHONE, 'holds more than one number; keep one.', ANOTHER_NUMBER),
  'phone.scientific': error(PHONE, EXPORT_AGAIN, ANOTHER_NUMBER),
  'phone.no-plus': warning(
    PHONE,
    'has no plus, but begins with the country code; it was read that way.',
    ANOTHER_NUMBER,
  ),
  'phone.trunk-zero': warning(PHONE, 'had a (0) after the country code, which was removed.', ANOTHER_NUMBER),
  'phone.old-mexican': warning(PHONE, 'had a 1 after +52, which is no longer used and was removed.', ANOTHER_NUMBER),
  'phone.extension': warning(PHONE, 'has an extension, which is left out.', ANOTHER_NUMBER),
  'phone.trailing-mark': warning(PHONE, 'has a comma or semicolon behind it, which is left out.', ANOTHER_NUMBER),
  'phone.foreign': warning(PHONE, 'belongs to another country than the request.', ANOTHER_NUMBER),

  'email.invalid': error(EMAIL, 'is not valid.', ANOTHER_ADDRESS),
  'email.several': error(EMAIL, 'holds more than one address; keep one.', ANOTHER_ADDRESS),
  'email.too-long': error(EMAIL, 'is too long.', ANOTHER_ADDRESS),
  'email.letters': warning(EMAIL, 'has letters before the @ that many mail services do not accept.', ANOTHER_ADDRESS),
  'email.trailing-mark': warning(EMAIL, 'has a comma or semicolon behind it, which is left out.', ANOTHER_ADDRESS),
  'email.unusual': warning(EMAIL, 'looks unusual; check it.', ANOTHER_ADDRESS),

  'request_text.missing': error(null, 'The request text is empty.', NEED, {
    givenBy: ['request_text', 'audio_file', 'audio'],
    says: 'No column holds the request text or a recording',
  }),
  'request_text.left-out': warning(
    null,
    'The recording is sent in place of the text; the text is left out.',
    'Empty one of the cells, or leave one column out: --map "{column}=-"',
  ),
  'location.missing': warning(null, 'There is no location; a professional would not know where to go.', PLACE, {
    givenBy: ['location'],
    says: 'No column gives the location; a professional would not know where to go',
  }),
  'location.split': warning(
    'The location',
    'is split: the API description has places for postal code and town, and no column gives them.',
    'Say which columns hold them: --map COLUMN=postal_code, --map COLUMN=city',
  ),
  'location.whole': warning(
    'The location',
    'goes to the street as a whole: the API description has places for its parts, and no column gives them.',
    'Say which columns hold them: --map COLUMN=postal_code, --map COLUMN=city',
  ),
  'location.postal-code': warning('The postal code', '{looks}.', PLACE),
  'fullname.missing': warning(
    null,
    'There is no name.',
    'Fill the cell; if another column holds the name: --map COLUMN=fullname',
    { givenBy: ['fullname'], says: 'No column gives the name' },
  ),
  'fullname.split': warning(
    'The name',
    'is split: the API description has places for first and last name, and no column gives them.',
    'Say which columns hold them: --map COLUMN=first_name, --map COLUMN=last_name',
  ),
  'audio_file.unusable': error(null, '{problem}', RECORDING),

  'text.damaged': error(
    null,
    '{field} contains a NUL or half a character: the file is damaged. Export it again.',
    CORRECT_CELL,
  ),
  'text.lost-letter': warning(
    null,
    '{field} contains \uFFFD, which marks a lost letter; an earlier conversion damaged the text.',
    CORRECT_CELL,
  ),
  'text.too-long': warning(
    null,
    '{field} has {letters} letters, more than the usual {most}; check whether it is the right column.',
    CORRECT_CELL,
  ),
  'text.scientific': error('{field}', EXPORT_AGAIN, CORRECT_CELL),
  'text.error-value': error(
    '{field}',
    'is what a spreadsheet shows in place of a result; correct the formula, or empty the cell.',
    CORRECT_CELL,
  ),

  'contract.missing': error(null, '{what} is empty, but the API description requires it.{hint}', FILL, {
    givenBy: ['{field}'],
    says: 'No column gives {field}, which the API description requires',
  }),
  'contract.none-of': error(null, 'The API description requires one of these: {ways}.', FILL),
  'contract.type': error('{field}', 'has the wrong type: the API description requires {type}.', CORRECT_CELL),
  'contract.not-allowed': error(
    '{field}',
    'is not a value that the API description allows: {allowed}.{hint}',
    CORRECT_CELL,
  ),
  'contract.bound': error(null, '{field} {problem}, says the API description.', CORRECT_CELL),
  'contract.no-place': error(null, 'The API description has no place for {field}.{hint}', CORRECT_CELL),
  'contract.left-out': warning(
    null,
    '{field} is left out: the API description has no place for it.',
    'Nothing to do; to leave it out without this warning: --map "{column}=-"',
  ),
  'contract.recording-length': error(
    null,
    'The recording is too long: {length} characters as it is sent, and the API description allows {most}. Shorten it, or save it in a compressed form.',
    'Shorten the recording, or save it in a compressed form.',
  ),
  'contract.recording-kind': error(
    null,
    'The recording is {kind}. The API description allows {allowed}.',
    'Save the recording in a format that the API description allows.',
  ),
  'contract.recording-unknown': error(
    null,
    'The format of the recording is unknown to srq, and the service has to be told.',
    'Save the recording in a common format, such as .mp3 or .wav.',
  ),
} as const satisfies Readonly<Record<string, FindingFacts>>;

export type FindingCode = keyof typeof FINDING;

/** The codes that begin with a word and a dot, such as all of `phone`. */
export type FindingOf<Word extends string> = Extract<FindingCode, `${Word}.${string}`>;

/**
 * A problem found by the local checks. An `error` makes the row invalid, and a `warning` does so only with --strict.
 */
export interface Problem {
  /** The kind of problem. Codes never change, but messages may. */
  readonly code: FindingCode;
  /** An `error` makes the request invalid; a `warning` does not, unless all are to be strict. */
  readonly severity: 'error' | 'warning';
  /** The field, or an empty text if it is about the whole row. */
  readonly field: string;
  /** The column of the file with the value, or null if the value is from elsewhere. */
  readonly column: string | null;
  /** What is wrong. The only value of the row that it may quote is the name of a recording. */
  readonly message: string;
  /** The beginning of the text that is wrong, which is personal data, or null if there is none to show. */
  readonly value: string | null;
}

/** A problem with a field, before the column that the field comes from is known. */
export type Finding = Omit<Problem, 'column'>;

/** The names in braces within a text. */
type Named<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Named<Rest> : never;
type DetailsOf<Code extends FindingCode> = Readonly<
  Record<Exclude<Named<(typeof FINDING)[Code]['says']>, 'field'>, string | number>
>;

/**
 * Maximum length of a value in a finding. More would show more personal data than is needed to find the cell.
 */
const SHOWN_LETTERS = 40;

/** Makes a finding. `value` is the text that it is about, or null if there is none to show. */
export function finding<Code extends FindingCode>(
  code: Code,
  field: string,
  details: DetailsOf<Code>,
  value: string | null = null,
): Finding {
  const { severity, subject, says } = FINDING[code];
  const text = subject === null ? says : `${subject} ${says}`;
  // Most texts have no placeholder. They are not filled in, because a million rows may each have a warning.
  const message = text.includes('{') ? filledIn(text, { ...details, field }) : text;
  return { code, severity, field, message, value: value === null ? null : shortened(value) };
}

function filledIn(text: string, details: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(details, name) ? String(details[name]) : whole));
}

function shortened(value: string): string {
  const start = value.slice(0, 4 * SHOWN_LETTERS).toWellFormed();
  const line = start.trim().replace(/\s+/g, ' ');
  return line.length <= SHOWN_LETTERS ? line : `${line.slice(0, SHOWN_LETTERS - 1).toWellFormed()}…`;
}

/** Returns the message of a problem with its value, which is personal data: only the owner of the file may see it. */
export function quotedMessage({ code, field, message, value }: Omit<Finding, 'severity'>): string {
  const { subject } = FINDING[code];
  if (subject === null || value === null) return message;
  const beginning = filledIn(subject, { field });
  return `${beginning} "${value}"${message.slice(beginning.length)}`;
}

/** Returns what to do about a problem, in addition to its message. */
export function adviceOn({ code, field, column }: Pick<Problem, 'code' | 'field' | 'column'>): string {
  const { advice }: FindingFacts = FINDING[code];
  if (column !== null) return filledIn(advice, { field, column });
  return filledIn(advice.includes('{column}') ? FILL : advice, { field });
}

/**
 * Returns the fields any one of which would solve a problem if it were given. The list is empty if the problem is about
 * a value.
 */
export function fieldsThatGive({ code, field }: Pick<Problem, 'code' | 'field'>): readonly string[] {
  const { absence }: FindingFacts = FINDING[code];
  if (absence === null) return NO_FIELDS;
  return absence.givenBy.includes('{field}') ? [field] : absence.givenBy;
}

const NO_FIELDS: readonly string[] = [];

/** Returns the message of a problem that all rows share because no column gives the field. It has no full stop. */
export function absenceMessage({ code, field, message }: Pick<Problem, 'code' | 'field' | 'message'>): string {
  const { absence }: FindingFacts = FINDING[code];
  return absence === null ? message : filledIn(absence.says, { field, message: message.replace(/\.$/, '') });
}
