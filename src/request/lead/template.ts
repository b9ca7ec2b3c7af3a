/** A text with columns in it: alternating literal texts and indexes of columns. */
export type Template = readonly (string | number)[];

const PIECE = /\{\{|\}\}|\{([^{}]+)\}|[^{}]+|[{}]/g;

/**
 * Parses a template. `{{` and `}}` stand for the braces themselves, and a brace that does not begin a column is an
 * ordinary character.
 */
export function parseTemplate(text: string, indexOf: (column: string) => number): Template {
  const parts: (string | number)[] = [];
  for (const [piece, column] of text.matchAll(PIECE)) {
    const last = parts.length - 1;
    const literal = piece === '{{' || piece === '}}' ? piece.slice(1) : piece;
    if (column !== undefined) parts.push(indexOf(column));
    else if (typeof parts[last] === 'string') parts[last] += literal;
    else parts.push(literal);
  }
  return parts;
}

/** Returns the names of the columns in a template. */
export function templateColumns(text: string): string[] {
  return [...text.matchAll(PIECE)].flatMap(([, column]) => column ?? []);
}

/**
 * Writes a template so that {@link parseTemplate} reads the same again. Braces in the name of a column are left out; it
 * is found without them.
 */
export function templateText(template: Template, nameOf: (index: number) => string): string {
  const column = (index: number) => `{${nameOf(index).replace(/[{}]/g, ' ')}}`;
  const literal = (text: string) => text.replace(/[{}]/g, (brace) => brace + brace);
  return template.map((part) => (typeof part === 'number' ? column(part) : literal(part))).join('');
}

/** Returns the template for columns side by side. */
export function sideBySide(columns: readonly number[]): Template {
  return columns.flatMap((index, at) => (at === 0 ? [index] : [' ', index]));
}

/** Fills in the cells. Empty ones fall away with the blanks before them. Without any filled cell there is no text. */
export function filledTemplate(template: Template, cellOf: (index: number) => string): string {
  let text = '';
  let isFilled = !template.some((part) => typeof part === 'number');
  for (const part of template) {
    const piece = typeof part === 'number' ? cellOf(part).trim() : part;
    if (piece === '') text = text.trimEnd();
    else if (typeof part === 'number') isFilled = true;
    text += piece;
  }
  return isFilled ? text.trim() : '';
}
