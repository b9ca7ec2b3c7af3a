import { shellWord } from '../model/shell-word.ts';
import type { TracedCall } from '../model/traced-call.ts';
import { printable } from './output.ts';
import { clip } from './text-width.ts';

const HEADER_WIDTH = 200;
const MOST_HEADERS = 30;
const BODY_WIDTH = 2000;

/** A call as `curl -v` shows one, and a curl command that would repeat it; ends in a line feed. */
export function callText(call: TracedCall): string {
  const { method, url, headers, body, answer, failure, ms } = call;
  const end = answer
    ? [`< HTTP ${answer.status} in ${ms} ms`, ...part('<', answer.headers, answer.body)]
    : [`< no answer in ${ms} ms (${failure})`];
  return [`> ${method} ${printable(url)}`, ...part('>', headers, body), ...end, curlCommand(call), ''].join('\n');
}

function part(mark: string, headers: Readonly<Record<string, string>>, body: string): string[] {
  const shown = Object.entries(headers).slice(0, MOST_HEADERS);
  const lines = shown.map(([name, value]) => `${mark} ${clip(printable(`${name}: ${value}`), HEADER_WIDTH)}`);
  const bodies = body === '' ? [] : multipartBoundary(headers) === null ? [body] : body.trimEnd().split('\r\n');
  return [...lines, ...bodies.map((each) => `${mark} ${clip(printable(each), BODY_WIDTH)}`.trimEnd())];
}

/** To be completed by hand where it says `***`. */
function curlCommand({ method, url, headers, body }: TracedCall): string {
  const boundary = multipartBoundary(headers);
  const named = Object.entries(headers)
    .filter(([name]) => boundary === null || name !== 'content-type')
    .map(([name, value]) => `-H ${word(`${name}: ${value}`)}`);
  const data = boundary === null ? [`--data ${word(clip(printable(body), BODY_WIDTH))}`] : formFlags(body, boundary);
  return ['$ curl', '-X', method, word(url), ...named, ...data].join(' ');
}

/** What separates the parts of a body of several; null for any other. */
function multipartBoundary(headers: Readonly<Record<string, string>>): string | null {
  return /^multipart\/form-data; boundary=(\S+)$/.exec(headers['content-type'] ?? '')?.[1] ?? null;
}

/** curl makes the parts anew, with a boundary of its own. */
function formFlags(body: string, boundary: string): string[] {
  const parts = body.split(`--${boundary}\r\n`).slice(1);
  return parts.map((each) => {
    const [, name = '', value = ''] = /name="([^"]*)"[\s\S]*?\r\n\r\n([\s\S]*?)\r\n/.exec(each) ?? [];
    return `-F ${word(`${name}=${value}`)}`;
  });
}

const word = (text: string): string => shellWord(printable(text));
