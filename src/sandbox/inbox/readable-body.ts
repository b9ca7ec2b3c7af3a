/**
 * Maximum length of a form's value that is shown whole. A recording in base64 would push all other values out of sight.
 */
const MAX_VALUE_LENGTH = 400;
/** Maximum depth of JSON that is indented. Deeper JSON would be mostly blanks. */
const MAX_DEPTH = 50;

/**
 * Formats a body for people: JSON with one member per line, and forms decoded with one parameter per line. Returns null
 * for anything else, such as JSON that was cut. This code runs in the browser.
 */
export function readableBody(contentType: string, body: string): string | null {
  const [type = ''] = contentType.toLowerCase().split(';');
  if (type.trim() === 'application/x-www-form-urlencoded') return linesOf([...new URLSearchParams(body)]);
  if (type.trim() === 'multipart/form-data') return partsText(contentType, body);
  return indentedJson(body);
}

function linesOf(pairs: readonly (readonly [name: string, value: string])[]): string {
  return pairs.map(([name, value]) => `${name} = ${shortened(value).replaceAll('\n', '\n  ')}`).join('\n');
}

function shortened(value: string): string {
  if (value.length <= MAX_VALUE_LENGTH) return value;
  return `${value.slice(0, MAX_VALUE_LENGTH)}… (${value.length.toLocaleString('en-US')} characters)`;
}

/** Formats the parts of a multipart form. The content of a file is not text, so only its name and type are shown. */
function partsText(contentType: string, body: string): string | null {
  const boundary = /boundary="?([^";]+)/i.exec(contentType)?.[1];
  if (boundary === undefined) return null;
  const parts = body.split(`--${boundary}`).slice(1);
  const pairs = parts.flatMap((part) => {
    const [, head = '', value = ''] = /^\r?\n(.*?)\r?\n\r?\n(.*?)(?:\r?\n)?$/s.exec(part) ?? [];
    const name = /[; ]name="([^"]*)"/i.exec(head)?.[1];
    const file = /filename="([^"]*)"/i.exec(head)?.[1];
    if (name === undefined) return [];
    const kind = /^content-type: *(.*)$/im.exec(head)?.[1]?.trim() ?? 'no media type';
    return [[name, file === undefined ? value : `the file ${file} (${kind})`] as const];
  });
  return pairs.length === 0 ? null : linesOf(pairs);
}

const JSON_TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Indents JSON without reading its numbers, because identifiers of 20 digits must stay as they are. */
function indentedJson(body: string): string | null {
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
