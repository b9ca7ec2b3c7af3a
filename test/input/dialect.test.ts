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
  ])('semicolons in %s of a file of commas', async (_, header, line) => {
    const { delimiter, columns, cells, notes } = await read(header + times(9, line));
    expect([delimiter, columns.length, cells.length, notes]).toEqual([',', 3, 9, []]);
  });

  it('commas in quotes of a file of semicolons, and decimal commas outside of them', async () => {
    const { delimiter, cells } = await read(
      `"Name";"Text";"Price"\n${times(9, (at) => `"Silva, Ana";"a,b";1,${at}\n`)}`,
    );
    expect([delimiter, cells[0]]).toEqual([';', ['Silva, Ana', 'a,b', '1,0']]);
  });

  it('a quote that opens no cell hides nothing', async () => {
    const { delimiter, cells } = await read(`Name;Text;Phone\n${times(9, () => `"Jürgen" Weiß;6" pipe, 2" more;1\n`)}`);
    expect([delimiter, cells[0]?.length]).toEqual([';', 3]);
  });
});

describe('lines that are quoted as a whole', () => {
  const line = (at: number) => `"Ana,ana@example.com,""Rua ""A"", ${at}; r/c"",91234567${at}"\n`;
  it('are read without these quotes, texts of several lines too, and that is said', async () => {
    const last = '"Rui,rui@example.com,""Rua B\nPorto"",912345679"';
    const { delimiter, columns, cells, notes } = await read(
      `"Name,Email,""Street, no"",Phone"\n${times(5, (at) => line(at).replace('""A""', "'A'").replace('"A"', 'A'))}${last}`,
    );
    expect([delimiter, columns]).toEqual([',', ['Name', 'Email', 'Street, no', 'Phone']]);
    expect(cells.at(-1)).toEqual(['Rui', 'rui@example.com', 'Rua B\nPorto', '912345679']);
    expect(cells.every(({ length }) => length === 4)).toBe(true);
    expect(notes).toEqual(['Lines are quoted as a whole; these quotes are taken off.']);
  });

  it('may be the header alone', async () => {
    const rows = times(9, (at) => `"Silva, Ana",ana@example.com,"9123;${at}"\n`);
    const { columns, cells } = await read(`"Name,Email,Phone"\n${rows}`);
    expect([columns, cells[0]]).toEqual([
      ['Name', 'Email', 'Phone'],
      ['Silva, Ana', 'ana@example.com', '9123;0'],
    ]);
  });

  it('have CRLF, stand across chunks, and keep their line numbers', async () => {
    const long = times(5_000, (at) => `"A${at},""x, ${'y'.repeat(at % 31)}"",z"\r\n`);
    const { table, rows } = await readTable(scratchFile(`"Name,Text,Phone"\r\n${long}`));
    expect(table.columns).toEqual(['Name', 'Text', 'Phone']);
    expect(rows.map(({ cells }) => cells[0])).toEqual(Array.from({ length: 5_000 }, (_, at) => `A${at}`));
    expect(rows.at(-1)?.line).toBe(5_001);
  });

  it('are left alone where a file has one column of texts, or a title in quotes', async () => {
    expect((await read(`"Notes, all"\n${times(5, () => '"Hello, you"\n')}`)).columns).toEqual(['Notes, all']);
    const titled = await read(`"Leads, of the week"\nName,Phone,Text\n${times(5, () => 'Ana,1,2\n')}`);
    expect([titled.columns, titled.notes]).toEqual([
      ['Name', 'Phone', 'Text'],
      ['Set aside before the header: line 1.'],
    ]);
  });

  it('of a file that never closes a quote take no memory', async () => {
    const before = process.memoryUsage().rss;
    const head = `"Name,Email,Phone"\n${times(5, () => 'Ana,a@example.com,1\n')}`;
    for (const endless of ['x,y,z\n'.repeat(3_000_000), 'x'.repeat(60_000_000)]) {
      const path = scratchFile(`${head}"${endless}`);
      const started = process.cpuUsage();
      await expect(readTable(path)).rejects.toMatchObject({ code: 'input' });
      expect(process.cpuUsage(started).user / 1e6).toBeLessThan(10);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });
});
