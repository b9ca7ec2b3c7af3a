import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { tryLock } from 'fs-native-extensions';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bindMount, bindMountIsMissing } from '../../helpers/bind-mount.ts';
import { LogProcess, logFolder, logProgram } from '../../helpers/log-process.ts';
import {
  CREATED,
  failureOf,
  keyOf,
  openLog,
  openLogIndex,
  openRunNotes,
  readAll,
  readRunNotes,
  subjectOf,
} from '../log.ts';

const program = logProgram();
const { directory, path } = logFolder();
let unmount = () => {};
afterEach(async () => {
  await LogProcess.endAll();
  unmount();
  unmount = () => {};
});

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
const firstLineOf = (file: string) => readFileSync(file).subarray(0, readFileSync(file).indexOf('\n') + 1);
const besides = () => readdirSync(directory).sort();

/** Far behind the text of every log; the second number of FORMAT.md's table of locks. */
const BYTE = { run: 2 ** 40, append: 2 ** 40 + 1, oneOff: 2 ** 40 + 2 };
const locksLogs = process.platform !== 'darwin';

describe.skipIf(!locksLogs)('The locks lie on the log itself, whatever it is called', () => {
  let held: number;
  beforeEach(async () => {
    await (await openLog(path)).close();
    held = openSync(path, 'r+');
  });
  afterEach(() => closeSync(held));

  test('A run that somebody holds under another name of the log refuses a second one', async () => {
    expect(tryLock(held, BYTE.run, 1)).toBe(true);
    const { code, message, hint } = await failureOf(openLog(path));
    expect([code, message]).toEqual(['log', expect.stringContaining('a process that has it under another name')]);
    expect(hint).toContain('--log FILE');
    await (await openLog(path, false)).close();
  });

  test('A one-off request that somebody makes under another name of the log may be under way', async () => {
    const log = await openLog(path);
    await log.sending(subjectOf(1), 'none');
    expect(log.mayBeUnderWay(keyOf(1))).toBe(false);
    expect(tryLock(held, BYTE.oneOff, 1, { shared: true })).toBe(true);
    expect(log.mayBeUnderWay(keyOf(1))).toBe(true);
    await log.close();
  });

  test('Of a log that was replaced by another file, nothing is said about what is under way', async () => {
    const log = await openLog(path);
    await log.sending(subjectOf(1), 'none');
    renameSync(path, `${path}.old`);
    writeFileSync(path, readFileSync(`${path}.old`));
    expect(() => log.mayBeUnderWay(keyOf(1))).toThrow('replaced');
    await log.close();
  });

  test('Lines are added to a log by one process at a time, whatever it is called', async () => {
    let looks = 0;
    const sleep = async () => {
      looks += 1;
      await setImmediate();
    };
    const log = await openLog(path, true, { clock: { sleep } });
    expect(tryLock(held, BYTE.append, 1)).toBe(true);
    let isThere = false;
    const adding = log.sending(subjectOf(1), 'none').then(() => {
      isThere = true;
    });
    while (looks < 10) await setImmediate();
    expect([isThere, readFileSync(path, 'utf8')]).toEqual([false, '']);
    closeSync(held);
    await adding;
    await log.close();
    held = openSync(path, 'r');
  });

  test.each([BYTE.run, BYTE.append, BYTE.oneOff])(
    'The lock at byte %i is free after the log is closed',
    async (byte) => {
      for (const exclusive of [true, false]) {
        const log = await openLog(path, exclusive);
        await log.sending(subjectOf(1), log.lookup(keyOf(1)));
        await log.close();
        expect(tryLock(held, byte, 1)).toBe(true);
        closeSync(held);
        held = openSync(path, 'r+');
      }
    },
  );
});

describe.skipIf(bindMountIsMissing !== null)(
  `One file in two places${bindMountIsMissing === null ? '' : ` (${bindMountIsMissing})`}`,
  () => {
    test('One log file in two places has one run, whoever was first', async () => {
      const first = new LogProcess(program, path, { exclusive: true });
      await first.opened();
      const name = join(directory, 'mounted.ndjson');
      unmount = bindMount(path, name);
      const second = new LogProcess(program, name, { exclusive: true });
      expect((await second.hear(1))[0]).toContain(
        'refused log Another run is using this log: a process that has it under',
      );
      await first.close();
      const third = new LogProcess(program, name, { exclusive: true });
      await third.opened();
      expect((await failureOf(openLog(path))).message).toContain('under another name');
      await third.close();
    });
  },
);

