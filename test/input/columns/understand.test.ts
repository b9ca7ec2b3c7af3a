import { describe, expect, it } from 'vitest';
import { headerRows, type Part, readColumns } from './header-rows.ts';

function measured(part: Part) {
  const columns = headerRows(part).flatMap(readColumns);
  const count = (...readings: readonly string[]) => columns.filter(({ reading }) => readings.includes(reading)).length;
  const fields = count('certain', 'asked', 'missed');
  return {
    fields,
    certain: count('certain') / fields,
    foundOrAsked: count('certain', 'asked') / fields,
    wrong: columns.filter(({ reading }) => reading === 'wrong, certain').map(({ place }) => place),
  };
}

describe('header rows as forms, CRMs and people write them', () => {
  it.each([
    // Groups of customers under the very name of a kind of service: nothing but knowing the shop could tell.
    ['learn', 480, ['jumpseller-clientes-cl: Categoría']],
    ['aside', 495, ['bexio-kontakte-gartenbau: Kategorie']],
  ] as const)('%s: nearly all columns are found or asked about, and none is taken wrongly', (part, least, traps) => {
    const { fields, certain, foundOrAsked, wrong } = measured(part);
    expect(fields).toBeGreaterThan(least);
    expect(wrong).toEqual(traps);
    expect(foundOrAsked).toBeGreaterThanOrEqual(0.95);
    expect(certain).toBeGreaterThanOrEqual(0.84);
  });
});
