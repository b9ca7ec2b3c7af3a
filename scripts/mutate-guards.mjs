// Takes out one guard at a time in a copy of the repository and expects the delivery tests to fail without it.
// npm run mutate [-- NAME…]: only guards whose name contains one of the words.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** `from` must occur exactly once in `file`. `tests`: those that have to notice. */
const GUARDS = [
  {
    name: 'the intent is durable before the request is written',
    file: 'src/api/request-api.ts',
    from: "if (!(await intend())) return 'withdrawn';",
    to: 'intend().catch(() => {});',
    tests: ['crash'],
  },
  {
    name: 'an intent is synced, not only written',
    file: 'src/log/file-log.ts',
    from: 'if (recorded.size > 0) await this.#file.datasync();',
    to: '',
    tests: ['crash'],
  },
  {
    name: 'a failed write or sync stops sending',
    file: 'src/log/file-log.ts',
    from: 'this.#broken = asLogError(error, this.path);\n      for (const each of group) each.reject(this.#broken);\n      return;',
    to: '',
    tests: ['crash'],
  },
  {
    name: 'what is in flight when the log fails is waited for and told',
    file: 'src/pipeline/run-concurrently.ts',
    from: 'if (underWay > 0) await somethingSettles();\n      else if (failures.length > 0) throw failures[0];',
    to: 'if (failures.length > 0) throw failures[0];\n      else if (underWay > 0) await somethingSettles();',
    tests: ['crash'],
  },
  {
    name: 'one run holds the lock',
    file: 'src/log/lock.ts',
    from: 'if (run.tryTake()) {',
    to: 'if (run.tryTake() || run.path !== "") {',
    tests: ['two-processes'],
  },
  {
    name: 'what a living process has under way is not settled',
    file: 'src/pipeline/settle-doubt.ts',
    from: 'if (await log.mayBeUnderWay(key)) return inDoubt(submission);',
    to: '',
    tests: ['in-flight-elsewhere'],
  },
  {
    name: 'sending is recorded only if the log has not changed meanwhile',
    file: 'src/log/file-log.ts',
    from: 'if (each.seen !== null && this.#index.state(each.subject.key) !== each.seen) continue;',
    to: '',
    tests: ['two-processes'],
  },
  {
    name: 'a request is known by its content alone',
    file: 'src/pipeline/prepare-row.ts',
    from: 'return { row, request, key: contentKey(request, destination), problems };',
    to: 'return { row, request, key: contentKey({ ...request, params: { ...request.params, row: String(row) } }, destination), problems };',
    tests: ['same-file-again'],
  },
  {
    name: 'the order of parameters does not count',
    file: 'src/model/service-request.ts',
    from: '  pairs.sort(([a], [b]) => (a < b ? -1 : 1));\n',
    to: '',
    tests: ['same-file-again'],
  },
  {
    name: 'a failure after the write is a doubt, whatever its code',
    file: 'src/api/classify.ts',
    from: 'if (exchange.written) {',
    to: "if (exchange.written && failureName(exchange.error) !== 'ECONNRESET') {",
    tests: ['faults'],
  },
  {
    name: 'a 5xx may have been acted on',
    file: 'src/api/classify.ts',
    from: 'return doubt(`The service answered HTTP ',
    to: "if (status === 500) return { class: 'not-acted', next: 'again', reason: '', stop: null };\n  return doubt(`The service answered HTTP ",
    tests: ['faults'],
  },
  {
    name: 'what is in doubt is not sent',
    file: 'src/pipeline/submit-request.ts',
    from: "if (state === 'sending' || state === 'unknown' || state === 'parked') return 'unknown';",
    to: "if (state === 'unknown' || state === 'parked') return 'unknown';",
    tests: ['faults', 'kills'],
  },
  {
    name: 'there is one licence to send again',
    file: 'src/model/log-state.ts',
    from: "if (licenceUsed && (event === 'sending' || event === 'unknown')) return 'parked';",
    to: '',
    tests: ['one-licence'],
  },
  {
    name: 'what was not sent says nothing about what another process sent',
    file: 'src/pipeline/submit-request.ts',
    from: 'log.outcome(subjectOf(submission), outcome, { seen })',
    to: 'log.outcome(subjectOf(submission), outcome)',
    tests: ['what-was-not-sent'],
  },
  {
    name: 'a licence stays the only one, used or not',
    file: 'src/model/log-state.ts',
    from: "if (licenceUsed && (event === 'failed' || event === 'rejected')) return 'licensed';",
    to: '',
    tests: ['what-was-not-sent'],
  },
  {
    name: 'that a repetition did not happen hides no creation',
    file: 'src/pipeline/submit-request.ts',
    from: "if (seen === 'created') return { ...plain(resultOf(submission, outcome)), ...circumstances, isFromLog: false };",
    to: '',
    tests: ['what-was-not-sent'],
  },
  {
    name: 'a licence is given only when validate says twice that nothing is there',
    file: 'src/pipeline/settle-doubt.ts',
    from: "if (first === 'clear' && second === 'clear') return",
    to: "if (first === 'clear' || second === 'clear') return",
    tests: ['one-licence'],
  },
  {
    name: 'in the store, an intent is recorded only if the state is as its writer saw it',
    file: 'src/postgres/log-tables.ts',
    from: 'when i.seen is not null then s.state = i.seen',
    to: 'when i.seen is not null then true',
    tests: ['../log/delivery-log-contract'],
  },
  {
    name: 'an intent that has run out is not written',
    file: 'src/api/http.ts',
    from: 'if (this.#mayWrite()) this.#written = true;',
    to: 'if (this.#mayWrite() || true) this.#written = true;',
    tests: ['../api/http', '../api/request-api'],
  },
];

