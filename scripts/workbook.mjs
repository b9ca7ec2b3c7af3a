// Writes .xlsx workbooks as spreadsheets do, for fixtures and tests: shared strings, numbers, dates, true and false.
import { strToU8, zipSync } from 'fflate';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const DAY_MS = 86_400_000;

const escaped = (text) =>
  text.replace(/[&<>"\r]/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\r': '&#13;' })[mark]);

/**
 * A number may have a format of its own.
 * @typedef {string | number | boolean | Date | { readonly number: number, readonly format: string } | null} Cell
 * @typedef {{ readonly name: string, readonly rows: readonly (readonly Cell[])[], readonly hidden?: boolean }} SheetToWrite
 */

/**
 * The bytes of a workbook.
 * @param {readonly SheetToWrite[]} sheets
 */
export function workbook(sheets) {
  const strings = new Map();
  const formats = new Map();
  const parts = {};
  for (const [at, { rows }] of sheets.entries()) {
    parts[`xl/worksheets/sheet${at + 1}.xml`] = sheetXml(rows, strings, formats);
  }
  return packed({ ...parts, ...frame(sheets, formats), 'xl/sharedStrings.xml': stringsXml(strings) });
}

/**
 * A workbook of one sheet whose XML is given as it is, for what no spreadsheet would write.
 * @param {string} xml
 */
export function rawWorkbook(xml) {
  return packed({ 'xl/worksheets/sheet1.xml': HEAD + xml, ...frame([{ name: 'Sheet1' }]) });
}

/** @returns {string} */
function columnName(index) {
  return (index >= 26 ? columnName(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26));
}

function packed(parts) {
  return zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)])), {
    mtime: new Date(2026, 10, 21),
  });
}

function frame(sheets, formats = new Map()) {
  const list = sheets.map(
    ({ name, hidden }, at) =>
      `<sheet name="${escaped(name)}" sheetId="${at + 1}"${hidden ? ' state="hidden"' : ''} r:id="rId${at + 1}"/>`,
  );
  const relations = sheets.map(
    (_, at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  const more = ['styles', 'sharedStrings'].map(
    (name, at) => `<Relationship Id="rX${at}" Type="${OFFICE}/${name}" Target="${name}.xml"/>`,
  );
  return {
    '[Content_Types].xml': `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    '_rels/.rels': `${HEAD}<Relationships xmlns="${PACKAGE}"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `${HEAD}<workbook ${MAIN} xmlns:r="${OFFICE}"><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${HEAD}<Relationships xmlns="${PACKAGE}">${relations.join('')}${more.join('')}</Relationships>`,
    'xl/styles.xml': stylesXml([...formats.keys()]),
  };
}

/** The first two styles are those of plain numbers and of dates; the first format of one's own has the number 164. */
function stylesXml(codes) {
  const formats = codes.map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${escaped(code)}"/>`).join('');
  const own = codes.map((_, at) => `<xf numFmtId="${164 + at}" applyNumberFormat="1"/>`).join('');
  const list = codes.length > 0 ? `<numFmts count="${codes.length}">${formats}</numFmts>` : '';
  return `${HEAD}<styleSheet ${MAIN}>${list}<cellXfs count="${2 + codes.length}"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/>${own}</cellXfs></styleSheet>`;
}

function sheetXml(rows, strings, formats) {
  const lines = rows.map((cells, at) => {
    const written = cells.map((value, column) => cellXml(value, `${columnName(column)}${at + 1}`, strings, formats));
    return `<row r="${at + 1}">${written.join('')}</row>`;
  });
  return `${HEAD}<worksheet ${MAIN}><sheetData>${lines.join('')}</sheetData></worksheet>`;
}

function cellXml(value, place, strings, formats) {
  if (value === null || value === '') return '';
  if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`;
  if (value instanceof Date) return `<c r="${place}" s="1"><v>${value.getTime() / DAY_MS + 25_569}</v></c>`;
  if (typeof value === 'object') {
    if (!formats.has(value.format)) formats.set(value.format, 2 + formats.size);
    return `<c r="${place}" s="${formats.get(value.format)}"><v>${value.number}</v></c>`;
  }
  if (!strings.has(value)) strings.set(value, strings.size);
  return `<c r="${place}" t="s"><v>${strings.get(value)}</v></c>`;
}

function stringsXml(strings) {
  const items = [...strings.keys()].map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`);
  return `${HEAD}<sst ${MAIN} count="${items.length}" uniqueCount="${items.length}">${items.join('')}</sst>`;
}
