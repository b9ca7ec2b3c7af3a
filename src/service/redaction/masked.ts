import { type Contract, type Parameter, withRequestOperations } from '../../request/contract/contract-1.ts';
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
  return withRequestOperations(contract, ({ parameters, choices }) => ({
    parameters: parameters?.map(maskedParameter) ?? null,
    choices: choices.map((choice) =>
      choice.map(({ fields, constants }) => ({
        fields,
        constants: constants.map(({ path, value }) => {
          const holdsSecret = secretTexts(path.at(-1) ?? '', value).length > 0;
          return { path, value: holdsSecret ? REDACTED : value };
        }),
      })),
    ),
  }));
}

function maskedParameter(parameter: Parameter): Parameter {
  const { field, constant, audioForm } = parameter;
  if (field === 'country') return parameter;
  return {
    ...parameter,
    constant: constant === null ? null : REDACTED,
    values: null,
    type: 'string',
    audioForm: audioForm && 'base64',
  };
}
