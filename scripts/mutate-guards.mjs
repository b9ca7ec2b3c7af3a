// Takes out one guard at a time in a copy of the repository and expects the delivery tests to fail without it.
// npm run mutate [-- NAME…]: only guards whose name contains one of the words. --list: only looks whether all are there.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** `from` must occur exactly once in `file`. `tests`: those that have to notice. */
const GUARDS = [
  {
    name: 'the intent is durable before the request is written',
    file: 'src/service/request-api.ts',
    from: "if (!(await intend())) return { is: 'withdrawn' };",
    to: 'intend().catch(() => {});',
    tests: ['crash'],
  },
  {
    name: 'an intent is synced, not only written',
    file: 'src/store/file/file-log.ts',
    from: 'if (recorded.size > 0) await this.#file.datasync();',
    to: '',
    tests: ['crash'],
  },
  {
    name: 'a failed write or sync stops sending',
    file: 'src/store/file/file-log.ts',
    from: 'this.#broken = asLogError(error, this.path);\n      throw this.#broken;',
    to: '',
    tests: ['crash'],
  },
  {
    name: 'what is in flight when the log fails is waited for and told',
    file: 'src/delivery/run-concurrently.ts',
    from: 'if (underWay > 0) await somethingSettles();\n      else if (failures.length > 0) throw failures[0];',
    to: 'if (failures.length > 0) throw failures[0];\n      else if (underWay > 0) await somethingSettles();',
    tests: ['crash'],
  },
  {
    name: 'one run holds the lock',
    file: 'src/store/file/lock.ts',
    from: 'if (!run.tryTake()) {',
    to: "if (run.text() === 'never') {",
    tests: ['two-processes', '../store/file/lock'],
  },
  {
    name: 'what a living process has under way is not settled',
    file: 'src/delivery/settle-rows.ts',
    from: 'return (await log.mayBeUnderWay(key)) ? null : { submission, record, seen };',
    to: 'return { submission, record, seen };',
    tests: ['in-flight-elsewhere'],
  },
  {
    name: 'sending is recorded only if the log has not changed meanwhile',
    file: 'src/store/file/file-log.ts',
    from: 'if (each.seen !== null && this.#index.state(each.subject.key) !== each.seen) continue;',
    to: '',
    tests: ['two-processes'],
  },
  {
    name: 'a request is known by its content alone',
    file: 'src/delivery/prepare.ts',
    from: 'return { row, request, key: contentKey(request, destination), problems };',
    to: 'return { row, request, key: contentKey({ ...request, params: { ...request.params, row: String(row) } }, destination), problems };',
    tests: ['same-file-again'],
  },
  {
    name: 'the order of parameters does not count',
    file: 'src/request/lead/service-request.ts',
    from: 'if (before[0] <= pair[0]) break;',
    to: 'break;',
    tests: ['same-file-again'],
  },
  {
    name: 'a failure after the write is unknown, whatever its code',
    file: 'src/service/answers/classify.ts',
    from: 'if (exchange.written) {',
    to: "if (exchange.written && failureName(exchange.error) !== 'ECONNRESET') {",
    tests: ['faults'],
  },
  {
    name: 'a 5xx may have been acted on',
    file: 'src/service/answers/classify.ts',
    from: '\n  return unknown(`The service answered HTTP ',
    to: "\n  if (status === 500) return { class: 'not-acted', next: 'again', reason: '', stop: null };\n  return unknown(`The service answered HTTP ",
    tests: ['faults'],
  },
  {
    name: 'what is unknown is not sent',
    file: 'src/delivery/submit.ts',
    from: "    case 'sending':\n    case 'unknown':\n    case 'parked':\n      return 'unknown';",
    to: "    case 'sending':\n      return null;\n    case 'unknown':\n    case 'parked':\n      return 'unknown';",
    tests: ['faults', 'kills'],
  },
  {
    name: 'there is one licence to send again',
    file: 'src/request/log/status.ts',
    from: "if (licenceUsed && (event === 'sending' || event === 'unknown')) return 'parked';",
    to: '',
    tests: ['one-licence'],
  },
  {
    name: 'what was not sent says nothing about what another process sent',
    file: 'src/delivery/submit.ts',
    from: 'log.outcome(subjectOf(submission), outcome, { seen, again })',
    to: 'log.outcome(subjectOf(submission), outcome, { again })',
    tests: ['what-was-not-sent'],
  },
  {
    name: 'a licence stays the only one, used or not',
    file: 'src/request/log/status.ts',
    from: "if (licenceUsed && (event === 'failed' || event === 'rejected')) return 'licensed';",
    to: '',
    tests: ['what-was-not-sent'],
  },
  {
    name: 'that a repetition did not happen hides no creation',
    file: 'src/delivery/submit.ts',
    from: 'if (isTaken(seen)) return { ...plain(resultOf(submission, outcome)), ...circumstances, isFromLog: false };',
    to: '',
    tests: ['what-was-not-sent'],
  },
  {
    name: 'a licence is given only when validate says twice that nothing is there',
    file: 'src/delivery/settle-rows.ts',
    from: "const says = rounds[0] === rounds[1] ? rounds[0] : 'nothing';",
    to: 'const says = rounds[0];',
    tests: ['settle-rows'],
  },
  {
    name: 'in the store, an intent is recorded only if the state is as its writer saw it',
    file: 'src/store/postgres/migrations.ts',
    from: 'when i.seen is not null then s.state = i.seen',
    to: 'when i.seen is not null then true',
    tests: ['../store/file/delivery-log-contract'],
  },
  {
    name: 'an intent that has run out is not written',
    file: 'src/service/wire/http.ts',
    from: 'if (!mayWrite()) {',
    to: 'if (!mayWrite() && timeoutMs < 0) {',
    tests: ['../service/http', '../service/request-api'],
  },
  {
    name: 'a success without proof is no creation',
    file: 'src/service/answers/answer-reader.ts',
    from: "return answer.status === 201 && form.identifiers.some(({ isCertain }) => isCertain) ? 'believed' : null;",
    to: "return 'believed';",
    tests: ['../doors/answer/meaning'],
  },
  {
    name: 'a value that no proven answer had proves nothing',
    file: 'src/service/answers/form.ts',
    from: 'if (seen === undefined || !values.every((value) => isSeen(seen, value))) return false;',
    to: 'if (seen === undefined) return false;',
    tests: ['../doors/answer/meaning'],
  },
  {
    name: 'an identifier belongs to one content',
    file: 'src/service/answers/answer-reader.ts',
    from: 'if (others.length > 0 && others.length === held.length) return others[0]?.by ?? null;',
    to: '',
    tests: ['../service/request-api'],
  },
  {
    name: 'a duplicate counts only while a request that cannot exist is clear',
    file: 'src/service/experiment.ts',
    from: "(reader.trustsValidate && control.verdict === 'clear') || (control.refused !== null && reader.isDocumented);",
    to: 'control !== null;',
    tests: ['../service/request-api'],
  },
  {
    name: 'what was cut or is a page proves nothing',
    file: 'src/service/answers/answer-value.ts',
    from: "if (!answer.complete || isHtml(answer)) return null;\n  if (answer.body.trim() === '') return 'empty';",
    to: "if (answer.body.trim() === '') return 'empty';",
    tests: ['../service/classify'],
  },
  {
    name: 'a log has one name',
    file: 'src/store/file/log-access.ts',
    from: 'if (open.nlink > 1n) throw underTwoNames(path, open);',
    to: '',
    tests: ['../store/file/one-log'],
  },
  {
    name: 'a log that is renamed ends the run',
    file: 'src/store/file/log-access.ts',
    from: "if (!leadsTo(path, open)) throw takenAway(path, 'renamed or replaced');",
    to: '',
    tests: ['log-taken-away'],
  },
  {
    name: 'the locks lie on the log itself',
    file: 'src/store/file/lock.ts',
    from: 'if (byte.tryTake(options)) return true;',
    to: 'if (byte.tryTake(options) || true) return true;',
    tests: ['../store/file/one-log'],
  },
  {
    name: 'what another file ends with is not cut',
    file: 'src/store/file/log-access.ts',
    from: '  await requireOwnTail(file, path, end);\n',
    to: '',
    tests: ['../e2e/log-unusable'],
  },
  {
    name: 'compiled code is kept only where no other user can write',
    file: 'src/cli/compile-cache.ts',
    from: '    if (!isOwnFolder(state, user)) return;\n',
    to: '',
    tests: ['../cli/compile-cache'],
  },
  {
    name: 'what is under way goes by the last record',
    file: 'src/store/file/file-log.ts',
    from: "return this.read(key)?.event === 'sending' && this.#lock.oneOffsUnderWay();",
    to: "return this.lookup(key) === 'sending' && this.#lock.oneOffsUnderWay();",
    tests: ['licensed-under-way'],
  },
  {
    name: 'keys of another recipe are not compared',
    file: 'src/store/file/record.ts',
    from: "if ('recipe' in value && value.recipe !== KEY_RECIPE) {",
    to: 'if (value === null) {',
    tests: ['../store/file/one-log'],
  },
  {
    name: 'a whole answer has a deadline',
    file: 'src/service/wire/http.ts',
    from: 'this.#deadline = setTimeout(() => controller.abort(new AnswerTimedOut(timeoutMs)), timeoutMs);',
    to: '',
    tests: ['../service/transport'],
  },
  {
    name: 'an unanswered request leaves no copy in the kernel',
    file: 'src/service/network/connection.ts',
    from: '        tcp.resetAndDestroy();\n',
    to: '',
    tests: ['../service/transport'],
  },
  {
    name: 'an interim answer is passed over',
    file: 'src/service/network/connection.ts',
    from: '    this.#interim.expectAnswer();\n',
    to: '',
    tests: ['../service/transport'],
  },
  {
    name: 'what cannot be unpacked is no whole answer',
    file: 'src/service/wire/http.ts',
    from: 'complete: isWhole && body !== null',
    to: 'complete: isWhole',
    tests: ['../service/transport'],
  },
  {
    name: 'a fault ends the lane of a worker',
    file: 'src/delivery/consume.ts',
    from: 'if (this.#inHand.delete(taken)) this.#giveBack(taken, isFault && taken.mayTryAgain);',
    to: '',
    tests: ['run-worker'],
  },
  {
    name: 'validate is believed only while a request that cannot exist is clear',
    file: 'src/delivery/witness.ts',
    from: 'const nobodies = asked.flatMap(({ controls }) => controls.map(lookAt));',
    to: "const nobodies = asked.flatMap(() => ({ verdict: 'clear' as const, form: null }));",
    tests: ['settle-rows'],
  },
  {
    name: 'with fewer than twelve created neighbours nothing is settled',
    file: 'src/delivery/witness.ts',
    from: 'if (older === undefined || long === undefined || nearest.length < NEIGHBOURS) return null;',
    to: 'if (older === undefined || long === undefined) return null;',
    tests: ['settle-rows'],
  },
  {
    name: 'the least wait covers what a dead process wrote',
    file: 'src/delivery/settle-rows.ts',
    from: 'const LEAST_WAIT_MS = 4 * 60_000;',
    to: 'const LEAST_WAIT_MS = 60_000;',
    tests: ['settle-rows'],
  },
  {
    name: 'what was not clear before it was sent is not told as created',
    file: 'src/delivery/settle-rows.ts',
    from: 'if (!wasClear) return NOT_CLEAR_BEFORE;',
    to: '',
    tests: ['settle-rows'],
  },
  {
    name: 'a record from the future is not settled by time',
    file: 'src/delivery/witness.ts',
    from: 'if (!(atMs >= EARLIEST_MS && atMs <= nowMs + FUTURE_MS)) return null;',
    to: 'if (!(atMs >= EARLIEST_MS)) return null;',
    tests: ['settle-rows'],
  },
  {
    name: 'a long wait does not end at once',
    file: 'src/account/system-clock.ts',
    from: 'await timer(Math.min(leftMs, MAX_TIMER_MS), signal);',
    to: 'await timer(leftMs, signal);',
    tests: ['../cli/system-clock'],
  },
  {
    name: 'a key is repeated while the service remembers it',
    file: 'src/delivery/settle-rows.ts',
    from: 'if (!mayRepeat(row, sent, { api, log })) return false;',
    to: '',
    tests: ['submitted'],
  },
  {
    name: 'an unknown row is settled by the contract that its first try was written by',
    file: 'src/delivery/settle-rows.ts',
    from: 'if (record.again || (record.wireForm ?? null) !== api.wireForm) return false;',
    to: 'if (record.again) return false;',
    tests: ['idempotency'],
  },
  {
    name: 'the age of a key counts from its first try',
    file: 'src/delivery/witness.ts',
    from: 'const firstMs = atMs - (ms ?? 0);',
    to: 'const firstMs = atMs;',
    tests: ['submitted'],
  },
  {
    name: 'a header is believed by the word of a person alone',
    file: 'src/contract/propose.ts',
    from: 'return { again: unheeded, questions: [question] };',
    to: 'return { again: { header, hours: 24, uuid }, questions: [question] };',
    tests: ['../contract/idempotency'],
  },
  {
    name: 'a request that validate knew before it was sent is a second send',
    file: 'src/delivery/submit.ts',
    from: "(isThere && seen !== 'licensed')",
    to: 'false',
    tests: ['idempotency', 'settle-rows'],
  },
  {
    name: 'the embedded sandbox shows nobody what is rehearsed',
    file: 'src/cli/rehearsal.ts',
    from: 'hasInbox,',
    to: 'hasInbox: true,',
    tests: ['../e2e/sandbox'],
  },
];

// A guard that was rewritten is said at once, not after those before it have run for an hour.
const lost = GUARDS.filter(({ file, from }) => readFileSync(file, 'utf8').split(from).length !== 2);
for (const { name, file } of lost) process.stdout.write(`"${name}": ${file} does not hold the guard exactly once.\n`);
if (lost.length > 0) process.exit(1);

const words = process.argv.slice(2);
if (words.includes('--list')) {
  for (const { name, file } of GUARDS) process.stdout.write(`${file}: ${name}\n`);
  process.exit(0);
}
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
