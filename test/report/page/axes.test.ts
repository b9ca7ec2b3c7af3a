import { expect, test } from 'vitest';
import { rateAxis, timeSpanAxis, timeTicks } from '../../../src/report/page/axes.ts';
import { localTime, timeText, zoneText } from '../../../src/report/page/time-forms.ts';
import fc from '../../helpers/fast-check.ts';

test('a linear axis begins at 0, holds its peak, and has two to seven marks at equal steps', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 1e6, noNaN: true }), (peak) => {
      const { ticks, shareOf } = rateAxis(peak);
      expect(ticks[0]).toEqual({ share: 0, label: '0/s' });
      expect(ticks.at(-1)?.share).toBe(1);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(7);
      expect(shareOf(peak)).toBeLessThanOrEqual(1 + 1e-9);
      expect(shareOf(peak)).toBeGreaterThan(0.4);
      for (const { share, label } of ticks) {
        expect(shareOf(Number(label.replace(/,|\/s/g, '')))).toBeCloseTo(share, 5);
      }
    }),
  );
});

test('a logarithmic axis holds all times, and marks them where they are', () => {
  const times = fc.double({ min: 0.5, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(times, times, (a, b) => {
      const [low, peak] = [Math.min(a, b), Math.max(a, b)];
      const { ticks, shareOf } = timeSpanAxis(low, peak);
      expect(shareOf(low)).toBeGreaterThanOrEqual(0);
      expect(shareOf(peak)).toBeLessThanOrEqual(1 + 1e-9);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(8);
      for (const { share, label } of ticks) {
        expect(label).toMatch(/^[\d.,]+ m?s$/);
        const ms = Number(label.replace(/[^\d.]/g, '')) * (label.endsWith(' ms') ? 1 : 1000);
        expect(shareOf(ms)).toBeCloseTo(share, 5);
      }
    }),
  );
});

test('the axis of time has one to five marks within the run, a second or years long', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: 1000, max: 4e11 }), (startMs, spanMs) => {
      const ticks = timeTicks(startMs, startMs + spanMs);
      expect(ticks.length).toBeGreaterThanOrEqual(1);
      expect(ticks.length).toBeLessThanOrEqual(5);
      for (const { share, at } of ticks) {
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThanOrEqual(1);
        expect(startMs + share * spanMs).toBeCloseTo(Date.parse(at), 0);
      }
    }),
  );
});

test.each([
  ['2026-11-21T18:00:05.250Z', 'full', 0, '2026-11-21 18:00:05', null],
  ['2026-11-21T18:00:05.250Z', 'full', 60, '2026-11-21 19:00:05', '18:00:05'],
  ['2026-11-21T23:30:05.250Z', 'full', 60, '2026-11-22 00:30:05', '2026-11-21 23:30:05'],
  ['2026-11-21T18:00:05.250Z', 'second', -210, '14:30:05', '18:00:05'],
  ['2026-11-21T18:00:05.250Z', 'day', 60, '11-21 19:00', '11-21 18:00'],
] as const)('%s as %s, %d minutes ahead of UTC, is %s beside %s', (at, form, offset, local, utc) => {
  expect(localTime(at, form, offset)).toEqual({ local, utc });
});

test('zones and times are short and without doubt', () => {
  expect([0, 60, 330, -570].map(zoneText)).toEqual(['UTC', 'UTC+1', 'UTC+5:30', 'UTC−9:30']);
  expect(timeText('2026-11-21T18:00:05.250Z', 'minute')).toBe('18:00');
});
