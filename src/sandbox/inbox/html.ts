/** Markup that is HTML already. */
export interface Markup {
  readonly markup: string;
}

type Filling = string | number | false | null | Markup | readonly Markup[];

/** Matches control characters except line ends, bidirectional overrides, and other invisible marks. */
const UNSEEN = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/**
 * The template tag for HTML. Every value that is not HTML itself is escaped, and its invisible characters are made
 * visible. Null and false stand for nothing.
 */
export function html(literals: TemplateStringsArray, ...values: readonly Filling[]): Markup {
  return { markup: String.raw({ raw: literals }, ...values.map(markupOf)) };
}

function markupOf(value: Filling): string {
  if (value === null || value === false) return '';
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
}

function escaped(text: string): string {
  return text
    .replace(UNSEEN, (mark) => `\\u{${mark.codePointAt(0)?.toString(16)}}`)
    .replace(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
}