describe('A log with two names (hard links)', () => {
  test('A log with two names (hard links) is opened under neither', async () => {
    await (await openLog(path)).close();
    const other = join(directory, 'other.ndjson');
    linkSync(path, other);
    for (const each of [path, other]) {
      const { code, message, hint } = await failureOf(openLog(each, false));
      expect([code, message]).toEqual(['log', expect.stringContaining(`The log ${each} has 2 names (hard links)`)]);
      expect(hint).toContain('Keep one');
    }
    rmSync(other);
    await (await openLog(path)).close();
  });

  test('A log that got a second name while it was in use records nothing more', async () => {
    const log = await openLog(path);
    await log.sending(subjectOf(1), 'none');
    const other = join(directory, 'other.ndjson');
    linkSync(path, other);
    const before = readFileSync(path);
    expect((await failureOf(log.sending(subjectOf(2), 'none'))).message).toContain('has 2 names');
    await failureOf(log.outcome(subjectOf(1), CREATED));
    expect(readFileSync(path).equals(before)).toBe(true);
    expect((await failureOf(openLog(other))).message).toContain('has 2 names');
    await log.close();
    rmSync(other);
    const next = await openLog(path);
    expect(next.lookup(keyOf(1))).toBe('sending');
    await next.close();
  });
});

