import { randomInt } from 'node:crypto';
import { AUDIO_PARAMETER } from '../request/contract/wire.ts';
import type { ServiceRequest } from '../request/lead/service-request.ts';

const PERSONAL = new Set(['fullname', 'first_name', 'last_name']);
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
/** Number of last digits of a telephone number that are replaced. */
const OWN_DIGITS = 6;
const TEXT_WITHOUT_RECORDING = 'lorem ipsum dolor sit amet consectetur';

/**
 * Returns a request like this one that cannot exist at the service: of a customer who has sent nothing, with a text that
 * nobody has sent, or both. Its values have the lengths and the kinds of letters of the original, so that a service that
 * checks them takes it for a request like any other.
 */
export function invented(
  request: ServiceRequest,
  { customer, text }: { customer: boolean; text: boolean },
): ServiceRequest {
  const changed = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, other(name, value, { customer, text })]));
  const { [AUDIO_PARAMETER]: recording, ...params } = changed(request.params);
  const isRecorded = request.audio !== null || recording !== undefined;
  const texts = isRecorded && text ? { request_text: scrambled(TEXT_WITHOUT_RECORDING) } : {};
  const audio = isRecorded && !text ? { audio: request.audio } : { audio: null };
  return {
    ...request,
    ...audio,
    params: { ...params, ...texts },
    ...(request.parts ? { parts: changed(request.parts) } : {}),
  };
}

function other(name: string, value: string, { customer, text }: { customer: boolean; text: boolean }): string {
  if (name === 'request_text') return text ? scrambled(value) : value;
  if (!customer) return value;
  if (name === 'email')
    return value.replace(/^[^@]*/, (local) => scrambled(local.replace(/[^a-z]/gi, 'x').padEnd(8, 'x')));
  if (name === 'phone') return withOtherDigits(value);
  return PERSONAL.has(name) ? scrambled(value) : value;
}

/** Replaces every letter by a random one. */
function scrambled(text: string): string {
  return text.replace(/\p{L}/gu, (letter) => {
    const random = LETTERS.charAt(randomInt(LETTERS.length));
    return letter === letter.toLowerCase() ? random : random.toUpperCase();
  });
}

function withOtherDigits(phone: string): string {
  let left = OWN_DIGITS;
  const replaced = [...phone].reverse().map((each) => (/\d/.test(each) && left-- > 0 ? String(randomInt(10)) : each));
  return replaced.reverse().join('');
}
