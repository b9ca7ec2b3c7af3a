import { describe, expect, test } from 'vitest';
import { isAsciiLocale, TONES } from '../../src/report/output.ts';
import { shownProgress } from '../../src/report/terminal/progress.ts';

/** Runs so many rows at so many a second, on a clock that is turned by hand, and gives the lines that were written. */
function linesOf(rows: number, perSecond: number): string[] {
  let nowMs = 0;
  const lines: string[] = [];
  const update = shownProgress(
    'Sending',
    () => nowMs,
    false,
    (line) => lines.push(line),
  );
  for (let done = 1; done <= rows; done++) {
    nowMs += 1000 / perSecond;
    update({ done, total: rows, counts: { created: done } });
  }
  return lines;
}

describe('progress where nothing can be redrawn', () => {
  test('progress where nothing can be redrawn says nothing about ten quick rows', () => {
    expect(linesOf(10, 10)).toEqual([]);
  });

  test('progress where nothing can be redrawn is some hundred lines for a day of ten million rows', () => {
    const lines = linesOf(10_000_000, 115);
    expect(lines.length).toBeGreaterThan(100);
    expect(lines.length).toBeLessThan(310);
    expect(lines[0]).toMatch(/^Sending 57\d\/10,000,000 \(0 %\) · 115 leads\/s · 24 h \d+ min left · 57\d created$/);
  });
});

describe('progress on a terminal', () => {
  /** Draws so many of a thousand rows, on a clock that is turned by hand. */
  function drawn(done: number, seconds: number): string {
    let [nowMs, shown] = [0, ''];
    const show = (line: string) => {
      shown = line;
    };
    const update = shownProgress('Sending', () => nowMs, true, show);
    for (let row = 1; row <= done; row++) {
      nowMs = (seconds * 1000 * row) / done;
      update({ done: row, total: 1000, counts: { created: row } });
    }
    return shown;
  }

  test('progress on a terminal is a bar with the rate in leads a second', () => {
    expect(drawn(500, 10)).toBe('Sending ██████░░░░░░ 500/1,000 (50 %) · 50 leads/s · 10 s left · 500 created');
  });
});

test.for([
  [{ LANG: 'C' }, true],
  [{ LANG: 'en_GB.UTF-8', LC_ALL: 'POSIX' }, true],
  [{ LANG: 'C', LC_ALL: 'C.UTF-8' }, false],
  [{ LANG: 'pt_PT.UTF-8' }, false],
  [{}, false],
] as const)('the locale of %j is ASCII only: %j', ([env, expected]) => {
  expect(isAsciiLocale(env)).toBe(expected);
});

test.for(Object.entries(TONES))('the colour for %s has a contrast of 4.5:1 on white, 4:1 on black', ([, tone]) => {
  const steps = [0, 95, 135, 175, 215, 255];
  const grey = 8 + 10 * (tone - 232);
  const cube = tone - 16;
  const parts = tone >= 232 ? [grey, grey, grey] : [36, 6, 1].map((size) => steps[Math.floor(cube / size) % 6] ?? 0);
  const [red = 0, green = 0, blue = 0] = parts.map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  expect(1.05 / (luminance + 0.05)).toBeGreaterThan(4.5);
  expect((luminance + 0.05) / 0.05).toBeGreaterThan(4);
});
