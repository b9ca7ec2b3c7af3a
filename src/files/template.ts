/**
 * The parts of a text with columns: literal texts, and the index of each `{Column}`. `{{` and `}}` are the braces
 * themselves; a brace that opens no column is a letter.
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
