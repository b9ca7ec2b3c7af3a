import { describe, expect, test } from 'vitest';
import { course, moment, shareBar, tag, wideTable } from '../../../src/report/page/charts.ts';
import { html } from '../../../src/report/page/html.ts';
import { TimeBuckets } from '../../../src/report/page/time-buckets.ts';
import { recordOf, second } from './figures.ts';

/** What a run looks like to which these happened. */
function courseOf(happened: (course: TimeBuckets) => void): string {
  const buckets = new TimeBuckets();
  happened(buckets);
  return course({ course: buckets }).markup;
}
const textOf = (markup: string) =>
  markup
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
const leadOf = (markup: string) => textOf(/<p class="lead">(.*?)<\/p>/s.exec(markup)?.[1] ?? '');

/** The rectangles with this class, in percent. */
function drawn(markup: string, name: string): number[][] {
  const rect = new RegExp(`<rect class="${name}" x="([^"]+)%" y="([^"]+)%" width="([^"]+)%" height="([^"]+)%"/>`, 'g');
  return [...markup.matchAll(rect)].map(([, ...places]) => places.map(Number));
}
/** The lines of the table, without its head. */
const tableOf = (markup: string) =>
  [...markup.matchAll(/<tr><th scope="row">(.*?)<\/th>(.*?)<\/tr>/gs)].map(([, from = '', cells = '']) => [
    textOf(from),
    ...[...cells.matchAll(/<td>(.*?)<\/td>/g)].map(([, cell = '']) => cell),
  ]);

test('a status, a time and a table are marked up for the script and for readers', () => {
  expect(tag('ready').markup).toBe('<span class="tag tag-ready">not sent</span>');
  const at = '2026-11-21T18:00:05.250Z';
  expect(moment(at).markup).toBe(`<time datetime="${at}" data-form="full">2026-11-21 18:00:05 UTC</time>`);
  expect(moment(at, 'day').markup).toBe(`<time datetime="${at}" data-form="day">11-21 18:00 UTC</time>`);
  expect(wideTable('A "table"', html`<tr></tr>`).markup).toContain('aria-label="A &quot;table&quot;"');
});

test('the parts of a bar stand side by side, as wide as their share, and nothing is drawn of nothing', () => {
  const bar = shareBar(
    [
      ['created', 1],
      ['failed', 3],
    ],
    8,
  ).markup;
  expect(drawn(bar, 'fill-created')).toEqual([[0, 0, 12.5, 100]]);
  expect(drawn(bar, 'fill-failed')).toEqual([[12.5, 0, 37.5, 100]]);
  expect(drawn(shareBar([['created', 0]], 0).markup, 'fill-created')).toEqual([[0, 0, 0, 100]]);
});

describe('the words above the charts', () => {
  test.each<[string, (course: TimeBuckets) => void, string]>([
    [
      'one outcome without its time',
      (buckets) => buckets.ended(recordOf(second(0), { ms: null })),
      '1 outcome, 1/s on average. No pause is recorded.',
    ],
    [
      'many outcomes in a second',
      (buckets) => {
        for (let at = 0; at < 12; at++) buckets.ended(recordOf(second(0), { ms: null }));
      },
      '12 outcomes, 12/s on average. No pause is recorded.',
    ],
    [
      'outcomes in four seconds',
      (buckets) => {
        for (const at of [0, 0, 1, 1, 3]) buckets.ended(recordOf(second(at), { ms: null }));
      },
      '5 outcomes, 1.3/s on average. No pause is recorded.',
    ],
    [
      'one of each trouble',
      (buckets) => {
        buckets.ended(recordOf(second(0), { ms: null }));
        buckets.refused(second(0), 1, 0);
        buckets.broke(second(1), 500);
      },
      '1 outcome, 0.5/s on average. In between, 1 answer was 429 or 503, the breaker opened once, nobody sent for 0.5 s.',
    ],
    [
      'many troubles',
      (buckets) => {
        buckets.ended(recordOf(second(0), { ms: null }));
        buckets.refused(second(0), 1_200, 0);
        for (const at of [1, 1]) buckets.broke(second(at), 0);
      },
      '1 outcome, 0.5/s on average. In between, 1,200 answers were 429 or 503, the breaker opened 2 times.',
    ],
  ])('tell of %s', (_, happened, words) => {
    expect(leadOf(courseOf(happened))).toBe(words);
  });

  test('tell the answer times, in seconds from one second on', () => {
    const lead = (ms: number) =>
      leadOf(
        courseOf((buckets) => {
          for (let at = 0; at < 20; at++) buckets.ended(recordOf(second(0), { ms: at === 19 ? 60_000 : ms }));
        }),
      );
    expect(lead(0)).toContain('Answers: median 0 ms, 95 of 100 within 0 ms.');
    expect(lead(15)).toContain('Answers: median 15 ms, 95 of 100 within 15 ms.');
    expect(lead(2_047)).toContain('Answers: median 2.0 s, 95 of 100 within 2.0 s.');
  });
});

