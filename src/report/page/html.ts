import { printable } from '../output.ts';

/** Markup that is already HTML and is not escaped again. */
export interface Html {
  readonly markup: string;
}

type Value = string | number | Html | readonly Html[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The template tag for HTML. It makes each value printable and escapes it, unless the value is HTML itself. */
export function html(literals: TemplateStringsArray, ...values: readonly Value[]): Html {
  const markup = literals
    .map((literal, at) => literal + (at < values.length ? markupOf(values[at] ?? '') : ''))
    .join('');
  return { markup };
}

export const NOTHING: Html = { markup: '' };

/**
 * Formats JSON for a script element that holds data. No text in it can end the element or begin a comment, and
 * invisible characters are made visible.
 */
export function jsonData(value: unknown): Html {
  const json = JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? printable(each) : each));
  return { markup: json.replace(/[<>&]/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`) };
}

function markupOf(value: Value): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return printable(value).replace(/[&<>"']/g, (mark) => ENTITIES[mark] ?? '');
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('\n');
}
