import type { TracedCall } from '../../request/ports.ts';
import { shellWord } from '../../request/words/errors.ts';
import { clip, printable } from '../output.ts';

const HEADER_WIDTH = 200;
const MAX_HEADERS = 30;
const BODY_WIDTH = 2000;

/** Formats a call as `curl -v` does, with a curl command that would repeat it. The text ends in a line feed. */
export function callText(call: TracedCall): string {
  const { method, url, headers, body, answer, failure, ms } = call;
  const end = answer
    ? [`< HTTP ${answer.status} in ${ms} ms`, ...part('<', answer.headers, answer.body)]
    : [`< no answer in ${ms} ms (${failure})`];
  return [`> ${method} ${printable(url)}`, ...part('>', headers, body), ...end, curlCommand(call), ''].join('\n');
}

function part(mark: string, headers: Readonly<Record<string, string>>, body: string): string[] {
  const shown = Object.entries(headers).slice(0, MAX_HEADERS);
  const lines = shown.map(([name, value]) => `${mark} ${clip(printable(`${name}: ${value}`), HEADER_WIDTH)}`);
  const bodies = body === '' ? [] : multipartBoundary(headers) === null ? [body] : body.trimEnd().split('\r\n');
  return [...lines, ...bodies.map((each) => `${mark} ${clip(printable(each), BODY_WIDTH)}`.trimEnd())];
}

/** Returns a curl command that repeats the call. Redacted values (`***`) have to be filled in by hand. */
function curlCommand({ method, url, headers, body }: TracedCall): string {
  const boundary = multipartBoundary(headers);
  const named = Object.entries(headers)
    .filter(([name]) => boundary === null || name !== 'content-type')
    .map(([name, value]) => `-H ${word(`${name}: ${value}`)}`);
  const data = boundary === null ? [`--data ${word(clip(printable(body), BODY_WIDTH))}`] : formFlags(body, boundary);
  return ['$ curl', '-X', method, word(url), ...named, ...data].join(' ');
}

/** Returns the boundary of a multipart body (RFC 2046), or null for any other body. */
function multipartBoundary(headers: Readonly<Record<string, string>>): string | null {
  return /^multipart\/form-data; boundary=(\S+)$/.exec(headers['content-type'] ?? '')?.[1] ?? null;
}

/** Returns a `-F` flag for each part of a multipart body. curl builds the body again, with a boundary of its own. */
function formFlags(body: string, boundary: string): string[] {
  const parts = body.split(`--${boundary}\r\n`).slice(1);
  return parts.map((each) => {
    const [, name = '', value = ''] = /name="([^"]*)"[\s\S]*?\r\n\r\n([\s\S]*?)\r\n/.exec(each) ?? [];
    return `-F ${word(`${name}=${value}`)}`;
  });
}

const word = (text: string): string => shellWord(printable(text));
