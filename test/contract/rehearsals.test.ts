import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { callSrq } from '../doors/call-srq.ts';
import { learn, ready } from '../doors/learn.ts';
import { test } from '../helpers/desk.ts';
import { startCalmSandbox } from '../sandbox/sandbox-client.ts';
import { judgedDocuments } from './judged-document.ts';
import { type Rehearsal, rehearse, type Stage } from './rehearsed-document.ts';

/** Extracts that each stand for a kind. An extract shows less of a success than its document. */
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

/** `SRQ_TEST_DOCUMENTS`: a folder of whole documents, of which each with a create is tried. */
const documents = judgedDocuments(process.env['SRQ_TEST_DOCUMENTS']);
const chosen: readonly (readonly [string, Rehearsal['outcome'] | null])[] =
  process.env['SRQ_TEST_DOCUMENTS'] === undefined
    ? Object.entries(DOCUMENTS)
    : documents.flatMap(({ judgement: { name, create } }) => (create.length > 0 ? [[name, null] as const] : []));
const home = mkdtempSync(join(tmpdir(), 'srq-rehearsals-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const stageFor = (name: string, file: string): Stage => ({
  folder: join(home, name),
  run: (args, env) => callSrq(args, { env: { PATH: process.env['PATH'] ?? '', ...env }, cwd: null }),
  openSandbox: async (path, operations) => {
    const { contract } = learn(readFileSync(path), { name: file, operations });
    return startCalmSandbox({ contract: await ready(contract) });
  },
});

describe.concurrent('a document is learned, and a file is sent to a sandbox that follows it', () => {
  for (const [name, outcome] of chosen) {
    test(`${name}, learned and followed by a sandbox: ${outcome ?? 'not failed'}`, { timeout: 120_000 }, async () => {
      const found = documents.find(({ judgement }) => judgement.name === name);
      if (!found) throw new Error(`There is no judgement of ${name}`);
      const { file, bytes, judgement } = found;
      const rehearsal = await rehearse(file, bytes, judgement, stageFor(name, file));
      if (outcome === null) expect(rehearsal.outcome, rehearsal.why ?? '').not.toBe('failed');
      else expect(rehearsal, rehearsal.why ?? '').toMatchObject({ outcome });
    });
  }
});
