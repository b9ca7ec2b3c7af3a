/**
 * Parses a template into its parts: literal texts, and the index of each `{Column}`. `{{` and `}}` stand for the braces
 * themselves, and a brace that does not begin a column is an ordinary character.
 */
export function parseTemplate(text: string, indexOf: (column: string) => number): (string | number)[] {
  const parts: (string | number)[] = [];
  let literal = '';
  for (const [piece, column] of text.matchAll(/\{\{|\}\}|\{([^{}]+)\}|[^{}]+|[{}]/g)) {
    if (column === undefined) {
      literal += piece === '{{' ? '{' : piece === '}}' ? '}' : piece;
    } else {
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(indexOf(column));
    }
  }
  if (literal !== '') parts.push(literal);
  return parts;
}
