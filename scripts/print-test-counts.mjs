// Prints "N passed, N failed, N skipped" from vitest's reports, by default from the one that a run writes; fails if a report is
// missing, or if no test ran. What a later report says of a test file replaces what an earlier one says, all but its failures.
import { existsSync, readFileSync } from 'node:fs';

const given = process.argv.slice(2);
const paths = given.length > 0 ? given : ['node_modules/.vitest/report.json'];
const missing = paths.filter((path) => !existsSync(path));
if (missing.length > 0) {
  process.stderr.write('No test ran: a step before the tests failed. What it printed stands above.\n');
}

const files = new Map();
for (const path of paths.filter((each) => existsSync(each))) {
  for (const { name, status, assertionResults } of JSON.parse(readFileSync(path, 'utf8')).testResults) {
    const count = (of) => assertionResults.filter((each) => each.status === of).length;
    const [passed, failedTests] = [count('passed'), count('failed')];
    // A test file that cannot be loaded fails without a failed test in it.
    const failed = Math.max(failedTests, status === 'failed' ? 1 : 0, files.get(name)?.failed ?? 0);
    files.set(name, { passed, failed, skipped: assertionResults.length - passed - failedTests });
  }
}
const sum = (kind) => [...files.values()].reduce((total, counts) => total + counts[kind], 0);
process.stdout.write(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped\n`);
process.exitCode = sum('passed') > 0 && sum('failed') === 0 && missing.length === 0 ? 0 : 1;
