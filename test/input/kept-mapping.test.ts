import { expect, test } from 'vitest';
import { isTellingHeader } from '../../src/input/kept-mapping.ts';

test.each([
  [['Telefone', 'Nome'], true],
  [['Telefone', 'Coluna 2'], true],
  [['電話', 'Column 2'], true],
  [['Telefone', 'Column 2', 'Column 3'], false],
  [['A', 'B', 'C'], false],
  [['', ''], false],
  [[], false],
])('the header %j tells what kind of file it is: %s', (columns, isTelling) => {
  expect(isTellingHeader(columns)).toBe(isTelling);
});
