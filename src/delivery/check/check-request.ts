import { describedCall } from '../../request/contract/bindings.ts';
import { type Contract, countryOf } from '../../request/contract/contract.ts';
import type { RequestOperationName } from '../../request/contract/operations.ts';
import { DOCUMENTED_CONTRACT } from '../../request/contract/public-api.ts';
import { AUDIO_PARAMETER, CATEGORY_PARAMETER, DOCUMENTED_PARAMETERS } from '../../request/contract/wire.ts';
import { errorValueWithin, isErrorValue } from '../../request/lead/cell.ts';
import { parseEmail } from '../../request/lead/email.ts';
import { FIELD, isField, USUAL_LENGTH } from '../../request/lead/fields.ts';
import {
  MARKETS,
  type Market,
  parseLanguage,
  parseMarket,
  postalCodeWarning,
  usualLanguage,
} from '../../request/lead/markets.ts';
import { type Part, type Parts, wholeOf } from '../../request/lead/parts.ts';
import { parsePhone } from '../../request/lead/phone.ts';
import type { Draft, ServiceRequest } from '../../request/lead/service-request.ts';
import type { Mapping } from '../../request/lead/table.ts';
import { memoize } from '../../request/small.ts';
import { UTF8_AS_WINDOWS_1252 } from '../../request/words/characters.ts';
import { finding, type Problem } from '../../request/words/finding.ts';
import { contractFindings, saysRequired } from './check-contract.ts';
import { NO_PARTS, type PlacedParts, placedParts } from './place-parts.ts';

const META_TEST = /^(?:<test lead:|test@(?:meta|fb)\.com$)/i;

/**
 * Checks a draft and normalises it: UK for GB, E.164 phone numbers, a trimmed e-mail address, and the market's language
 * if none is given. `operation` is the one whose description counts.
 *
 * Without a contract, only what certainly cannot work is an error; everything else is a warning. Which fields the
 * service requires is not public, and a wrong refusal loses a lead, while a wrong pass only costs one call. With a
 * contract, its rules take precedence over what is merely usual.
 */
export function checkRequest(
  draft: Draft,
  mapping: Mapping | null,
  contract: Contract = DOCUMENTED_CONTRACT,
  operation: RequestOperationName = 'create',
) {
  const check = new RequestCheck(draft, mapping, contract);
  check.texts(draft.parts ?? {});
  check.testLead();
  const market = check.country();
  check.parts(draft.parts, market);
  if (market && draft.parts?.postal_code !== undefined) check.postalCode(draft.parts.postal_code, market);
  check.language(market);
  check.contact(market);
  check.need();
  check.usual('location', 'location.missing');
  check.usual('fullname', 'fullname.missing');
  check.contract(operation);
  return check.result();
}

/**
 * Returns the request that a draft most likely becomes, without checking it. Returns null if that cannot be known
 * without the checks. It is for callers that know the key of the request that passed the checks, and can compare.
 */
export function likelyRequest(draft: Draft, contract: Contract): ServiceRequest | null {
  const check = new RequestCheck(draft, null, contract);
  const market = check.country();
  check.parts(draft.parts, market);
  check.language(market);
  check.contact(market);
  check.need();
  const { request, audioPath } = check.result();
  return audioPath === null ? request : null;
}

/** What the checks have to know of the description of create. It is memoized, because it is derived once for all rows. */
const describedCreate = memoize((create: Contract['create']) => {
  const { fields, required, bounded } = describedCall(create);
  const needsText = required.has('request_text');
  return { fields, bounded, needsText, country: countryOf({ create }), saysRequired: saysRequired(create) };
});

class RequestCheck {
  private readonly problems: Problem[] = [];
  private readonly fields: Record<string, string>;
  private readonly mapping: Mapping | null;
  private readonly ref: string | null;
  private readonly audioPath: string | null;
  private readonly service: Contract;
  private readonly described: ReturnType<typeof describedCreate>;
  private readonly filled = new Set<string>();
  private placed: PlacedParts = NO_PARTS;

  constructor(draft: Draft, mapping: Mapping | null, contract: Contract) {
    const fields: Record<string, string> = {};
    for (const field in draft.fields) {
      const text = field === 'ref' || field === 'audio_file' ? '' : draft.fields[field]?.trim();
      if (text) put(fields, field, text);
    }
    this.fields = fields;
    this.ref = draft.fields['ref']?.trim() || null;
    this.audioPath = draft.fields['audio_file']?.trim() || null;
    this.mapping = mapping;
    this.service = contract;
    this.described = describedCreate(contract.create);
  }

