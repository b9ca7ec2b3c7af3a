import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { checkRequest } from '../../src/delivery/check/check-request.ts';
import { mapRow } from '../../src/delivery/prepare.ts';
import { planMapping } from '../../src/input/mapping.ts';
import { MARKETS } from '../../src/request/lead/markets.ts';
import { cpuMs } from '../helpers/cpu-time.ts';
import { openFile, readTable, scratchFile } from '../helpers/read-table.ts';

const MIB = 1024 * 1024;
const nothing = { map: {}, set: {} };
let path = '';
afterEach(() => rmSync(path, { force: true }));

/** Several times what a reader may keep of it; it takes no room on the disk: what is not written is NULs. */
const LONG_MIB = 320;

function longFileOf(head: string, ending: string): string {
  path = scratchFile(head, ending);
  const file = openSync(path, 'r+');
  ftruncateSync(file, LONG_MIB * MIB);
  writeSync(file, 'x', LONG_MIB * MIB - 1);
  closeSync(file);
  return path;
}

describe('hundreds of megabytes in one line are refused in bounded memory', () => {
  const filler = 'x'.repeat(100_000);
  it.each([
    ['a header alone', filler, 'csv', 'longer than 1 MiB'],
    ['a row', `a,b\n1,2\n${filler}`, 'csv', 'longer than 1 MiB'],
    ['a quoted cell', `a,b\n1,2\n"${filler}`, 'csv', /longer than 1 MiB|not closed/],
    ['a JSON text', `[{"a":"${filler}`, 'json', 'longer than JSON may be'],
    ['a line of NDJSON', `{"a":1}\n{"a":"${filler}`, 'ndjson', 'longer than JSON may be'],
  ] as const)('hundreds of megabytes in one line are refused, %s', async (_, head, ending, message) => {
    const before = process.memoryUsage().rss;
    await expect(readTable(longFileOf(head, ending))).rejects.toMatchObject({
      code: 'input',
      message: expect.stringMatching(message),
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
  });
});

describe('a hundred thousand columns', () => {
  const names = Array.from({ length: 100_000 }, (_, at) => `c${at}`);
  it('a hundred thousand columns are refused, in CSV and in JSON', async () => {
    await expect(openFile(scratchFile(`${names.join(',')}\n1\n`))).rejects.toThrow('more than 5000 columns');
    const half = (from: number) => Object.fromEntries(names.slice(from, from + 50_000).map((name) => [name, 1]));
    await expect(openFile(scratchFile(JSON.stringify([half(0), half(50_000)]), 'json'))).rejects.toThrow(
      'more than 5000 columns',
    );
  });
});

describe('headers that are names of every object', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', '__defineGetter__'];
  it('headers that are names of every JavaScript object are ordinary columns', async () => {
    for (const content of [
      `${names.join(',')}\n${names.map((name) => `<${name}>`).join(',')}\n`,
      `[{${names.map((name) => `${JSON.stringify(name)}:"<${name}>"`).join()}}]`,
    ]) {
      const { table, rows, cells } = await readTable(scratchFile(content));
      expect([table.columns, cells]).toEqual([names, [names.map((name) => `<${name}>`)]]);
      const map = JSON.parse('{"__proto__":"fullname","constructor":"ref"}');
      const mapping = planMapping(table.columns, { map, set: { location: '{toString} {__proto__}' } });
      const [row] = rows;
      expect(row && mapRow(row, mapping).fields).toEqual({
        fullname: '<__proto__>',
        ref: '<constructor>',
        location: '<toString> <__proto__>',
      });
    }
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('a text made to keep a pattern busy', () => {
  const repeated = [
    'a',
    '@',
    ',',
    '@,',
    ' ',
    '<',
    '"',
    '""',
    "'",
    '=',
    '+',
    '(0)',
    '1 ',
    '/',
    'é',
    '{',
    '{a',
    '-',
    'a-',
    '0',
    '\n',
    '\t',
    '.',
    'a@',
    '<a@',
    '\u200b',
    '\u0301',
  ];
  const heads = ['', '@', '+351', '<test lead:', '=', 'mailto:', '00'];

  it('a text made to keep a pattern busy is checked at once, in any field', () => {
    for (const unit of repeated) {
      for (const head of heads) {
        for (const letters of [90, 990, 200_000]) {
          const text = (head + unit.repeat(Math.ceil(letters / unit.length))).slice(0, letters);
          const fields = [
            'country',
            'lang',
            'location',
            'fullname',
            'email',
            'phone',
            'request_text',
            'category',
            'ref',
          ];
          const draft = {
            row: 1,
            fields: Object.fromEntries(fields.map((field) => [field, text])),
            parts: { postal_code: text },
          };
          const check = () => {
            checkRequest(draft, null);
            checkRequest({ ...draft, fields: { ...draft.fields, country: MARKETS[0]?.code ?? '' } }, null);
          };
          expect([unit, head, letters, cpuMs(check, 1_000) < 10_000]).toEqual([unit, head, letters, true]);
        }
      }
    }
  });

  it('a text made to keep a pattern busy is read and mapped at once', async () => {
    for (const unit of repeated) {
      const text = unit.repeat(20_000 / unit.length);
      const before = process.cpuUsage();
      await readTable(scratchFile(`${text}\n${text}\n`), { format: 'csv' }).catch(() => {});
      await readTable(scratchFile(`{"data": ${text}`), {}).catch(() => {});
      try {
        planMapping(['a', text], { ...nothing, set: { location: text } });
      } catch {}
      const { user, system } = process.cpuUsage(before);
      // Nine times that of a text three times as long, at most.
      expect([unit, (user + system) / 1000 < 2_500]).toEqual([unit, true]);
    }
  });
});
