import { describe, expect, it } from 'vitest';
import { attributeOf, showDigits } from '../../src/input/number-formats.ts';

const STYLES = 'xl/styles.xml';
const SHEET = 'xl/worksheets/sheet1.xml';
const quoted = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
/** Styles of which the second has this format. */
const stylesOf = (code: string) =>
  `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${quoted(code)}"/></numFmts><cellStyleXfs><xf numFmtId="164"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`;
const sheetOf = (cell: string) => `<worksheet><sheetData><row>${cell}</row></sheetData></worksheet>`;

/** The cell of a sheet after formats were shown. */
function cellAfter(cell: string, code = '000', more: Record<string, string> = {}): string {
  const texts = { [STYLES]: stylesOf(code), [SHEET]: sheetOf(cell), ...more };
  const parts = new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]));
  showDigits(parts);
  return /<row>(.*)<\/row>/s.exec(parts.get(SHEET)?.toString() ?? '')?.[1] ?? '';
}
/** A number in this format, as it is shown; null if it is left as it is. */
function shown(code: string, value: number | string): string | null {
  const text = cellAfter(`<c s="1"><v>${value}</v></c>`, code);
  return /<c s="1" t="str"><v>(.*)<\/v><\/c>/.exec(text)?.[1] ?? null;
}

