import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openTable } from '../../src/input/open-table.ts';
import type { ReadOptions, Row, Table } from '../../src/request/lead/table.ts';

/** The folder of the files of the test that runs. */
let scratch: string | null = null;
let files = 0;

/** Writes a new file with this content and returns its path. It is removed with the test. */
export function scratchFile(content: string | Uint8Array, ending = 'csv'): string {
  scratch ??= scratchFolder();
  const path = join(scratch, `${files++}.${ending}`);
  writeFileSync(path, content);
  return path;
}

function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'srq-read-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
    scratch = null;
  });
  return folder;
}

export function openFile(path: string, options: Partial<ReadOptions> = {}): Promise<Table> {
  return openTable(path, { format: null, encoding: null, delimiter: null, skipLines: 0, sheet: null, ...options });
}

/** Opens a table and reads all its rows. */
export async function readTable(path: string, options: Partial<ReadOptions> = {}) {
  const table = await openFile(path, options);
  const rows: Row[] = [];
  for await (const batch of table.rows()) rows.push(...batch);
  return { table, rows, cells: rows.map((row) => [...row.cells]) };
}
