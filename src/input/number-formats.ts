/** Formats an integer as a spreadsheet shows it, or returns null if the format does more than place its digits. */
type ShownNumber = (value: number) => string | null;

/**
 * Maximum length of a format's code. A longer one is not meant for numbers of leads, and it would be applied to each
 * cell.
 */
const MAX_CODE = 60;

type Token = { readonly digit: '0' | '#' } | { readonly text: string };

/** Matches a condition, such as that of `[<=9999999]###-####;(###) ###-####`, by which the same digits only look different. */
const CONDITION = /\[[<>=]/;
const FIRST_SECTION = /^(?:"[^"]*"|\\.|\[[^\]]*\]|[^;"\\[])+/;
/** Matches colours and locales, which change no character, unlike a currency, and the width of a character. */
const SILENT = /^(?:\[(?:\$-[\dA-F]+|[A-Za-z]+\d*)\]|[_*][ -~])/;

/**
 * Reads the code of a number format that only places the digits of an integer, such as `00000`, `000-0000` or `+00 000`.
 * Returns null for all others: dates, decimals, thousands, percents, texts, conditions.
 */
function digitFormat(code: string): ShownNumber | null {
  if (code.length > MAX_CODE || CONDITION.test(code)) return null;
  const tokens = tokensOf(FIRST_SECTION.exec(code)?.[0] ?? '');
  const digits = tokens?.filter((token) => 'digit' in token) ?? [];
  if (!tokens || tokens.length === 1 || !digits.some(({ digit }) => digit === '0' || tokens.length > digits.length))
    return null;
  return (value) => (Number.isSafeInteger(value) && value >= 0 ? shown(String(value), tokens) : null);
}