describe('a format that places digits', () => {
  it.each([
    ['000', 5, '005'],
    ['000', 1234, '1234'],
    ['00', 0, '00'],
    ['#0', 0, '0'],
    ['?0', 5, '5'],
    ['0-0', 123, '12-3'],
    ['#-0', 123, '12-3'],
    ['(00) 00', 123, '(01) 23'],
    ['00 ', 5, '05'],
    ['"x y"0', 5, 'x y5'],
    ['""00', 5, '05'],
    ['\\x00', 5, 'x05'],
    ['+00', 5, '+05'],
    ['"&<>"0', 5, '&amp;&lt;&gt;5'],
    ['_)00', 5, '05'],
    ['* 00', 5, '05'],
    ['[Red]00', 5, '05'],
    ['[$-407]00', 5, '05'],
    ['[Color12]00', 5, '05'],
    ['00', Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ])('%s shows %d as %s', (code, value, text) => {
    expect(shown(code, value)).toBe(text);
  });

  it.each([
    ['0', 5],
    ['#', 5],
    ['##', 5],
    ['""', 5],
    ['General', 5],
    ['0.0', 5],
    ['#,##0', 5],
    ['00%', 5],
    ['[$€]00', 5],
    ['"ö"00', 5],
    ['yyyy00', 5],
    ['', 5],
    ['000', -5],
    ['000', 1.5],
    ['000', Number.MAX_SAFE_INTEGER + 1],
    ['000', 'x'],
    ['000', ''],
    ['000', ' '],
  ])('%s leaves %s as it is', (code, value) => {
    expect(shown(code, value)).toBeNull();
  });

  it('has a code of at most sixty letters', () => {
    expect(shown('0'.repeat(60), 5)).toBe('5'.padStart(60, '0'));
    expect(shown('0'.repeat(61), 5)).toBeNull();
  });
});

describe('sections', () => {
  it.each([
    ['[<5]00;000', [4, '04'], [5, '005']],
    ['[<=5]00;000', [5, '05'], [6, '006']],
    ['[>5]00;000', [6, '06'], [5, '005']],
    ['[>=5]00;000', [5, '05'], [4, '004']],
    ['[=5]00;000', [5, '05'], [4, '004']],
    ['[<>5]00;000', [4, '04'], [5, '005']],
    ['[<12]00;000', [9, '09'], [12, '012']],
  ] as const)('%s by their condition', (code, ...pairs) => {
    expect(pairs.map(([value = 0]) => [value, shown(code, value)])).toEqual(pairs);
  });

  it.each([
    ['00;000;0000', 0, '0000'],
    ['00;000;0000', 5, '05'],
    ['00;000', 0, '00'],
    ['00;;', 0, null],
    ['00;@', 5, '05'],
    ['[<5]00;[<10]000;0000', 4, '04'],
    ['[<5]00;[<10]000;0000', 7, '007'],
    ['[<5]00;[<10]000;0000', 20, '0020'],
    ['[<5]00;000;0000', 7, '007'],
    ['[<5]00;[<10]000', 20, null],
    ['[<5]00;@', 7, null],
    ['@;00', 5, null],
    ['"a;b"00;000', 5, 'a;b05'],
  ])('%s of %d: %s', (code, value, text) => {
    expect(shown(code, value)).toBe(text);
  });
});

describe('a cell', () => {
  it.each([
    ['<c r="A1" s="1"><v>5</v></c>', '<c r="A1" s="1" t="str"><v>005</v></c>'],
    ['<c s="1" t="n"><v>5</v></c>', '<c s="1" t="str"><v>005</v></c>'],
    ['<x:c s="1"><x:v>5</x:v></x:c>', '<x:c s="1" t="str"><x:v>005</x:v></x:c>'],
    ["<c s='1'><f>A1</f><v>5</v></c>", '<c s=\'1\' t="str"><f>A1</f><v>005</v></c>'],
    ['<c s="1"><f/><v>5</v></c>', '<c s="1" t="str"><f/><v>005</v></c>'],
    ['<c s="1"><v>5</v></c><c s="1"><v>6</v></c>', '<c s="1" t="str"><v>005</v></c><c s="1" t="str"><v>006</v></c>'],
  ])('%s becomes %s', (before, after) => {
    expect(cellAfter(before)).toBe(after);
  });

  it.each([
    '<c s="0"><v>5</v></c>',
    '<c s="2"><v>5</v></c>',
    '<c><v>5</v></c>',
    '<c s="1" t="s"><v>5</v></c>',
    '<c s="1" t="str"><v>5</v></c>',
    '<c s="1"/>',
  ])('%s stays as it is', (cell) => {
    expect(cellAfter(cell)).toBe(cell);
  });

  it('has its styles in the part that the workbook names', () => {
    const relations = (...all: [string, string][]) =>
      `<Relationships>${all.map(([type, target]) => `<Relationship Type="http://x/${type}" Target="${target}"/>`).join('')}</Relationships>`;
    const cell = '<c s="1"><v>5</v></c>';
    const of = (target: string, at: string) =>
      cellAfter(cell, '0', {
        'xl/_rels/workbook.xml.rels': relations(['theme', 'theme.xml'], ['styles', target]),
        [at]: stylesOf('00'),
      });
    expect([
      of('look.xml', 'xl/look.xml'),
      of('/other/look.xml', 'other/look.xml'),
      of('look.xml', 'look.xml'),
    ]).toEqual(['<c s="1" t="str"><v>05</v></c>', '<c s="1" t="str"><v>05</v></c>', cell]);
  });

  it('has one of at most 65,536 formats and styles', () => {
    const shownBehind = (formats: number, styles: number) => {
      const other = Array.from({ length: formats }, (_, at) => `<numFmt numFmtId="${at + 200}" formatCode="0"/>`).join(
        '',
      );
      const look = `<styleSheet><numFmts>${other}<numFmt numFmtId="164" formatCode="00"/></numFmts><cellXfs>${'<xf numFmtId="0"/>'.repeat(styles)}<xf numFmtId="164"/></cellXfs></styleSheet>`;
      return cellAfter(`<c s="${styles}"><v>5</v></c>`, '', { [STYLES]: look }).includes('<v>05</v>');
    };
    expect([shownBehind(65_535, 1), shownBehind(65_536, 1)]).toEqual([true, false]);
    expect([shownBehind(1, 65_535), shownBehind(1, 65_536)]).toEqual([true, false]);
  });

  it('is not looked for where there are no styles, or no sheet', () => {
    const cell = '<c s="1"><v>5</v></c>';
    expect(cellAfter(cell, '000', { [STYLES]: '<styleSheet><numFmts/></styleSheet>' })).toBe(cell);
    expect(cellAfter(cell, '000', { [STYLES]: stylesOf('000').replace('</cellXfs>', '') })).toBe(cell);
    const parts = new Map([
      [STYLES, Buffer.from(stylesOf('000'))],
      ['xl/other.xml', Buffer.from(cell)],
    ]);
    showDigits(parts);
    expect(parts.get('xl/other.xml')?.toString()).toBe(cell);
  });
});

it.each([
  ['<x a="1"/>', '1'],
  ["<x a='1'/>", '1'],
  ['<x b="2" a = "1"/>', '1'],
  ['<x ba="1"/>', null],
  ['<x a="&amp;&lt;&gt;&quot;&apos;"/>', '&<>"\''],
  ['<x a="&#65;&#x42;&#x10FFFF;"/>', 'AB\u{10FFFF}'],
  ['<x a="&#x110000;&#1114112;&bogus;"/>', '&#x110000;&#1114112;&bogus;'],
  ['<x a=""/>', ''],
])('the attribute a of %s is %j', (tag, value) => {
  expect(attributeOf(tag, 'a')).toBe(value);
});
