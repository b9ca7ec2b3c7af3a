/** Matches what a number format adds to the digits: texts, marks, colours and locales. */
const BESIDE_DIGITS = /"[^"]*"|[\\_*].|\[[^\]]*\]|[-+() ]/g;

/** Matches a format that always shows several digits and nothing else: `00000`. */
const ZEROS = /^#*0{2,60}$/;

/** Returns the number of digits to which a number format fills a number up with zeros, or 0 if it does something else. */
function filledTo(code: string): number {
  const digits = (code.split(';')[0] ?? '').slice(0, MAX_CODE).replace(BESIDE_DIGITS, '');
  return ZEROS.test(digits) ? digits.replaceAll('#', '').length : 0;
}

/** Tells whether a text is a whole number with all its digits. */
const isWhole = (text: string): boolean => /^\s*\d+\s*$/.test(text) && Number.isSafeInteger(Number(text));

/** Maximum length of a format's code that is examined. */
const MAX_CODE = 100;

/** Returns the numbers of digits that a workbook's styles show, by the number of the style that a cell names. */
function filledStyles(styles: string): ReadonlyMap<string, number> {
  const tags = (name: string, text = styles) => text.match(new RegExp(`<(?:[\\w-]+:)?${name}\\s[^<>]*>`, 'g')) ?? [];
  const formats = new Map(
    tags('numFmt').map((tag) => [attributeOf(tag, 'numFmtId'), filledTo(attributeOf(tag, 'formatCode') ?? '')]),
  );
  const [, after = ''] = styles.split(/<(?:[\w-]+:)?cellXfs[\s>]/, 2);
  const [list = ''] = after.split(/<\/(?:[\w-]+:)?cellXfs>/, 1);
  const digits = tags('xf', list).map((tag) => formats.get(attributeOf(tag, 'numFmtId')) ?? 0);
  return new Map(digits.flatMap((count, at) => (count > 0 ? [[String(at), count]] : [])));
}

/** Matches a cell with a value. The groups are its namespace, its attributes, its formula and its value. */
const CELL =
  /<((?:[\w-]+:)?)c((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*>(\s*<\1f\b[^<>]*(?:\/>|>[^<]*<\/\1f>))?\s*<\1v[^<>]*>([^<]*)<\/\1v>\s*<\/\1c>/g;

const STYLE = /\ss\s*=\s*["'](\d+)["']/;
const TYPE = /\st\s*=\s*["']([^"']*)["']/;

/**
 * Replaces the cells of all sheets that the library which reads workbooks would lose by texts: numbers that a format fills
 * up with zeros (`01067`), error values (`#N/A`), and formulas whose value the program that wrote them did not store. It
 * ignores formats, and takes such a formula for an empty cell, so a request would lack what it should have given.
 */
export function showCells(parts: Map<string, Buffer>): void {
  const styles = filledStyles([...parts.values()].find((part) => part.includes('cellXfs'))?.toString('utf8') ?? '');
  for (const [name, part] of parts) {
    if (!part.includes('sheetData')) continue;
    // With Latin-1 each byte is one character, so that bytes which are not examined stay the same.
    const xml = part.toString('latin1');
    const shown = withErrors(styles.size > 0 ? withDigits(xml, styles) : xml);
    if (shown !== xml) parts.set(name, Buffer.from(shown, 'latin1'));
  }
}

/** What a format places between the digits makes no difference, so it is left out. */
function withDigits(sheet: string, styles: ReadonlyMap<string, number>): string {
  return sheet.replace(CELL, (cell, space: string, tag: string, formula = '', value: string) => {
    const digits = styles.get(STYLE.exec(tag)?.[1] ?? '');
    if (!digits || /^[^n]/.test(TYPE.exec(tag)?.[1] ?? '') || !isWhole(value)) return cell;
    const text = value.trim().padStart(digits, '0');
    return `<${space}c${tag.replace(TYPE, '')} t="str">${formula}<${space}v>${text}</${space}v></${space}c>`;
  });
}

/** Matches the tag of a cell with an error value, up to the type that says so. */
const ERROR_TYPE = /(<(?:[\w-]+:)?c(?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*?\s+t\s*=\s*)(?:"e"|'e')/g;

/** Matches a cell with a formula and no value, or an empty one. The groups are its namespace, its attributes and the value. */
const WITHOUT_VALUE =
  /<((?:[\w-]+:)?)c((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*>\s*<\1f\b[^<>]*(?:\/>|>[^<]*<\/\1f>)\s*(<\1v\s*\/>|<\1v>\s*<\/\1v>)?\s*<\/\1c>/g;

function withErrors(sheet: string): string {
  return sheet
    .replace(ERROR_TYPE, '$1"str"')
    .replace(WITHOUT_VALUE, (cell, space: string, tag: string, value?: string) => {
      // A formula may give an empty text, which is stored as one.
      if (value !== undefined && TYPE.exec(tag)?.[1] === 'str') return cell;
      return `<${space}c${tag.replace(TYPE, '')} t="str"><${space}v>#N/A</${space}v></${space}c>`;
    });
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
