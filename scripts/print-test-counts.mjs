// Prints "N passed, N failed, N skipped" from vitest's report; fails if there is none or if no test ran.
import { existsSync, readFileSync } from 'node:fs';

const REPORT = 'node_modules/.vitest/report.json';
const NO_TEST = { numPassedTests: 0, numFailedTests: 0, numFailedTestSuites: 0, numPendingTests: 0 };

const hasReport = existsSync(REPORT);
if (!hasReport) {
  process.stderr.write('No test ran: a step before the tests failed. What it printed stands above.\n');
}
const report = hasReport ? JSON.parse(readFileSync(REPORT, 'utf8')) : NO_TEST;
const { numPassedTests: passed, numFailedTests, numFailedTestSuites, numPendingTests: skipped } = report;
// A test file that cannot be loaded fails without a failed test in it.
const failed = Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0);
process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = passed > 0 && failed === 0 ? 0 : 1;
