import { createHash } from 'node:crypto';
import { STATUSES } from '../request/log/status.ts';
import { printable, printableLines } from '../request/words/characters.ts';
import shell from './page.template?raw';

/** The names of the colours that mark something on a page. */
const MARKS = [...STATUSES, 'slowed', 'median'];
const MARK_STYLE = MARKS.map((name) => `.tag-${name}{--mark:var(--${name})}`).join('\n');

interface WebPage {
  /** The markup of what the page holds before its script has run, with `{{name}}` for a text. */
  readonly body: string;
  /** The texts of the body by name. `title` is that of the page as well. */
  readonly texts: Readonly<Record<string, string>> & { readonly title: string };
  readonly style: string;
  readonly script: string;
  /** What the script draws, if it does not fetch it. */
  readonly data?: unknown;
  /** Whether the script may make calls to where the page comes from. */
  readonly isConnected?: boolean;
}

/**
 * Returns one HTML document that loads nothing. Its content security policy allows only its own style and script, which
 * draws the page from data.
 */
export function webPage({ body, texts, style, script, data = null, isConnected = false }: WebPage): string {
  const shown = style + MARK_STYLE;
  const connect = isConnected ? "connect-src 'self'; " : '';
  const policy = `default-src 'none'; ${connect}img-src data:; style-src ${hashOf(shown)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`;
  const escaped = Object.entries(texts).map(([name, text]) => [name, escapedText(text)]);
  const { title = '', ...others }: Record<string, string> = Object.fromEntries(escaped);
  const filled = fill(body, { title, ...others });
  return fill(shell, { policy, title, style: shown, body: filled, script, data: jsonData(data) });
}

const fill = (template: string, parts: Readonly<Record<string, string>>): string =>
  template.replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? '');

const escapedText = (text: string): string => printable(text).replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);

/**
 * Formats JSON for a page. No text in it can end the element that holds it or begin a comment, invisible characters are
 * made visible, and members that are null are left out.
 */
export function jsonData(value: unknown): string {
  const shown = (_: string, each: unknown) => (typeof each === 'string' ? printableLines(each) : (each ?? undefined));
  const json = JSON.stringify(value, shown) ?? 'null';
  return json.replace(/[<>&]/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`);
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
