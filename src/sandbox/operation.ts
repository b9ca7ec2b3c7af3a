/** What a client can ask of the sandbox. */
export const OPERATIONS = ['token', 'create', 'validate'] as const;
export type Operation = (typeof OPERATIONS)[number];
