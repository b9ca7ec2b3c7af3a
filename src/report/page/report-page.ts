import { createHash } from 'node:crypto';
import { STATUSES } from '../../request/log/status.ts';
import { printable } from '../output.ts';
import template from './page.template?raw';
import { headlineOf, type PageFacts, pageData, titleOf } from './page-facts.ts';
import script from './page-script.js?bundled';
import pageStyle from './page-style.css?raw';
import type { RunFigures } from './run-figures.ts';

/** The names of the colours that mark something on the page. */
const MARKS = [...STATUSES, 'slowed', 'median'];
const style = pageStyle + MARKS.map((name) => `.tag-${name}{--mark:var(--${name})}`).join('\n');

/**
 * Returns the report of a run as one HTML document that loads nothing. Its content security policy allows only its own
 * style and script, which draws the page from the data beside it.
 */
export function reportPage(figures: RunFigures, facts: PageFacts): string {
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
  const parts: Readonly<Record<string, string>> = {
    ...escapedAll({ heading: titleOf(figures), ...headlineOf(figures) }),
    ...{ policy, style, script, data: jsonData(pageData(figures, facts)) },
  };
  return template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? '');
}

function escapedAll(texts: Readonly<Record<string, string>>): Record<string, string> {
  const escaped = (text: string) => printable(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, escaped(text)]));
}

/**
 * Formats JSON for a script element that holds data. No text in it can end the element or begin a comment, invisible
 * characters are made visible, and members that are null are left out.
 */
export function jsonData(value: unknown): string {
  const shown = (_: string, each: unknown) => (typeof each === 'string' ? printable(each) : (each ?? undefined));
  const json = JSON.stringify(value, shown);
  return json.replace(/[<>&]/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`);
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