const words = process.argv.slice(2);
const chosen = GUARDS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const missed = chosen.filter((guard) => !isNoticed(guard));
process.stdout.write(`${chosen.length - missed.length} of ${chosen.length} guards are noticed when they are gone.\n`);
process.exit(missed.length === 0 ? 0 : 1);

function isNoticed({ name, file, from, to, tests }) {
  const copy = mkdtempSync(join(tmpdir(), 'srq-mutate-'));
  try {
    for (const each of [
      'src',
      'bin',
      'test',
      'scripts',
      'fixtures',
      'package.json',
      'tsconfig.json',
      'vitest.config.ts',
    ])
      cpSync(each, join(copy, each), { recursive: true });
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
    const text = readFileSync(join(copy, file), 'utf8');
    if (text.split(from).length !== 2) throw new Error(`"${name}": ${file} does not hold the guard exactly once.`);
    writeFileSync(
      join(copy, file),
      text.replace(from, () => to),
    );
    // The configured place of the report is in node_modules, which the copy shares.
    const config = join(copy, 'vitest.config.ts');
    writeFileSync(config, readFileSync(config, 'utf8').replace('node_modules/.vitest/report.json', 'report.json'));
    const started = Date.now();
    const failed = failures(copy, tests);
    const seconds = Math.round((Date.now() - started) / 1000);
    process.stdout.write(`${failed > 0 ? 'noticed' : 'MISSED '}  ${name} (${failed} tests fail, ${seconds} s)\n`);
    return failed > 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** How many tests fail. A copy that cannot even be built proves nothing. */
function failures(copy, tests) {
  const report = join(copy, 'report.json');
  const paths = tests.map((test) => join('test/delivery', test));
  const flags = ['--bail=3', '--maxConcurrency=10'];
  const { stderr } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...paths, ...flags], {
    cwd: copy,
    encoding: 'utf8',
  });
  if (!existsSync(report)) throw new Error(`No test ran: ${stderr}`);
  const { numFailedTests, numTotalTests } = JSON.parse(readFileSync(report, 'utf8'));
  if (numTotalTests === 0) throw new Error(`No test ran: ${stderr}`);
  return numFailedTests;
}
