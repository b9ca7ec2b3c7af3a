import { describe, expect, it } from 'vitest';
import { measured } from './header-rows.ts';

describe('header rows as forms, CRMs and people write them', () => {
  it.each([
    ['learn', 480, 0.94, 0.98],
    ['aside', 495, 0.94, 0.97],
    ['fresh', 465, 0.91, 0.95],
  ] as const)(
    '%s: nearly all columns are certain or asked about, and none is taken wrongly',
    (part, least, sure, found) => {
      const { fields, certain, foundOrAsked, wrong } = measured(part);
      expect(fields).toBeGreaterThan(least);
      expect(wrong).toEqual([]);
      expect(foundOrAsked).toBeGreaterThanOrEqual(found);
      expect(certain).toBeGreaterThanOrEqual(sure);
    },
  );
});
