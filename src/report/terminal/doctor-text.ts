import type { Diagnosis, Step } from '../../request/documents/diagnosis.ts';
import { duration, type Paint, printable } from '../output.ts';

const NAME_WIDTH = 9;

/**
 * Formats a diagnosis: one step per line with its hint below it, then the overall result. `next` is the command to
 * continue with if nothing failed.
 */
export function diagnosisText({ ok, steps }: Diagnosis, next: string, paint: Paint): string {
  const warned = steps.some(({ result }) => result === 'warn');
  const well = warned ? 'Nothing failed; see the warnings.' : 'Everything works.';
  const end = ok ? `${well} Next: ${next}` : 'Not ready: correct what failed.';
  return [...steps.flatMap((step) => stepLines(step, paint)), paint.bold(printable(end))].join('\n');
}

function stepLines({ name, result, ms, message, hint }: Step, paint: Paint): string[] {
  const took = result === 'skip' ? '' : ` ${paint.dim(`(${ms < 1000 ? `${ms} ms` : duration(ms)})`)}`;
  const text = printable(message);
  const marks = { ok: paint.green('✓'), warn: paint.yellow('!'), fail: paint.red('✗'), skip: paint.dim('-') };
  const line = `${marks[result]} ${name.padEnd(NAME_WIDTH)} ${result === 'skip' ? paint.dim(text) : text}${took}`;
  return [line, ...(hint === null ? [] : [`  ${paint.dim('→')} ${printable(hint).replaceAll(/ {4,}/g, '\n    ')}`])];
}
