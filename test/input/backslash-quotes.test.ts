import { expect, it } from 'vitest';
import { readTable, scratchFile } from '../helpers/read-table.ts';

it('a file that writes quotes behind backslashes is read as it was meant', async () => {
  const { cells, rows } = await readTable(
    scratchFile(
      '"name","text","city"\n"Ana","Regal 48\\"","Porto"\n"Rui","the \\"big\\" one, 6\\" wide","Faro"\n',
      'csv',
    ),
  );
  expect(rows.map(({ problem }) => problem)).toEqual([null, null]);
  expect(cells).toEqual([
    ['Ana', 'Regal 48"', 'Porto'],
    ['Rui', 'the "big" one, 6" wide', 'Faro'],
  ]);
});

it('a row with a backslash and a quote in a file that doubles them is refused', async () => {
  const { rows } = await readTable(
    scratchFile('name,text,city\nAna,"the ""big"" one",Porto\n"Rui","Regal 48\\"","Faro"\nEva,x,Braga\n', 'csv'),
  );
  expect(rows.map(({ problem }) => problem !== null)).toEqual([false, true, false]);
});

it('a backslash at the end of a cell is an ordinary letter', async () => {
  const { cells } = await readTable(scratchFile('name,path\nAna,"C:\\"\n"Rui\\",x\n', 'csv'));
  expect(cells).toEqual([
    ['Ana', 'C:\\'],
    ['Rui\\', 'x'],
  ]);
});