  parts(given: Parts | undefined, market: Market | undefined): void {
    this.placed = placedParts(this.service, this.fields, given ?? {}, market);
  }

  /** Looks for damage, excessive length, and what a spreadsheet wrote in place of a text. */
  texts(parts: Parts): void {
    for (const field in this.fields) this.text(field, this.fields[field] ?? '');
    this.text('ref', this.ref ?? '');
    this.text('audio_file', this.audioPath ?? '');
    for (const part in parts) {
      const text = parts[part as Part] ?? '';
      const isShortened = part === 'postal_code' && SCIENTIFIC.test(text);
      const code = isShortened ? 'text.scientific' : isErrorValue(text) ? 'text.error-value' : null;
      const field = wholeOf(part);
      const isTold = this.problems.some((each) => each.code === code && each.field === field);
      if (code !== null && !isTold) this.found(finding(code, field, {}, text));
    }
  }

  private text(field: string, text: string): void {
    if (text.includes('\0') || !text.isWellFormed()) this.found(finding('text.damaged', field, {}));
    else if (text.includes('\uFFFD')) this.found(finding('text.lost-letter', field, {}, text));
    const [letters] = UTF8_AS_WINDOWS_1252.exec(text) ?? [];
    if (letters !== undefined) this.found(finding('text.garbled', field, { letters }, text));
    const most = isField(field) ? FIELD[field].usualLength : field === AUDIO_PARAMETER ? null : USUAL_LENGTH;
    if (most !== null && text.length > most && !this.described.bounded.has(field))
      this.found(finding('text.too-long', field, { letters: text.length, most }, text));
    // Telephone numbers in scientific notation have their own message.
    if (field !== 'phone' && SCIENTIFIC.test(text)) this.found(finding('text.scientific', field, {}, text));
    const value = errorValueOf(field, text);
    if (value !== null) this.found(finding('text.error-value', field, {}, value));
  }

  postalCode(text: string, market: Market): void {
    const looks = SCIENTIFIC.test(text) || isErrorValue(text) ? null : postalCodeWarning(text, market);
    if (looks !== null) this.found(finding('location.postal-code', 'location', { looks }, text));
  }

  /** Finds test leads, which platforms send to prove a connection. They must never reach a professional. */
  testLead(): void {
    for (const field in this.fields) {
      if (!META_TEST.test(this.fields[field] ?? '')) continue;
      this.found(finding('row.test-lead', field, {}));
      return;
    }
  }

  country(): Market | undefined {
    const text = this.fields['country'];
    if (text === undefined) {
      if (!this.described.saysRequired) this.found(finding('country.missing', 'country', {}));
      return parseMarket(this.described.country ?? '');
    }
    const market = parseMarket(text);
    if (market) this.fields['country'] = market.code;
    else {
      const markets = MARKETS.map(({ code }) => code).join(', ');
      this.found(finding('country.unknown', 'country', { markets }, text));
    }
    return market;
  }

  language(market: Market | undefined): void {
    const text = this.fields['lang'];
    if (text !== undefined) {
      const { code, known } = parseLanguage(text);
      this.fields['lang'] = code;
      if (!known && !isErrorValue(text)) this.found(finding('lang.unknown', 'lang', {}, text));
    } else if (market) {
      const usual = usualLanguage(market);
      if (usual !== null) {
        this.fields['lang'] = usual;
        this.filled.add('lang');
      } else if (!this.described.saysRequired) {
        const languages = market.languages.join(', ');
        this.found(finding('lang.missing', 'lang', { market: market.name, languages }));
      }
    }
  }

  contact(market: Market | undefined): void {
    const { phone, email } = this.fields;
    if (phone === undefined && email === undefined && !this.described.saysRequired)
      this.found(finding('contact.missing', 'phone', {}));
    if (phone !== undefined) {
      const { e164, error, warning, country = 'its country' } = parsePhone(phone, market);
      // Without a country, a national number cannot be checked, and the missing country has been reported already.
      const isTold = isErrorValue(phone) || (!market && !phone.includes('+'));
      if (error !== null && !isTold) this.found(finding(error, 'phone', { country }, phone));
      if (warning !== null) this.found(finding(warning, 'phone', { country }, phone));
      if (e164 !== null) this.fields['phone'] = e164;
    }
    if (email !== undefined) {
      const parsed = parseEmail(email);
      if (parsed.error !== null) this.found(finding(parsed.error, 'email', {}, email));
      if (parsed.email !== null) this.fields['email'] = parsed.email;
    }
  }

