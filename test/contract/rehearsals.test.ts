import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { callSrq } from '../doors/call-srq.ts';
import { learn, ready } from '../doors/learn.ts';
import { test } from '../helpers/desk.ts';
import { startCalmSandbox } from '../sandbox/sandbox-client.ts';
import type { Judgement } from './judged-document.ts';
import { type Rehearsal, rehearse, type Stage } from './rehearsed-document.ts';

/** Documents that each stand for a kind. The extracts show less of a success than the documents. `npm run check:rehearsals` does the same with all of them. */
const DOCUMENTS: Readonly<Record<string, Rehearsal['outcome']>> = {
  'pure-leads': 'created',
  'pm-citas': 'created',
  verzoeken: 'created',
  forcemanager: 'said',
  shipstation: 'said',
  'europace-kundenangaben': 'created',
  'jira-servicemanagement': 'created',
  'follow-up-boss': 'created',
  shippit: 'said',
  'iris-lead': 'unserved',
  holded: 'unserved',
};

const judged = readFileSync(new URL('../../fixtures/documents/judged.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Judgement & { readonly document?: object });
const home = mkdtempSync(join(tmpdir(), 'srq-rehearsals-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const stageFor = (name: string, file: string): Stage => ({
  folder: join(home, name),
  run: (args, env) => callSrq(args, { env: { PATH: process.env['PATH'] ?? '', ...env }, cwd: null }),
  openSandbox: (path, operations) => {
    const { contract } = learn(readFileSync(path), { name: file, operations });
    return startCalmSandbox({ contract: ready(contract) });
  },
});

describe.concurrent('a document is learned, and a file is sent to a sandbox that follows it', () => {
  for (const [name, outcome] of Object.entries(DOCUMENTS)) {
    test(`${name}, learned and followed by a sandbox: ${outcome}`, { timeout: 120_000 }, async () => {
      const judgement = judged.find((each) => each.name === name);
      const bytes = Buffer.from(JSON.stringify(judgement?.document));
      const rehearsal = judgement && (await rehearse(`${name}.json`, bytes, judgement, stageFor(name, `${name}.json`)));
      expect(rehearsal, rehearsal?.why ?? '').toMatchObject({ outcome });
    });
  }
});
