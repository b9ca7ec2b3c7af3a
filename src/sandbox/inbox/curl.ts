import type { KeptExchange } from '../records/exchange.ts';

/**
 * Maximum length of a body that the curl command contains. A longer body, or one that no shell can hold, is fetched
 * from the sandbox.
 */
const MAX_WRITTEN_BYTES = 4096;
const PLAIN_TEXT = /^[^\x00-\x08\x0b-\x1f\x7f-\x9f]*$/;
/** Headers that curl sets itself. */
const OWN_HEADERS = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding']);

/**
 * Returns a request as a curl command for a POSIX shell, or null if its body was not kept. A bearer token is taken from
 * the variable `TOKEN`, and other secrets stay redacted.
 */
export function curlCommand({ method, path, headers, body }: KeptExchange, number: number): string | null {
  if (body === null) return null;
  const host = headers.find(([name]) => name.toLowerCase() === 'host')?.[1] ?? '127.0.0.1';
  const own = headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  const isWritten = body.length <= MAX_WRITTEN_BYTES && isPlainText(body);
  const data = isWritten ? `--data-raw ${quoted(body.toString('utf8'))}` : '--data-binary @-';
  const parts = [
    `curl -g -X ${quoted(method)} ${quoted(`http://${host}${path}`)}`,
    ...own.map(([name, value]) => `-H ${header(name, value)}`),
    ...(body.length === 0 ? [] : [data]),
  ];
  const command = parts.join(' \\\n  ');
  return isWritten ? command : `curl -s ${quoted(`http://${host}/_sandbox/requests/${number}/body`)} | ${command}`;
}

function isPlainText(body: Buffer): boolean {
  const text = body.toString('utf8');
  return PLAIN_TEXT.test(text) && Buffer.from(text).equals(body);
}

function header(name: string, value: string): string {
  const isToken = name.toLowerCase() === 'authorization' && /^Bearer /i.test(value);
  return isToken ? `"${name}: Bearer $TOKEN"` : quoted(`${name}: ${value}`);
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
