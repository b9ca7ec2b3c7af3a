import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { embeddedText } from './scripts/embedded-text.mjs';

const EACH = 'test/**/*.test.ts';
/** Scenes in which srq waits for minutes, as for a service that shows nothing yet. They wait at once. */
const WAITING = 'test/real/**/*.test.ts';

/**
 * Test files that need a process of their own: those that replace modules, which would be replaced for the files after them
 * as well, those that replace the clock, which the timers of the files before them still use, and those that measure the
 * memory of the process.
 */
const OWN_PROCESS = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((name) => `test/${name}`)
  .filter(
    (path) => path.endsWith('.test.ts') && /vi\.mock\(|useFakeTimers\(|memoryUsage\(/.test(readFileSync(path, 'utf8')),
  );

/** Those that wait for processes, servers and real time, or judge thousands of rows: they would be the last to end. */
const LONG =
  /test\/(?:real|doors\/(?:answer|transcripts)|e2e\/(?:demo|image|package|queue|spreadsheet|store|workers)|.*(?:crash|fail-over|kills|model|postgres-log|two-processes)\b)/;

/** Begins with the long ones, so that the short ones fill the gaps at the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [true, false].flatMap((isLong) => sorted.filter(({ moduleId }) => LONG.test(moduleId) === isLong));
  }
}

const common = {
  plugins: [embeddedText()],
  test: {
    // End-to-end tests start real processes; two busy cores and a cold disk may make one of them slow.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
  },
};

export default defineConfig({
  test: {
    reporters: ['default', './scripts/skipped-tests.mjs', ['json', { outputFile: 'node_modules/.vitest/report.json' }]],
    globalSetup: ['test/helpers/build.ts'],
    // By default two cores get one worker; most tests wait for processes that they started.
    maxWorkers: 6,
    sequence: { sequencer: LongFirst },
    projects: [
      // Each process runs one file after the other. To load the modules anew for each file would take a fifth of the time.
      {
        ...common,
        test: { ...common.test, name: 'shared', include: [EACH], exclude: [WAITING, ...OWN_PROCESS], isolate: false },
      },
      { ...common, test: { ...common.test, name: 'waiting', include: [WAITING], maxConcurrency: 64, isolate: false } },
      { ...common, test: { ...common.test, name: 'alone', include: OWN_PROCESS } },
    ],
  },
});
