import type { Contract, Operation } from '../model/contract.ts';
import { identityOf } from './request-content.ts';
import type { ServiceInterface } from './service-interface.ts';

/**
 * What validate compares requests by: the values of the fields that both operations take, whatever each calls them.
 * Constants are no part of it.
 */
export function likenessOf({ create, validate }: Contract): ServiceInterface['likeness'] {
  const ownHeader = create.idempotency?.header;
  const fieldOf = { create: fieldNamer(create, validate), validate: fieldNamer(validate, create) };
  return (operation, { params, audio, key }) => {
    if (operation === 'token') return key;
    const named = Object.entries(params).flatMap(([path, text]) => {
      const field = path === ownHeader ? null : fieldOf[operation](path);
      return field === null ? [] : [[field, text] as const];
    });
    return identityOf(named, takesAudio(create) && takesAudio(validate) ? audio : null);
  };
}

const takesAudio = ({ parameters }: Operation): boolean =>
  parameters === null || parameters.some(({ field }) => field === 'audio_file');

/** The field that a wire path stands for; null for what is not compared. What is not described goes by its last name. */
function fieldNamer(operation: Operation, other: Operation): (path: string) => string | null {
  const fields = new Map<string, string | null>();
  const others = other.parameters && new Set(other.parameters.map(({ field }) => field));
  for (const { path, field, constant, in: place } of operation.parameters ?? []) {
    const isCompared = constant === null && place !== 'header' && (others?.has(field) ?? true);
    fields.set(path.join('.'), isCompared ? field : null);
  }
  const chosen = operation.choices.flat().flatMap(({ constants }) => constants);
  for (const { path } of chosen) fields.set(path.join('.'), null);
  return (path) => {
    // A list's element stands for the list.
    const bare = path.replace(/\.\d+$/, '');
    const field = fields.get(path) ?? fields.get(bare);
    return field === undefined ? (bare.split('.').at(-1) ?? bare) : field;
  };
}
