import type { CreateCall } from '../request/contract/contract.ts';
import { objectOf, textOf } from '../request/contract/json.ts';
import { SrqError, shellWord } from '../request/words/errors.ts';
import { type ApiOperation, IDEMPOTENT } from './document.ts';
import type { GivenValues } from './given.ts';

/** An idempotency key is trusted by a person's word alone. What the description says of it is quoted, not believed. */
export function againOf({ parameters, value }: ApiOperation, values: GivenValues): CreateCall['again'] {
  const parameter = parameters.find(
    (each) => each['in'] === 'header' && IDEMPOTENT.test(textOf(each['name'])) && each['deprecated'] !== true,
  );
  if (parameter === undefined) return null;
  const header = textOf(parameter['name']);
  const said = values.of(`header ${header}`, header);
  const uuid = textOf(objectOf(parameter['schema'])['format']) === 'uuid';
  const unheeded = parameter['required'] === true ? { header, hours: 0, uuid } : null;
  if (said !== undefined) {
    const hours = hoursIn(header, said);
    return hours === undefined ? unheeded : { header, hours, uuid };
  }
  const quoted = (textOf(parameter['description']) || textOf(value['description'] ?? value['summary'])).slice(0, 500);
  values.ask({
    name: `idempotency:${header}`,
    text:
      `The operation takes the header ${header}. ${quoted === '' ? 'The description says no more.' : `The description says: "${quoted}"`} ` +
      'Does the service recognise a repeated create by it, and for how many hours? If you say so and it does not, a request may be created twice.',
    answer: `--set ${shellWord(`${header}=24h`)}`,
    unanswered: 'no',
  });
  return unheeded;
}

/** Returns the hours, null for "yes" without a time, or undefined for "no". */
function hoursIn(header: string, said: string): number | null | undefined {
  const text = said.trim().toLowerCase();
  if (/^(?:no?|none)$/.test(text)) return undefined;
  if (/^y(?:es)?$/.test(text)) return null;
  const [, count = '', unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?) ?(h|hours?|min|minutes?|d|days?)$/.exec(text) ?? [];
  const hours = Number(count) * (unit.startsWith('d') ? 24 : unit.startsWith('m') ? 1 / 60 : 1);
  if (hours > 0) return hours;
  throw new SrqError(
    'parameter.not-allowed',
    `"${said}" does not say whether a repeated create is recognised by ${header}.`,
    `Say for how long, yes, or no: --set ${shellWord(`${header}=24h`)}`,
  );
}
