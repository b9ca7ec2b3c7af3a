import { type BodyEncoding, PATHS } from '../../request/contract/wire.ts';

/** The facts about an operation: what the public document says about it, and its role in srq. */
interface OperationFacts {
  readonly method: 'POST';
  /** The path in the public document, under the base URL. */
  readonly path: string;
  /** The body encodings that the public document allows. */
  readonly encodings: readonly BodyEncoding[];
  /** Whether the body holds a service request. Such an operation needs a token, and the service may limit its rate. */
  readonly carriesRequest: boolean;
  /** The member of a contract that says whether the service has the operation, or null if every service has it. */
  readonly presence: 'hasValidate' | null;
}

/**
 * The operations of the service. Everything in which they differ is here, in the learned contract
 * (`contract-schema.ts`), or in a `Record<OperationName, …>` of a module that learns, merges, encodes, reads or answers
 * them, so that the compiler demands an entry for a new operation in all of them.
 */
export const OPERATIONS = {
  token: {
    method: 'POST',
    path: PATHS.token,
    encodings: ['form'],
    carriesRequest: false,
    presence: null,
  },
  create: {
    method: 'POST',
    path: PATHS.create,
    encodings: ['form', 'json'],
    carriesRequest: true,
    presence: null,
  },
  validate: {
    method: 'POST',
    path: PATHS.validate,
    encodings: ['form', 'json'],
    carriesRequest: true,
    presence: 'hasValidate',
  },
} as const satisfies Readonly<Record<keyof typeof PATHS, OperationFacts>>;

export type OperationName = keyof typeof OPERATIONS;

type NamesWhere<Fact> = {
  [Name in OperationName]: (typeof OPERATIONS)[Name] extends Fact ? Name : never;
}[OperationName];

export type RequestOperationName = NamesWhere<{ carriesRequest: true }>;

/** The names of the operations in the order in which a partner calls them. */
export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly OperationName[];

export const REQUEST_OPERATION_NAMES: readonly RequestOperationName[] = OPERATION_NAMES.filter(carriesRequest);

export function carriesRequest(name: OperationName): name is RequestOperationName {
  return OPERATIONS[name].carriesRequest;
}

/** Builds an object with the result of `make` for each of these operations, by the operation's name. */
export function byOperation<Name extends OperationName, Made extends Readonly<Record<Name, unknown>>>(
  names: readonly Name[],
  make: <Each extends Name>(name: Each) => Made[Each],
): { readonly [Each in Name]: Made[Each] } {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as { [Each in Name]: Made[Each] };
}

/**
 * Returns the operations whose descriptions a request must satisfy before it is created, depending on whether validate
 * is used.
 */
export function operationsOf({ validate }: { readonly validate: boolean }): readonly RequestOperationName[] {
  return validate ? ['create', 'validate'] : ['create'];
}
