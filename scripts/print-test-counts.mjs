// Prints "N passed, N failed, N skipped" from vitest's report; fails if there is none or if no test ran.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync('node_modules/.vitest/report.json', 'utf8'));
const { numPassedTests: passed, numFailedTests, numFailedTestSuites, numPendingTests: skipped } = report;
// A test file that cannot be loaded fails without a failed test in it.
const failed = Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0);
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
