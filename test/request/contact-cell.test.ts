import { expect, test } from 'vitest';
import { saysNone, withoutTrailingMarks } from '../../src/request/lead/contact-cell.ts';

test.each([
  ...[
    'n/a',
    'N/A',
    'n.a.',
    '-',
    ' – ',
    '--',
    '?',
    '+',
    'none',
    'None',
    'unknown',
    'keine Angabe',
    'k.A.',
    's/n',
    'não tem',
  ],
  ...['Non renseigné', 'nessuno', 'ninguno', 'NULL', 'sin teléfono', 'n/d', '/'],
])('%j says that there is none', (cell) => {
  expect(saysNone(cell)).toBe(true);
});

test.each([
  ...['', ' ', '912345678', 'ana@example.com', 'n/a 912345678', 'Ana', 'call me', 'no-reply@example.com', '0'],
  'x'.repeat(31),
])('%j does not', (cell) => {
  expect(saysNone(cell)).toBe(false);
});

test.each([
  ['07443464011;', '07443464011'],
  ['07443464011 ;, ', '07443464011'],
  ['a@example.com,', 'a@example.com'],
  ['a@example.com ', 'a@example.com '],
  [';07443464011', ';07443464011'],
  ['0744;0755', '0744;0755'],
])('of %j, %j is left', (cell, bare) => {
  expect(withoutTrailingMarks(cell)).toBe(bare);
});