/** Splits a code into its tokens, or returns null if it does more than place digits. */
function tokensOf(code: string): Token[] | null {
  const tokens: Token[] = [];
  for (let rest = code; rest !== ''; ) {
    const silent = SILENT.exec(rest);
    const [literal, quoted, escaped, plain] = /^(?:"([ -~]*?)"|\\([ -~])|([ ()+-]))/.exec(rest) ?? [];
    if (literal !== undefined) tokens.push({ text: quoted ?? escaped ?? plain ?? '' });
    else if (/^[0#?]/.test(rest)) tokens.push({ digit: rest.startsWith('0') ? '0' : '#' });
    else if (!silent) return null;
    rest = rest.slice((literal ?? silent?.[0] ?? rest[0] ?? '').length);
  }
  return tokens;
}

/** Places digits from the right. The first placeholder takes all remaining digits. */
function shown(digits: string, tokens: readonly Token[]): string {
  const first = tokens.findIndex((token) => 'digit' in token);
  let left = digits === '0' ? '' : digits;
  let text = '';
  for (let at = tokens.length - 1; at >= 0; at--) {
    const token = tokens[at];
    if (!token) continue;
    if ('text' in token) text = token.text + text;
    else {
      const taken = at === first ? left : left.slice(-1);
      text = (taken || (token.digit === '0' ? '0' : '')) + text;
      left = left.slice(0, left.length - taken.length);
    }
  }
  return text.trim();
}

/** Maximum number of formats and of styles that are examined. Spreadsheets have fewer. */
const MAX_STYLES = 65_536;

/** Returns the digit formats of a workbook's styles, by the number of the style that a cell names. */
function digitStyles(styles: string): ReadonlyMap<string, ShownNumber> {
  const formats = new Map<string, ShownNumber | null>();
  for (const [tag] of styles.matchAll(/<(?:[\w-]+:)?numFmt\s[^<>]*>/g)) {
    if (formats.size >= MAX_STYLES) break;
    formats.set(attributeOf(tag, 'numFmtId') ?? '', digitFormat(attributeOf(tag, 'formatCode') ?? ''));
  }
  const begin = styles.search(/<(?:[\w-]+:)?cellXfs[\s>]/);
  const list = begin < 0 ? '' : styles.slice(begin);
  const end = list.search(/<\/(?:[\w-]+:)?cellXfs>/);
  const found = new Map<string, ShownNumber>();
  let at = 0;
  for (const [tag] of list.slice(0, Math.max(0, end)).matchAll(/<(?:[\w-]+:)?xf\s[^<>]*>/g)) {
    const format = formats.get(attributeOf(tag, 'numFmtId') ?? '');
    if (format) found.set(String(at), format);
    if (++at >= MAX_STYLES) break;
  }
  return found;
}

function stylesPart(parts: ReadonlyMap<string, Buffer>): string {
  const relations = parts.get('xl/_rels/workbook.xml.rels')?.toString('utf8') ?? '';
  for (const [tag] of relations.matchAll(/<(?:[\w-]+:)?Relationship\s[^<>]*>/g)) {
    if (!attributeOf(tag, 'Type')?.endsWith('/styles')) continue;
    const target = attributeOf(tag, 'Target') ?? '';
    return target.startsWith('/') ? target.slice(1) : `xl/${target}`;
  }
  return 'xl/styles.xml';
}

/** Matches a cell with a value. The groups are its namespace, its attributes, its formula and its value. */
const CELL =
  /<((?:[\w-]+:)?)c((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*>(\s*<\1f\b[^<>]*(?:\/>|>[^<]*<\/\1f>))?\s*<\1v[^<>]*>([^<]*)<\/\1v>\s*<\/\1c>/g;

const STYLE = /\ss\s*=\s*["'](\d+)["']/;
const TYPE = /\st\s*=\s*["']([^"']*)["']/;

/**
 * Replaces numbers whose formats place their digits (`00000`) by texts as they are shown (`01067`), in all sheets of a
 * workbook. The library that reads workbooks ignores formats, so the zeros of a postal code would be lost.
 */
export function showDigits(parts: Map<string, Buffer>): void {
  const styles = digitStyles(parts.get(stylesPart(parts))?.toString('utf8') ?? '');
  if (styles.size === 0) return;
  for (const [name, part] of parts) {
    if (!part.includes('sheetData')) continue;
    // With Latin-1 each byte is one character, so that bytes which are not examined stay the same.
    const xml = part
      .toString('latin1')
      .replace(CELL, (cell, space: string, tag: string, formula = '', value: string) => {
        const format = styles.get(STYLE.exec(tag)?.[1] ?? '');
        if (!format || /^[^n]/.test(TYPE.exec(tag)?.[1] ?? '') || value.trim() === '') return cell;
        const text = format(Number(value));
        if (text === null) return cell;
        const others = tag.replace(TYPE, '');
        return `<${space}c${others} t="str">${formula}<${space}v>${escaped(text)}</${space}v></${space}c>`;
      });
    parts.set(name, Buffer.from(xml, 'latin1'));
  }
}

/** Matches the tag of a cell with an error value, up to the type that says so. */
const ERROR_TYPE = /(<(?:[\w-]+:)?c(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*?\s+t\s*=\s*)(?:"e"|'e')/g;

/** Matches a cell with a formula and no value, or an empty one. The groups are its namespace, its attributes and the value. */
const WITHOUT_VALUE =
  /<((?:[\w-]+:)?)c((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*>\s*<\1f\b[^<>]*(?:\/>|>[^<]*<\/\1f>)\s*(<\1v\s*\/>|<\1v>\s*<\/\1v>)?\s*<\/\1c>/g;

/**
 * Turns the error values of formulas (`#N/A`), and formulas whose value the program that wrote them did not store, into
 * texts, in all sheets of a workbook. The library that reads workbooks takes such a cell for an empty one, so a request
 * would lack what the formula should have given.
 */
export function showErrors(parts: Map<string, Buffer>): void {
  for (const [name, part] of parts) {
    if (!part.includes('sheetData')) continue;
    const xml = part.toString('latin1');
    const shown = xml
      .replace(ERROR_TYPE, '$1"str"')
      .replace(WITHOUT_VALUE, (cell, space: string, tag: string, value?: string) => {
        // A formula may give an empty text, which is stored as one.
        if (value !== undefined && TYPE.exec(tag)?.[1] === 'str') return cell;
        return `<${space}c${tag.replace(TYPE, '')} t="str"><${space}v>#N/A</${space}v></${space}c>`;
      });
    if (shown !== xml) parts.set(name, Buffer.from(shown, 'latin1'));
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>]/g, (mark) => ({ '&': '&amp;', '<': '&lt;' })[mark] ?? '&gt;');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Replaces the entities in XML text: the five named ones, and character references. */
function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name: string) => {
    if (name) return ENTITIES[name] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10_ffff ? String.fromCodePoint(code) : whole;
  });
}

/** Returns an attribute of a tag, or null if the tag does not have it. */
export function attributeOf(tag: string, name: string): string | null {
  const found = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(tag);
  return found ? unescaped(found[1] ?? found[2] ?? '') : null;
}
