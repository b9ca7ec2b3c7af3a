/** Maximum depth of JSON that is indented. Deeper JSON would be mostly blanks. */
const MAX_DEPTH = 50;

const JSON_TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Indents JSON without reading its numbers, because identifiers of 20 digits must stay as they are. Returns null for
 * anything else, such as JSON that was cut.
 */
export function indentedJson(body: string): string | null {
  if (!isJson(body)) return null;
  let depth = 0;
  let text = '';
  let before = '';
  for (const [token] of body.matchAll(JSON_TOKENS)) {
    const isEnd = token === '}' || token === ']';
    if (isEnd) depth -= 1;
    const isFirst = before === '{' || before === '[';
    const breaks = before === ',' || (isFirst ? !isEnd : isEnd);
    text += (breaks ? `\n${'  '.repeat(depth)}` : before === ':' ? ' ' : '') + token;
    if (token === '{' || token === '[') depth += 1;
    if (depth > MAX_DEPTH) return null;
    before = token;
  }
  return text;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
