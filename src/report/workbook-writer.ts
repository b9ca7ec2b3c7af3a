import { inChunks } from './output.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const SHEETS = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const KIND = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The number format `@`. A cell with this format stays text even if a person types digits into it. */
const TEXT_FORMAT = 49;

/** The parts of a workbook that has one sheet, without the sheet itself. */
const FRAME: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${KIND}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${KIND}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${KIND}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${SHEETS}" xmlns:r="${OFFICE}"><sheets><sheet name="Results" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${SHEETS}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="${TEXT_FORMAT}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>`,
};

/**
 * Yields the bytes of an `.xlsx` workbook with one sheet, in constant memory. All cells are texts and formatted as
 * text, so that a spreadsheet program changes none of them. The first row is frozen.
 */
export async function* workbookChunks(
  rows: AsyncIterable<readonly string[]>,
  columns: number,
): AsyncGenerator<Uint8Array> {
  // Most runs write no workbook.
  const { strToU8, Zip, ZipDeflate } = await import('fflate');
  const packed: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    packed.push(chunk);
  });
  const add = (name: string) => {
    const part = new ZipDeflate(name, { level: 6 });
    zip.add(part);
    return part;
  };
  for (const [name, xml] of Object.entries(FRAME)) add(name).push(strToU8(HEAD + xml), true);
  const sheet = add('xl/worksheets/sheet1.xml');
  const head = `${HEAD}<worksheet xmlns="${SHEETS}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols><col min="1" max="${columns}" width="18" style="1" customWidth="1"/></cols><sheetData>`;
  sheet.push(strToU8(head));
  let number = 0;
  const rowXml = (cells: readonly string[]) => {
    number += 1;
    return `<row r="${number}">${cells.map((text, column) => cellXml(text, column, number)).join('')}</row>`;
  };
  for await (const xml of inChunks(rows, rowXml)) {
    sheet.push(strToU8(xml));
    yield* packed.splice(0);
  }
  sheet.push(strToU8('</sheetData></worksheet>'), true);
  zip.end();
  yield* packed;
}

function cellXml(text: string, column: number, row: number): string {
  if (text === '') return '';
  const place = `${columnName(column)}${row}`;
  return `<c r="${place}" s="1" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

function columnName(index: number): string {
  return (index >= 26 ? columnName(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26));
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/**
 * Escapes a text for XML. Characters that XML forbids are written as spreadsheets write them (`_x0001_`), and text that
 * already looks like that is escaped. A lone surrogate becomes U+FFFD.
 */
function escaped(text: string): string {
  return text
    .replace(/_(?=x[\dA-F]{4}_)/gi, '_x005F_')
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, (mark) => {
      return `_x${mark.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
    })
    .replace(/[&<>\r]/g, (mark) => ENTITIES[mark] ?? mark)
    .replace(/\p{Surrogate}/gu, '\ufffd');
}