describe('A log that is another file than before', () => {
  const aside = () => join(directory, 'log.ndjson.1');

  test.each([
    ['renamed', () => renameSync(path, aside())],
    [
      'renamed, with a new one in its place',
      () => {
        renameSync(path, aside());
        writeFileSync(path, '', { mode: 0o600 });
      },
    ],
    [
      'replaced by a copy',
      () => {
        renameSync(path, aside());
        writeFileSync(path, readFileSync(aside()), { mode: 0o600 });
      },
    ],
  ])('A log in use records nothing more once it was %s', async (_, takeAway) => {
    const log = await openLog(path);
    await log.sending(subjectOf(1), 'none');
    const before = readFileSync(path);
    takeAway();
    const { code, message } = await failureOf(log.sending(subjectOf(2), 'none'));
    expect([code, message]).toEqual(['log', expect.stringContaining('was renamed or replaced while it was in use')]);
    await failureOf(log.outcome(subjectOf(1), CREATED));
    await log.close();
    expect(readFileSync(aside()).equals(before)).toBe(true);
  });

  test.each([
    ['an empty file', () => writeFileSync(path, '', { mode: 0o600 })],
    ['an older copy', () => writeFileSync(path, firstLineOf(aside()), { mode: 0o600 })],
  ])('A one-off request misses a log that has %s in its place, until it is back', async (_, replace) => {
    const [early, late] = [await openLog(path, false), await openLog(path, false)];
    await early.sending(subjectOf(1), 'none');
    await early.outcome(subjectOf(1), CREATED);
    await late.sending(subjectOf(2), 'none');
    const { size } = statSync(path);
    renameSync(path, aside());
    replace();
    // The one that knows of fewer bytes is the last to say how many there were.
    await late.close();
    await early.close();
    for (const exclusive of [false, true]) {
      const { message, hint } = await failureOf(openLog(path, exclusive));
      expect(message).toContain(`it had ${size}. It was emptied`);
      expect(hint).toContain(`rm ${path}.lock`);
    }
    renameSync(aside(), path);
    const next = await openLog(path, false);
    expect(next.lookup(keyOf(2))).toBe('sending');
    await next.close();
  });

  test('A log is missed where its last run was killed, too; who removes the lock file begins anew', async () => {
    const victim = new LogProcess(program, path, { exclusive: true });
    await victim.opened();
    victim.tell(`sending ${keyOf(1)} none`);
    await victim.hear(1);
    victim.kill();
    await victim.ended;
    renameSync(path, aside());
    expect((await failureOf(openLog(path))).message).toContain('is gone; its lock file is still there');
    expect(existsSync(path)).toBe(false);
    rmSync(`${path}.lock`);
    await (await openLog(path)).close();
  });

  test.each([
    ['emptied', () => truncateSync(path)],
    ['cut', () => truncateSync(path, statSync(path).size - 1)],
    ['replaced by an older copy', () => writeFileSync(path, firstLineOf(path))],
  ])('A log is missed that was %s while nobody had it open, also after kill -9', async (_, takeAway) => {
    for (const isKilled of [false, true]) {
      rmSync(path, { force: true });
      rmSync(`${path}.lock`, { force: true });
      const victim = new LogProcess(program, path, { exclusive: isKilled });
      await victim.opened();
      for (const row of [1, 2]) victim.tell(`sending ${keyOf(row)} none`);
      await victim.hear(2);
      if (isKilled) victim.kill();
      else await victim.close();
      await victim.ended;
      takeAway();
      for (const exclusive of [false, true]) {
        expect(await failureOf(openLog(path, exclusive))).toMatchObject({
          code: 'log',
          message: expect.stringContaining('It was emptied, cut, or replaced by an older copy. Nothing was sent'),
        });
      }
    }
  });

  test('A log is missed under whatever name the last run had used it', async () => {
    const holder = `srq bulk ${'"Anfragen März 12.csv" '.repeat(60)}`;
    const log = await openLog(path, true, { holder });
    const { message, hint } = await failureOf(openLog(path));
    expect(message).toContain('srq bulk "Anfragen M?rz 12.csv"');
    expect(hint).toContain('could send it again');
    await log.sending(subjectOf(1), 'none');
    await log.close();
    expect(statSync(`${path}.lock`).size).toBe(512);
    truncateSync(path);
    expect((await failureOf(openLog(path))).message).toContain('It was emptied');
  });

  test('A log is missed behind a symbolic link that leads nowhere any more', async () => {
    const link = join(directory, 'link.ndjson');
    symlinkSync('log.ndjson', link);
    await (await openLog(link)).close();
    renameSync(path, aside());
    expect((await failureOf(openLog(link))).message).toContain('is gone');
    expect(existsSync(path)).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('A file beside a log', () => {
  const BESIDE = ['lock', 'runs', 'index'];

  beforeEach(async () => {
    await (await openLog(path)).close();
    rmSync(`${path}.lock`);
  });

  test.each(BESIDE)('A file beside the log, %s, is not written through a link', async (name) => {
    const victim = join(directory, 'victim');
    writeFileSync(victim, 'mine');
    symlinkSync(victim, `${path}.${name}`);
    const opening = openLog(path).then((log) => log.close());
    if (name === 'lock') expect((await failureOf(opening)).message).toContain('cannot be opened (ELOOP)');
    else await opening;
    openRunNotes(path, 'run', { nowMs: Date.now }).note({ event: 'end', stopped: null });
    expect(readFileSync(victim, 'utf8')).toBe('mine');
  });

  test.each(BESIDE)('A file beside the log, %s, is not waited for where it is a pipe', async (name) => {
    execFileSync('mkfifo', [`${path}.${name}`]);
    const opening = openLog(path).then((log) => log.close());
    if (name === 'lock') expect((await failureOf(opening)).message).toContain('not a regular file');
    else await opening;
    const notes = openRunNotes(path, 'run', { nowMs: Date.now });
    notes.note({ event: 'end', stopped: null });
    for await (const _ of readRunNotes(path)) expect(name).not.toBe('runs');
  });
});

test.skipIf(process.platform === 'win32')('a log that is a pipe is refused, and not waited for', async () => {
  execFileSync('mkfifo', [path]);
  for (const refused of [
    () => openLog(path),
    () => openLog(path, false),
    () => openLogIndex(path),
    () => readAll(path),
  ])
    expect((await failureOf(refused())).message).toContain('it is not a regular file');
  expect(besides()).toEqual(['log.ndjson']);
});

test('many processes that open a log that does not exist yet all find it', async () => {
  for (let round = 0; round < 10; round++) {
    const fresh = join(directory, `fresh-${round}.ndjson`);
    const opened = await Promise.all(numbers(0, 8).map(() => openLog(fresh, false)));
    for (const each of opened) await each.close();
  }
});

describe('A file that is no log is refused and stays as it is, byte for byte', () => {
  const files: readonly [string, string | Buffer][] = [
    ['one line without a line feed', 'country,phone,message'],
    ['leads', 'country,phone,message\nPT,+351912345678,Obras\n'],
    ['leads that begin with a blank line', '\ncountry,phone\n'],
    ['a JSON object without a line feed', '{"request_text":"Obras"}'],
    ['a JSON object whose key ends too soon', '{"key":"0123"}'],
    ['a JSON object with a line feed', '{"request_text":"Obras"}\n'],
    ['a JSON array', '[{"key":"'],
    ['a text in UTF-16', Buffer.from('\ufeffcountry', 'utf16le')],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x1a])],
    ['a film, which begins with zeros', Buffer.concat([Buffer.alloc(3), Buffer.from('\u0018ftypmp42')])],
    ['zeros with something behind them', Buffer.concat([Buffer.alloc(3_000_000), Buffer.from('x')])],
  ];

  test.each(files)('A file that is no log is refused and not changed: %s', async (_, content) => {
    writeFileSync(path, content);
    const bytes = readFileSync(path);
    for (const refused of [
      () => openLog(path),
      () => openLog(path, false),
      () => openLogIndex(path),
      () => readAll(path),
    ]) {
      const { code, message, hint } = await failureOf(refused());
      expect([code, message]).toEqual(['log', expect.stringMatching(/is not a log of srq|line 1 cannot be read/)]);
      expect(hint).toBeTruthy();
    }
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(besides().filter((name) => name.includes('torn'))).toEqual([]);
  });

  test('A file that is no log by its first byte is refused, and nothing is put beside it', async () => {
    writeFileSync(path, 'country,phone,message');
    await failureOf(openLog(path));
    expect(besides()).toEqual(['log.ndjson']);
  });

  test('An empty file is a log', async () => {
    writeFileSync(path, '');
    const log = await openLog(path);
    expect(await log.sending(subjectOf(1), 'none')).toBe(true);
    await log.close();
  });
});

test('a log below a file, where a folder should be, can be neither written nor read', async () => {
  writeFileSync(path, '');
  const below = join(path, 'srq', 'default.ndjson');
  for (const refused of [() => openLog(below), () => openLogIndex(below), () => readAll(below)]) {
    const { code, message, hint } = await failureOf(refused());
    expect([code, message]).toEqual(['log', expect.stringMatching(/^The log .*default\.ndjson cannot be .*ENOTDIR/)]);
    expect(hint).toContain('--log FILE, or another folder in SRQ_STATE_DIR');
  }
});

test.each(['note to myself', '{"text":1', '{"key":"X', '{"key":"0123"}', '\0\0note', ' '])(
  'bytes that srq did not write behind the last record refuse the log and stay: %j',
  async (tail) => {
    const log = await openLog(path);
    await log.sending(subjectOf(1), 'none');
    await log.close();
    appendFileSync(path, tail);
    const bytes = readFileSync(path);
    for (const refused of [() => openLog(path), () => openLogIndex(path), () => readAll(path)]) {
      const { code, message, hint } = await failureOf(refused());
      expect([code, message]).toEqual(['log', expect.stringContaining('does not end with a record of srq')]);
      expect(hint).toContain('If those bytes do not belong there');
    }
    expect(readFileSync(path).equals(bytes)).toBe(true);
  },
);

test('bytes that srq did not write stop a run that is under way, too', async () => {
  const log = await openLog(path);
  await log.sending(subjectOf(1), 'none');
  appendFileSync(path, 'note to myself');
  const bytes = readFileSync(path);
  expect((await failureOf(log.sending(subjectOf(2), 'none'))).message).toContain('does not end with a record of srq');
  await log.close();
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

describe.skipIf(process.platform === 'win32')('A log that others may change', () => {
  const uid = process.getuid?.() ?? 0;
  const open = (user: { uid: number | null; isInStateFolder?: boolean }) =>
    openLog(path, true, { clock: { sleep: async () => {} }, user: { isInStateFolder: true, ...user } });
  const reading = (user: number) => readAll(path, { uid: user, isInStateFolder: true });

  test.each([0o620, 0o602, 0o622, 0o666, 0o660])('A log that others may change is not used: mode %o', async (mode) => {
    await (await open({ uid })).close();
    chmodSync(path, mode);
    for (const refused of [() => open({ uid }), () => reading(uid)]) {
      const { code, message, hint } = await failureOf(refused());
      expect([code, message]).toEqual(['log', expect.stringContaining(`other users (mode 0${mode.toString(8)})`)]);
      expect(hint).toContain(`chmod 600 ${path}`);
    }
    chmodSync(path, 0o600);
    await (await open({ uid })).close();
  });

  test.each([0o600, 0o640, 0o644])('A log that others can only read is used: mode %o', async (mode) => {
    await (await open({ uid })).close();
    chmodSync(path, mode);
    await (await open({ uid })).close();
    expect(await reading(uid)).toEqual([]);
  });

  test('A log of another user is not used', async () => {
    await (await open({ uid })).close();
    for (const refused of [() => open({ uid: uid + 1, isInStateFolder: false }), () => reading(uid + 1)]) {
      const { code, message, hint } = await failureOf(refused());
      expect([code, message]).toEqual(['log', expect.stringContaining('belongs to another user')]);
      expect(hint).toContain(`chown ${uid + 1}`);
    }
    await (await open({ uid: null })).close();
  });

  test('A log in a folder that everybody may write is not used, unless the folder has the sticky bit', async () => {
    chmodSync(directory, 0o777);
    for (const isInStateFolder of [true, false]) {
      const { code, message, hint } = await failureOf(open({ uid, isInStateFolder }));
      expect([code, message]).toEqual(['log', expect.stringContaining('can be written by every user (mode 0777)')]);
      expect(hint).toContain(`chmod o-w ${directory}`);
    }
    expect(besides()).toEqual([]);
    chmodSync(directory, 0o1777);
    await (await open({ uid })).close();
    chmodSync(directory, 0o775);
    await (await open({ uid, isInStateFolder: false })).close();
    chmodSync(directory, 0o777);
    const link = join(directory, 'safe');
    mkdirSync(link, { mode: 0o700 });
    symlinkSync(path, join(link, 'log.ndjson'));
    const linked = openLog(join(link, 'log.ndjson'), true, { user: { uid, isInStateFolder: true } });
    expect((await failureOf(linked)).message).toContain(`The folder ${directory}`);
    expect((await failureOf(reading(uid))).message).toContain('can be written by every user');
  });

  test.skipIf(uid !== 0)('A log in a state folder of another user is not used (needs root)', async () => {
    chownSync(directory, 4711, 4711);
    expect((await failureOf(open({ uid }))).message).toMatch(/The folder .* belongs to another user/);
    // A folder that somebody chose may be anybody's.
    await (await open({ uid, isInStateFolder: false })).close();
    chownSync(directory, 0, 0);
  });
});

describe('The recipe of the keys', () => {
  const recipes = () =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).recipe);

  test('The recipe of the keys is in the first record of every process, and in no other', async () => {
    for (const run of [0, 1]) {
      const log = await openLog(path);
      // Records that are left out note nothing.
      expect(await log.sending(subjectOf(run * 10), 'created')).toBe(false);
      for (const row of [1, 2, 3]) await log.sending(subjectOf(run * 10 + row), 'none');
      await log.close();
    }
    expect(recipes()).toEqual([1, undefined, undefined, 1, undefined, undefined]);
  });

  test.each([2, 17, 0, '1', null])('A log whose recipe this version does not know is refused: %j', async (recipe) => {
    const log = await openLog(path);
    for (const row of [1, 2]) await log.sending(subjectOf(row), 'none');
    await log.close();
    const record = { key: keyOf(3), event: 'sending', at: '2026-11-21T00:00:00.000Z', recipe };
    appendFileSync(path, `${JSON.stringify(record)}\n`);
    for (const refused of [() => openLog(path), () => openLogIndex(path), () => readAll(path)]) {
      const { code, message, hint } = await failureOf(refused());
      expect(code).toBe('log');
      expect(message).toContain(`line 3 cannot be read (recipe ${JSON.stringify(recipe)} of its keys is not known`);
      expect(hint).toContain('npm install --global srq@latest');
    }
  });

  test('The recipe of the keys is the first one where no record names one', async () => {
    writeFileSync(path, `{"key":"${keyOf(1)}","event":"created","at":"2026-11-21T00:00:00.000Z"}\n`);
    const log = await openLog(path);
    expect(log.lookup(keyOf(1))).toBe('created');
    await log.close();
  });
});
