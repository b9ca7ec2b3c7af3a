import type { Call, Contract, Json } from '../../request/contract/contract.ts';
import { readPlace } from '../../request/contract/place.ts';
import type { ServiceRequest } from '../../request/lead/service-request.ts';
import { secretTexts } from '../../request/words/names.ts';
import { REDACTED } from './redactor.ts';

/** Returns the request with `***` for every value but the market, so that it can be encoded and shown. */
export function maskedRequest({ params, parts, audio, ref }: ServiceRequest): ServiceRequest {
  return {
    params: masked(params),
    ...(parts && { parts: masked(parts) }),
    audio: audio && { ...audio, path: REDACTED, mediaType: audio.mediaType && REDACTED },
    ref: ref && REDACTED,
  };
}

function masked(values: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(values).map(([name, value]) => [name, name === 'country' ? value : REDACTED]);
  return Object.fromEntries(entries);
}

/** Returns the contract as it encodes masked requests: without constants that may be keys, and `***` is allowed. */
export function maskedContract(contract: Contract): Contract {
  const { create, validate } = contract;
  return {
    ...contract,
    create: { ...create, ...maskedCall(create) },
    validate: validate && { ...validate, ...maskedCall(validate) },
  };
}

function maskedCall({
  fields,
  always,
  when,
  audio,
  schema,
}: Call): Pick<Call, 'always' | 'when' | 'codes' | 'audio' | 'schema'> {
  const withoutSecrets = (values: Call['always']) =>
    Object.fromEntries(
      Object.entries(values).map(([place, value]): [string, Json] => {
        const isSecret = secretTexts(readPlace(place).path.at(-1) ?? '', value).length > 0;
        return [place, isSecret ? REDACTED : value];
      }),
    );
  return {
    always: Object.fromEntries(
      Object.entries(always).map(([place, value]) => [place, fields[place] === 'country' ? value : REDACTED]),
    ),
    when: Object.fromEntries(Object.entries(when).map(([field, values]) => [field, withoutSecrets(values)])),
    codes: {},
    audio: audio === 'binary' ? 'base64' : audio,
    // Without a schema every text is written as it is. Whether there is one decides what is sent without a place.
    schema: schema === null ? null : {},
  };
}
