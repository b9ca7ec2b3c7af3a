/** The operations of the service, in the order in which a partner calls them. */
export const OPERATION_NAMES = ['token', 'create', 'validate'] as const;

export type OperationName = (typeof OPERATION_NAMES)[number];

/** Those whose body holds a service request. They need a token, and the service may limit their rate. */
export const REQUEST_OPERATION_NAMES = ['create', 'validate'] as const satisfies readonly OperationName[];

export type RequestOperationName = (typeof REQUEST_OPERATION_NAMES)[number];
