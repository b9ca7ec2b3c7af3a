import { type BodyEncoding, PATHS } from './wire.ts';

/** What the public document says of an operation, and what it is to srq. */
interface OperationFacts {
  readonly method: 'POST';
  /** Where the public document has it, under the base URL. */
  readonly path: string;
  /** How the public document lets its body travel. */
  readonly encodings: readonly BodyEncoding[];
  /** It is about one service request, which its body holds: it needs a token, and the service may limit its rate. */
  readonly carriesRequest: boolean;
  /** A call of it may leave something behind, so it is never repeated in doubt. */
  readonly writes: boolean;
  /** The member of a contract that says whether the service has the operation; null: every service has it. */
  readonly presence: 'hasValidate' | null;
}

/**
 * The operations of the service, each once. What differs from one to the other is here, in the contract that is learned of it
 * (`contract-schema.ts`), or in a `Record<OperationName, …>` of whoever learns, merges, encodes, reads or answers it: the
 * compiler asks for an operation that is added here in all of them.
 */
export const OPERATIONS = {
  token: {
    method: 'POST',
    path: PATHS.token,
    encodings: ['form'],
    carriesRequest: false,
    writes: false,
    presence: null,
  },
  create: {
    method: 'POST',
    path: PATHS.create,
    encodings: ['form', 'json'],
    carriesRequest: true,
    writes: true,
    presence: null,
  },
  validate: {
    method: 'POST',
    path: PATHS.validate,
    encodings: ['form', 'json'],
    carriesRequest: true,
    writes: false,
    presence: 'hasValidate',
  },
} as const satisfies Readonly<Record<keyof typeof PATHS, OperationFacts>>;

export type OperationName = keyof typeof OPERATIONS;

type NamesWhere<Fact> = {
  [Name in OperationName]: (typeof OPERATIONS)[Name] extends Fact ? Name : never;
}[OperationName];

/** The operations that carry a service request. */
export type RequestOperationName = NamesWhere<{ carriesRequest: true }>;

/** In the order in which a partner calls them. */
export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly OperationName[];

export const REQUEST_OPERATION_NAMES: readonly RequestOperationName[] = OPERATION_NAMES.filter(carriesRequest);

export function carriesRequest(name: OperationName): name is RequestOperationName {
  return OPERATIONS[name].carriesRequest;
}

/** What `make` makes of each of these operations, by the operation's name. */
export function byOperation<Name extends OperationName, Made extends Readonly<Record<Name, unknown>>>(
  names: readonly Name[],
  make: <Each extends Name>(name: Each) => Made[Each],
): { readonly [Each in Name]: Made[Each] } {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as { [Each in Name]: Made[Each] };
}
