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
}

/**
 * The operations of the service, each once: everything that differs from one to the other is here, in the contract that is
 * learned of it (`contract-schema.ts`), or in a `Record<OperationName, …>` of whoever encodes, reads, learns or answers
 * it. An operation that is added here is asked for by the compiler everywhere else.
 */
export const OPERATIONS = {
  token: { method: 'POST', path: PATHS.token, encodings: ['form'], carriesRequest: false },
  create: { method: 'POST', path: PATHS.create, encodings: ['form', 'json'], carriesRequest: true },
  validate: { method: 'POST', path: PATHS.validate, encodings: ['form', 'json'], carriesRequest: true },
} as const satisfies Readonly<Record<string, OperationFacts>>;

export type OperationName = keyof typeof OPERATIONS;

/** Those that carry a service request. */
export type RequestOperationName = {
  [Name in OperationName]: (typeof OPERATIONS)[Name]['carriesRequest'] extends true ? Name : never;
}[OperationName];

/** In the order in which a partner calls them. */
export const OPERATION_NAMES = Object.keys(OPERATIONS) as readonly OperationName[];

export const carriesRequest = (name: OperationName): name is RequestOperationName => OPERATIONS[name].carriesRequest;

export const REQUEST_OPERATION_NAMES: readonly RequestOperationName[] = OPERATION_NAMES.filter(carriesRequest);

/** The same made of each operation, by its name. */
export function forEachOperation<Names extends OperationName, Made>(
  names: readonly Names[],
  make: (name: Names) => Made,
): Record<Names, Made> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Names, Made>;
}
