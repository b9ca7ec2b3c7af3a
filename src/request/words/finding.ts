import { filledIn } from './characters.ts';

/** What is said of one kind of finding. In its texts, `{field}` and other names in braces are placeholders. */
interface FindingFacts {
  /** An `error` makes the row invalid; a `warning` does not. */
  readonly severity: Problem['severity'];
  /** The beginning of the message, after which the value can be quoted. Null if the message quotes no value. */
  readonly subject: string | null;
  /** The message after its subject. */
  readonly says: string;
  /** What to do, with `{field}` and `{column}`. */
  readonly advice: string;
}

/** Makes findings of one subject, which share their advice. */
function about(subject: string | null, advice: string) {
  const kind =
    (severity: Problem['severity']) =>
    <const Says extends string>(says: Says): FindingFacts & { readonly says: Says } => {
      return { severity, subject, says, advice };
    };
  return { error: kind('error'), warning: kind('warning') };
}

const CORRECT_CELL = 'Correct the cell, or leave the column out: --map "{column}=-"';
const FILL = "Fill it from a column: --map COLUMN={field}, or --set '{field}={Column}'";
const LOST_DIGITS =
  'was turned into scientific notation by a spreadsheet and its digits are lost; export the file again with this column formatted as text.';

const row = about(null, 'Correct the row in the file, or export it again.');
const before = about(
  null,
  'If it is unknown, settle it: srq resolve. Send a new request in a file of its own, with --again.',
);
const columns = about(null, 'Look at the plan, and correct it with --map COLUMN=FIELD.');
const country = about('The country', 'Correct the cell; for a file of one country: --set country=PT');
const language = about('The language', 'Correct the cell; for a file of one language: --set lang=pt');
const phone = about('The phone number', 'Correct the cell; if another column holds the number: --map COLUMN=phone');
const email = about('The e-mail address', 'Correct the cell; if another column holds the address: --map COLUMN=email');
const location = about('The location', 'Say which columns hold them: --map COLUMN=postal_code, --map COLUMN=city');
const text = about(null, CORRECT_CELL);
const value = about('{field}', CORRECT_CELL);
const missing = about(null, FILL);

/** The kinds of findings. Programs read their codes, so the codes never change. `srq help errors` lists them. */
export const FINDING = {
  'row.unreadable': row.error('{problem}'),
  'row.test-lead': row.error('This is a test lead; test leads are never sent.'),
  'row.altered-doubt': before.warning(
    'It may have been taken, so it is not sent. This log does not have it with these cells: they were changed, or another machine or profile sent it. Settle it with srq resolve, where it was sent; then restore its cells, or empty its srq_status to send it as a new request.',
  ),
  'row.created-before': before.warning(
    'A request with its reference was created before, with other content. It is not sent.',
  ),
  'row.doubtful-before': before.warning(
    'A request with its reference, and with other content, may have been taken. It is not sent until that is settled.',
  ),
  'row.queued-before': before.warning(
    'A request with its reference, and with other content, waits in the queue. It is not sent beside it. To send this one instead: srq queue purge, then queue the file again.',
  ),
  'row.other-content': before.warning(
    'Its cells differ from what was sent when it got its srq_status, so this content may never have been sent. It is not sent. Were some columns sorted without the others? Then import the file as srq wrote it. Was the row changed later? Then empty its srq_status.',
  ),
  'columns.unknown-field': columns.warning(
    '"{field}" is not a field that srq knows; it is sent as it is. If the service has it: srq contract learn FILE.',
  ),
  'columns.content': columns.warning('"{name}" was given as the {field}, but {what}.'),
  'columns.changed': columns.warning('{what}'),

  'country.missing': country.error('is missing.'),
  'country.unknown': country.error('is not one of the markets: {markets}.'),

  'lang.missing': missing.error('{market} has several languages ({languages}), and none is given.'),
  'lang.unknown': language.warning('is not a language code such as pt or de.'),

  'contact.missing': missing.error('There is neither a phone number nor an e-mail address.'),
  'phone.not-a-number': phone.error('is not a telephone number.'),
  'phone.too-short': phone.error('is too short for {country}; digits are missing.'),
  'phone.too-long': phone.error('is too long for {country}.'),
  'phone.invalid': phone.error('is not a telephone number of {country}; check the digits and the country.'),
  'phone.country-code': phone.error('begins with a country code that does not exist.'),
  'phone.two-ways': phone.error(
    'may begin with the country code of {country}, or may be a number within the country; write it with + and the country code.',
  ),
  'phone.two-numbers': phone.error('holds more than one number; keep one.'),
  'phone.scientific': phone.error(LOST_DIGITS),
  'phone.repaired': phone.warning(
    'lacks the plus of its country code, or has a digit that is not dialled from abroad; it was read without that mistake.',
  ),
  'phone.extension': phone.warning('has an extension, which is left out.'),
  'phone.foreign': phone.warning('belongs to another country than the request.'),

  'email.invalid': email.error('is not valid.'),
  'email.several': email.error('holds more than one address; keep one.'),
  'email.too-long': email.error('is too long.'),

  'request_text.missing': missing.error('The request text is empty.'),
  'request_text.left-out': text.warning('The recording is sent in place of the text; the text is left out.'),
  'location.missing': missing.warning('There is no location; a professional would not know where to go.'),
  'location.split': location.warning(
    'is split: the API description has places for postal code and town, and no column gives them.',
  ),
  'location.whole': location.warning(
    'goes to the street as a whole: the API description has places for its parts, and no column gives them.',
  ),
  'location.postal-code': about('The postal code', CORRECT_CELL).warning('{looks}.'),
  'fullname.missing': missing.warning('There is no name.'),
  'fullname.split': about(
    'The name',
    'Say which columns hold them: --map COLUMN=first_name, --map COLUMN=last_name',
  ).warning('is split: the API description has places for first and last name, and no column gives them.'),
  'audio_file.unusable': text.error('{problem}'),

  'text.damaged': text.error('{field} contains a NUL or half a character: the file is damaged. Export it again.'),
  'text.lost-letter': text.warning(
    '{field} contains \uFFFD, which marks a lost letter; an earlier conversion damaged the text.',
  ),
  'text.garbled': text.warning(
    '{field} contains "{letters}" in place of one letter; an earlier conversion damaged the text.',
  ),
  'text.too-long': text.warning(
    '{field} has {letters} letters, more than the usual {most}; check whether it is the right column.',
  ),
  'text.scientific': value.error(LOST_DIGITS),
  'text.error-value': value.error(
    'is what a spreadsheet shows in place of a result; correct the formula, or empty the cell.',
  ),

  'contract.missing': missing.error('{what} is empty, but the API description requires it{or}.{hint}'),
  'contract.bound': value.error('{problem}, says the API description.'),
  'contract.left-out': text.warning('{field} is left out: the API description has no place for it.'),
} as const satisfies Readonly<Record<string, FindingFacts>>;