describe('the charts', () => {
  const markup = courseOf((buckets) => {
    for (const at of [0, 0, 0, 1]) buckets.ended(recordOf(second(at), { ms: 15 }));
    buckets.ended(recordOf(second(1), { event: 'rejected', ms: 15 }));
    buckets.seen(second(3));
    buckets.refused(second(2), 3, 500);
    buckets.broke(second(3), 1_000);
  });
  const plots = markup.split('<figure>').slice(1);

  test('draw the outcomes of each second above each other, as high as the axis says', () => {
    const [throughput = ''] = plots;
    const title = /aria-label="([^"]+)"/.exec(throughput)?.[1];
    expect(title).toBe('Outcomes a second over the run; at most 3/s');
    // Five seconds, an axis to 3 in steps of 1; a bar leaves a little room on both sides.
    expect(drawn(throughput, 'fill-created')).toEqual([
      [1.6, 0, 16.8, 100],
      [21.6, 66.667, 16.8, 33.333],
    ]);
    expect(drawn(throughput, 'fill-rejected')).toEqual([[21.6, 33.333, 16.8, 33.333]]);
    expect([...throughput.matchAll(/<line class="grid"[^>]*y1="([^"]+)%"/g)].map(([, y]) => Number(y))).toEqual([
      100, 66.667, 33.333, 0,
    ]);
  });

  test('mark pauses for as long as they were, refusals at the top, and the breaker in the middle of its second', () => {
    const [throughput = '', answers = ''] = plots;
    const pauses = [
      [40, 0, 10, 100],
      [60, 0, 20, 100],
    ];
    expect([drawn(throughput, 'pause'), drawn(answers, 'pause')]).toEqual([pauses, pauses]);
    expect(drawn(throughput, 'refused')).toEqual([[40, 0, 20, 4]]);
    expect(drawn(throughput, 'break')).toEqual([[69.85, 0, 0.3, 100]]);
    expect([drawn(answers, 'refused'), drawn(answers, 'break')]).toEqual([[], []]);
  });

  test('draw the answer times from the median to the 95th of 100, in the seconds that have some', () => {
    const mixed = courseOf((buckets) => {
      for (let at = 0; at < 20; at++) buckets.ended(recordOf(second(0), { ms: at < 15 ? 9 : 99 }));
      buckets.ended(recordOf(second(1), { ms: null }));
    });
    const answers = mixed.split('<figure>')[2] ?? '';
    expect(/aria-label="([^"]+)"/.exec(answers)?.[1]).toMatch(
      /^Time of the service&#39;s answers over the run; 95 of 100 within (?:9[5-9]|10[0-3]) ms at the slowest$/,
    );
    const [band = [], ...otherBands] = drawn(answers, 'band');
    const [median = [], ...otherMedians] = drawn(answers, 'median');
    expect([otherBands, otherMedians]).toEqual([[], []]);
    const [bandX, bandY = 0, bandWidth, bandHeight = 0] = band;
    const [medianX, medianY = 0, medianWidth, medianHeight = 0] = median;
    expect([bandX, bandWidth, medianX, medianWidth]).toEqual([4, 42, 4, 42]);
    expect(medianHeight).toBe(2);
    // The line of the median lies on the lower end of the band.
    expect(medianY + medianHeight / 2).toBeCloseTo(bandY + bandHeight, 2);
    expect(bandHeight).toBeGreaterThan(50);
  });

  test('tell of a median of half a millisecond as of the least that the axis has', () => {
    const quick = courseOf((buckets) => buckets.ended(recordOf(second(0), { ms: 0 })));
    const [[, y = 0, , height = 0] = []] = drawn(quick.split('<figure>')[2] ?? '', 'median');
    expect(y + height / 2).toBeCloseTo(100, 2);
  });
});

describe('the table under the charts', () => {
  test('has the seconds in which something happened, and a dash for what did not', () => {
    const markup = courseOf((buckets) => {
      for (const at of [0, 0, 4]) buckets.ended(recordOf(second(at), { ms: at === 0 ? 15 : null }));
      buckets.refused(second(1), 3, 0);
      buckets.broke(second(2), 0);
      buckets.seen(second(3));
      buckets.broke(second(5), 500);
    });
    expect(textOf(/<thead>(.*?)<\/thead>/s.exec(markup)?.[1] ?? '')).toBe(
      'From created 429, 503 breaker paused median 95 of 100',
    );
    expect(tableOf(markup)).toEqual([
      ['10:00:00 UTC', '2', '0', '0', '–', '15 ms', '15 ms'],
      ['10:00:01 UTC', '0', '3', '0', '–', '–', '–'],
      ['10:00:02 UTC', '0', '0', '1', '–', '–', '–'],
      ['10:00:04 UTC', '1', '0', '0', '–', '–', '–'],
      ['10:00:05 UTC', '0', '0', '1', '0.5 s', '–', '–'],
    ]);
    expect(markup).toContain('<summary>The same as a table, 1.0 s a line</summary>');
  });

  test.each([
    // 85 and 86 stretches of 1024 s: a little more, and a little less than a day.
    [84 * 1_024, '11-21 10:00 UTC'],
    [83 * 1_024, '10:00:00 UTC'],
  ])('of a run of %d seconds has the date where the run takes a day', (seconds, from) => {
    const markup = courseOf((buckets) => {
      for (const at of [0, seconds]) buckets.ended(recordOf(second(at)));
    });
    expect(tableOf(markup)[0]?.[0]).toBe(from);
  });
});