  /**
   * Checks that there is a text or a recording. The API takes audio "in place of text". If both are given, the text is
   * left out with a warning, unless the contract requires it.
   */
  need(): void {
    const hasText = this.fields['request_text'] !== undefined;
    const hasAudio = this.audioPath !== null || this.fields[AUDIO_PARAMETER] !== undefined;
    if (!hasText && !hasAudio && !this.described.saysRequired)
      this.found(finding('request_text.missing', 'request_text', {}));
    if (!hasText || !hasAudio || this.described.needsText) return;
    delete this.fields['request_text'];
    this.found(finding('request_text.left-out', 'request_text', {}));
  }

  usual(field: string, code: 'location.missing' | 'fullname.missing'): void {
    if (this.fields[field] === undefined && !this.described.saysRequired) this.found(finding(code, field, {}));
  }

  contract(operation: RequestOperationName): void {
    for (const each of this.placed.findings) this.found(each);
    const given = { texts: this.wireTexts(), hasRecording: this.audioPath !== null, filled: this.filled };
    const findings = contractFindings(this.service, operation, given);
    if (findings.length === 0) return;
    const wrong = new Set(this.problems.filter(({ severity }) => severity === 'error').map(({ field }) => field));
    // If srq's own check has found an error in a field, its message is better than the contract's.
    for (const each of findings) if (each.severity === 'warning' || !wrong.has(each.field)) this.found(each);
  }

  /** Returns the texts to be sent. Parts replace the fields that only have parameters for their parts. */
  private wireTexts(): Readonly<Record<string, string>> {
    const { parts } = this.placed;
    if (this.placed === NO_PARTS && this.ref === null) return this.fields;
    // Spreading three objects takes ten times as long.
    const texts: Record<string, string> = Object.assign(this.ref === null ? {} : { ref: this.ref }, parts, this.fields);
    for (const part in parts) if (!this.described.fields.has(wholeOf(part))) delete texts[wholeOf(part)];
    return texts;
  }

  /**
   * The request without its recording, which has not been read, or null if there is an error; the path of the recording, or null
   * if there is none; and the problems in both cases.
   */
  result() {
    const { ref, audioPath, problems } = this;
    const { parts } = this.placed;
    if (problems.some(({ severity }) => severity === 'error')) return { request: null, audioPath, problems };
    const params = this.params();
    const isWhole = Object.keys(parts).length === 0;
    const request: ServiceRequest = isWhole ? { params, audio: null, ref } : { params, parts, audio: null, ref };
    return { request, audioPath, problems };
  }

  /** Returns the fields by the names of the API: the documented ones in its order, then the others. */
  private params(): Record<string, string> {
    const { fields } = this;
    const params: Record<string, string> = {};
    for (const name of DOCUMENTED_PARAMETERS) {
      const text = fields[name];
      if (text !== undefined) params[name] = text;
    }
    if (fields['category'] !== undefined) params[CATEGORY_PARAMETER] = fields['category'];
    for (const name in fields) if (name !== 'category') put(params, name, fields[name] ?? '');
    return params;
  }

  private found(problem: Problem): void {
    const column = (this.mapping && columnNames(this.mapping).get(problem.field)) ?? null;
    this.problems.push({ ...problem, column });
  }
}

/** Sets a text under any name. Assigning to `__proto__` would set the prototype instead. */
export function put(texts: Record<string, string>, name: string, text: string): void {
  if (name === '__proto__') Object.defineProperty(texts, name, { value: text, enumerable: true, configurable: true });
  else texts[name] = text;
}

/** Returns the source of each field as a text: the name of its column, or of all columns it may come from. */
const columnNames = memoize(({ sources, columns }: Mapping): ReadonlyMap<string, string> => {
  const indexes = new Map<string, Set<number>>();
  for (const { field, columns: at } of sources) {
    indexes.set(field, new Set([...(indexes.get(field) ?? []), ...at]));
  }
  const named = [...indexes].filter(([, at]) => at.size > 0);
  return new Map(named.map(([field, at]) => [field, [...at].map((index) => columns[index] ?? '').join(' / ')]));
});

/**
 * Matches a long number in scientific notation, in which spreadsheets lose digits. A reference such as 1E5 does not
 * match.
 */
const SCIENTIFIC = /^\d[.,]\d+E\+\d{2,}$/i;

/**
 * Returns the error value that a field holds, or null. Names and locations are joined from several cells, so one part
 * of them counts. In other texts a customer may have written that word.
 */
function errorValueOf(field: string, text: string): string | null {
  if (field === 'location' || field === 'fullname') return errorValueWithin(text);
  // Countries and e-mail addresses have their own messages.
  return field !== 'country' && field !== 'email' && isErrorValue(text) ? text : null;
}