/** What no column gives, and the fields any one of which would give it: the field of the finding, if there are none here. */
const ABSENT: Readonly<Partial<Record<FindingCode, { readonly what: string; readonly fields?: readonly string[] }>>> = {
  'country.missing': { what: 'the country' },
  'lang.missing': { what: 'the language: {message}' },
  'contact.missing': { what: 'a phone number or an e-mail address', fields: ['phone', 'email'] },
  'request_text.missing': { what: 'the request text or a recording', fields: ['request_text', 'audio_file', 'audio'] },
  'location.missing': { what: 'the location; a professional would not know where to go' },
  'fullname.missing': { what: 'the name' },
  'contract.missing': { what: '{field}, which the API description requires' },
};

export type FindingCode = keyof typeof FINDING;
export const FINDING_CODES = Object.keys(FINDING) as [FindingCode, ...FindingCode[]];

/** The codes that begin with a word and a dot, such as all of `phone`. */
export type FindingOf<Word extends string> = Extract<FindingCode, `${Word}.${string}`>;

/** A problem found by the local checks. */
export interface Problem {
  /** The kind of problem. Codes never change, but messages may. */
  readonly code: FindingCode;
  /** An `error` makes the request invalid; a `warning` does not. */
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

/** The names in braces within a text. */
type Named<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Named<Rest> : never;
type DetailsOf<Code extends FindingCode> = Readonly<
  Record<Exclude<Named<(typeof FINDING)[Code]['says']>, 'field'>, string | number>
>;

/**
 * Maximum length of a value in a finding. More would show more personal data than is needed to find the cell.
 */
const SHOWN_LETTERS = 40;

/** Returns the message of a kind of finding, with its placeholders. */
export function saying(code: FindingCode): string {
  const { subject, says } = FINDING[code];
  return subject === null ? says : `${subject} ${says}`;
}

/** Makes a problem of no column. `value` is the text that it is about, or null if there is none to show. */
export function finding<Code extends FindingCode>(
  code: Code,
  field: string,
  details: DetailsOf<Code>,
  value: string | null = null,
): Problem {
  const { severity } = FINDING[code];
  const text = saying(code);
  // Most texts have no placeholder. They are not filled in, because a million rows may each have a warning.
  const message = text.includes('{') ? filledIn(text, { ...details, field }) : text;
  return { code, severity, field, column: null, message, value: value === null ? null : shortened(value) };
}

function shortened(value: string): string {
  const start = value.slice(0, 4 * SHOWN_LETTERS).toWellFormed();
  const line = start.trim().replace(/\s+/g, ' ');
  return line.length <= SHOWN_LETTERS ? line : `${line.slice(0, SHOWN_LETTERS - 1).toWellFormed()}…`;
}

/** Returns the message of a problem with its value, which is personal data: only the owner of the file may see it. */
export function quotedMessage({ code, field, message, value }: Omit<Problem, 'severity' | 'column'>): string {
  const { subject } = FINDING[code];
  if (subject === null || value === null) return message;
  const beginning = filledIn(subject, { field });
  return `${beginning} "${value}"${message.slice(beginning.length)}`;
}

/** Says why a request is invalid. */
export function whyInvalid(problems: readonly Problem[]) {
  const telling = problems.filter(({ severity }) => severity === 'error');
  const texts = telling.map((each) => (each.column === null ? '' : `${each.column}: `) + quotedMessage(each));
  return { message: texts.join(' '), reason: telling[0]?.code ?? null, problems: telling };
}

/** Returns what to do about a problem, in addition to its message. */
export function adviceOn({ code, field, column }: Pick<Problem, 'code' | 'field' | 'column'>): string {
  const { advice } = FINDING[code];
  if (column !== null) return filledIn(advice, { field, column });
  return filledIn(advice.includes('{column}') ? FILL : advice, { field });
}

/**
 * Returns the fields any one of which would solve a problem if it were given. The list is empty if the problem is about
 * a value.
 */
export function fieldsThatGive({ code, field }: Pick<Problem, 'code' | 'field'>): readonly string[] {
  const absent = ABSENT[code];
  return absent ? (absent.fields ?? [field]) : [];
}

/** Returns the message of a problem that all rows share because no column gives the field. It has no full stop. */
export function absenceMessage({ code, field, message }: Pick<Problem, 'code' | 'field' | 'message'>): string {
  const absent = ABSENT[code];
  return absent ? `No column gives ${filledIn(absent.what, { field, message: message.replace(/\.$/, '') })}` : message;
}
