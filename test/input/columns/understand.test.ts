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

/**
 * What is taken wrongly, each for a reason: names that say what the column is not (groups of customers under "category",
 * fields of a form that were left empty), or words that nobody could know without the trade.
 */
const TRAPS: Readonly<Record<Part, readonly string[]>> = {
  learn: ['jumpseller-clientes-cl: Categoría'],
  aside: ['bexio-kontakte-gartenbau: Kategorie'],
  fresh: [
    'microsoft-forms-nachhilfe-schweiz: Name',
    'monday-board-catering-emoji: Tel. Location-Kontakt',
    'whatsapp-bot-mx-export: contact_id',
    'garage-agenda-officina: Domicilio',
    'garage-agenda-officina: Lavori da eseguire',
    'sportello-energia-microsoft-forms: Nome',
    'forminator-casamentos: Nome do seu par',
  ],
};

describe('header rows as forms, CRMs and people write them', () => {
  it.each([
    ['learn', 480, 0.85, 0.98],
    ['aside', 495, 0.83, 0.95],
    ['fresh', 465, 0.68, 0.88],
  ] as const)(
    '%s: most columns are found or asked about, and hardly any is taken wrongly',
    (part, least, sure, found) => {
      const { fields, certain, foundOrAsked, wrong } = measured(part);
      expect(fields).toBeGreaterThan(least);
      expect(wrong.toSorted()).toEqual([...TRAPS[part]].sort());
      expect(foundOrAsked).toBeGreaterThanOrEqual(found);
      expect(certain).toBeGreaterThanOrEqual(sure);
    },
  );
});
