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
  return [...lines, ...(body === '' ? [] : [`${mark} ${clip(printable(body), BODY_WIDTH)}`])];
}

/** To be completed by hand where it says `***`. */
function curlCommand({ method, url, headers, body }: TracedCall): string {
  const named = Object.entries(headers).map(([name, value]) => `-H ${word(`${name}: ${value}`)}`);
  return ['$ curl', '-X', method, word(url), ...named, '--data', word(clip(printable(body), BODY_WIDTH))].join(' ');
}

const word = (text: string): string => shellWord(printable(text));
