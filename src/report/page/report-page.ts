import { createHash, randomUUID } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { SrqError, systemCode } from '../../request/words/errors.ts';
import { printable } from '../output.ts';
import { whyUnwritable } from '../output-file.ts';
import template from './page.template?raw';
import { headlineOf, type PageFacts, pageData, titleOf } from './page-facts.ts';
import script from './page-script.js?bundled';
import style from './page-style.css?raw';
import type { RunFigures } from './run-figures.ts';

/**
 * Returns the report of a run as one HTML document that loads nothing. Its content security policy allows only its own
 * style and script, which draws the page from the data beside it.
 */
export function reportPage(figures: RunFigures, facts: PageFacts): string {
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
  const { title, detail } = headlineOf(figures);
  const parts: Readonly<Record<string, string>> = {
    ...{ policy, style, script },
    ...{ title: escaped(titleOf(figures)), headline: escaped(title), detail: escaped(detail) },
    data: jsonData(pageData(figures, facts)),
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? '');
}

function escaped(text: string): string {
  return printable(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}

/**
 * Formats JSON for a script element that holds data. No text in it can end the element or begin a comment, and
 * invisible characters are made visible.
 */
export function jsonData(value: unknown): string {
  const json = JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? printable(each) : each));
  return json.replace(/[<>&]/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`);
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Writes the report, whole or not at all. Throws `SrqError('usage')` if it cannot be written. */
export async function writeRunReport(path: string, figures: RunFigures, facts: PageFacts): Promise<void> {
  const part = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(part, reportPage(figures, facts), { mode: 0o600 });
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    if (systemCode(error) === '') throw error;
    const message = `The report ${path} cannot be written (${whyUnwritable(error)}).`;
    throw new SrqError(
      'output.unwritable',
      message,
      'The log has all of it: srq report -o FILE writes it elsewhere.',
      error,
    );
  }
}
