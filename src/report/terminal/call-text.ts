import type { TracedCall } from '../../request/ports.ts';
import { clip, printable } from '../output.ts';

const HEADER_WIDTH = 200;
const MAX_HEADERS = 30;
const BODY_WIDTH = 2000;

/** Formats a call as `curl -v` does. The text ends in a line feed. */
export function callText(call: TracedCall): string {
  const { method, url, headers, body, answer, failure, ms } = call;
  const end = answer
    ? [`< HTTP ${answer.status} in ${ms} ms`, ...part('<', answer.headers, answer.body)]
    : [`< no answer in ${ms} ms (${failure})`];
  return [`> ${method} ${printable(url)}`, ...part('>', headers, body), ...end, ''].join('\n');
}

function part(mark: string, headers: Readonly<Record<string, string>>, body: string): string[] {
  const shown = Object.entries(headers).slice(0, MAX_HEADERS);
  const lines = shown.map(([name, value]) => `${mark} ${clip(printable(`${name}: ${value}`), HEADER_WIDTH)}`);
  // Each line of a body with several parts (RFC 2046) is shown.
  const hasParts = headers['content-type']?.startsWith('multipart/form-data;');
  const bodies = body === '' ? [] : hasParts ? body.trimEnd().split('\r\n') : [body];
  return [...lines, ...bodies.map((each) => `${mark} ${clip(printable(each), BODY_WIDTH)}`.trimEnd())];
}
