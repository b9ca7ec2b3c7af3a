import { defineConfig } from 'vitest/config';
import { embeddedText } from './scripts/embedded-text.mjs';

export default defineConfig({
  plugins: [embeddedText()],
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', ['json', { outputFile: 'node_modules/.vitest/report.json' }]],
    globalSetup: ['test/helpers/build.ts'],
    // By default two cores get one worker; most tests wait for processes that they started.
    maxWorkers: 3,
    // End-to-end tests start real processes; two busy cores and a cold disk may make one of them slow.
    testTimeout: 240_000,
    hookTimeout: 240_000,
  },
});
