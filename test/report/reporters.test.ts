import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { makeReporter } from '../../src/report/terminal/reporter.ts';

/** A stream that keeps what is written; with `columns` it is a terminal of that width. */
function kept(columns?: number) {
  const stream = Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns });
  return { stream, text: () => String(stream.read() ?? '') };
}

function reporterOf(changes: { json?: boolean; stdout?: PassThrough; ascii?: boolean } = {}) {
  const [out, err] = [kept(), kept()];
  const env = changes.ascii ? { LC_ALL: 'C' } : {};
  const streams = { stdout: changes.stdout ?? out.stream, stderr: err.stream, env };
  const reporter = makeReporter(streams as never, { json: changes.json === true }, () => 0);
  return { reporter, said: () => ({ out: out.text(), err: err.text() }) };
}

describe('the result for programs', () => {
  test('JSON output of a list ends without an error when the reader has gone', async () => {
    const out = kept();
    const { reporter } = reporterOf({ json: true, stdout: out.stream });
    out.stream.destroy();
    let asked = 0;
    async function* endless() {
      for (;;) yield { at: asked++ };
    }
    await reporter.lines('x' as never, endless() as never, () => 'text');
    expect(asked).toBeLessThan(3);
  });
});

describe('what is written to a reader who is slower', () => {
  /** A reader that takes nothing before it is let, and what was asked of a stream of items until then. */
  function slowly(json: boolean) {
    const stream = new PassThrough({ highWaterMark: 1 });
    const { reporter } = reporterOf({ json, stdout: stream });
    let asked = 0;
    async function* items() {
      for (; asked < 100; asked++) yield { name: 'x' };
    }
    return { stream, reporter, items, asked: () => asked };
  }
  const turns = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  };

  test.each([
    ['programs', true],
    ['people', false],
  ] as const)('a list is not written faster than it is read: %s', async (_, json) => {
    const { stream, reporter, items, asked } = slowly(json);
    const writing = reporter.lines('x' as never, items() as never, () => 'text\n');
    await turns();
    expect(asked()).toBeLessThan(3);
    stream.resume();
    await writing;
    expect(asked()).toBe(100);
  });
});
