import { describe, expect, it } from 'vitest';
import { readTable, scratchFile } from '../helpers/read-table.ts';

const read = async (text: string) => {
  const { table, rows, cells } = await readTable(scratchFile(text));
  expect(rows.filter(({ problem }) => problem !== null)).toEqual([]);
  return { delimiter: table.delimiter, columns: table.columns, cells, notes: table.notes };
};
const times = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('');

describe('a delimiter counts outside of quotes only', () => {
  it.each([
    ['cells', '"Name","Text","Phone"\n', (at: number) => `"Ana","a;b;c;d;e","91234567${at}"\n`],
    ['every cell', '"Na;me","Te;xt","Pho;ne"\n', (at: number) => `"A;na","a;b","9;${at}"\n`],
    [
      'cells with quotes in them',
      '"Name","Text","Phone"\n',
      (at: number) => `"Ana ""x"";","a;""b""","91234567${at}"\n`,
    ],
    ['cells of several lines', '"Name","Text","Phone"\n', (at: number) => `"Ana","a;b\nc;d","91234567${at}"\n`],
    ['the header', '"Name;x","Te;xt","Phone;y"\n', (at: number) => `Ana,b,91234567${at}\n`],
    ['the cells that need quotes', 'Name,Text,Phone\n', (at: number) => `Ana,"a;b|c",91234567${at}\n`],
  ])('semicolons in %s do not count as delimiters of a file of commas', async (_, header, line) => {
    const { delimiter, columns, cells, notes } = await read(header + times(9, line));
    expect([delimiter, columns.length, cells.length, notes]).toEqual([',', 3, 9, []]);
  });

  it('commas in quotes and decimal commas do not count as delimiters', async () => {
    const { delimiter, cells } = await read(
      `"Name";"Text";"Price"\n${times(9, (at) => `"Silva, Ana";"a,b";1,${at}\n`)}`,
    );
    expect([delimiter, cells[0]]).toEqual([';', ['Silva, Ana', 'a,b', '1,0']]);
  });

  it('a quote that opens no cell hides no delimiter', async () => {
    const { delimiter, cells } = await read(`Name;Text;Phone\n${times(9, () => `"Jürgen" Weiß;6" pipe, 2" more;1\n`)}`);
    expect([delimiter, cells[0]?.length]).toEqual([';', 3]);
  });
});

describe('lines that are quoted as a whole', () => {
  it.each([
    ['all', times(5, (at) => `"Ana,""Rua A, ${at}"",91234567${at}"\n`)],
    ['with CRLF and a cut end', times(5, (at) => `"Ana,x,91234567${at}"\r\n`).slice(0, -2)],
  ])('lines that are quoted as a whole are refused with the way out: %s', async (_, rows) => {
    await expect(read(`"Name,Street,Phone"\n${rows}`)).rejects.toMatchObject({
      message: 'Each line of the file is quoted as a whole.',
      hint: expect.stringContaining("sed 's/^"),
    });
  });

  it('lines with single quoted cells, or a title, are not taken for lines quoted as a whole', async () => {
    expect((await read(`"Name, first","Text"\n${times(5, () => '"Ana, M","Hello, you"\n')}`)).columns).toHaveLength(2);
    const titled = await read(`"Leads, of the week"\nName,Phone,Text\n${times(5, () => 'Ana,1,2\n')}`);
    expect([titled.columns, titled.notes]).toEqual([
      ['Name', 'Phone', 'Text'],
      ['Set aside before the header: line 1.'],
    ]);
  });
});
