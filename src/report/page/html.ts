import { printable } from '../output.ts';

/** Text that is HTML already. */
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

/** HTML of a template: every value but HTML itself is made printable and escaped. */
export function html(literals: TemplateStringsArray, ...values: readonly Value[]): Html {
  const markup = literals
    .map((literal, at) => literal + (at < values.length ? markupOf(values[at] ?? '') : ''))
    .join('');
  return { markup };
}

export const NOTHING: Html = { markup: '' };

/**
 * JSON that may stand in a script element as data: no text in it ends the element or begins a comment, and what cannot be
 * seen is shown.
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
