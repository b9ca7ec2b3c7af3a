// Stands in for request/contract/contract.ts until that has version 2.
export type { Authorization, Json, Question, ServerSuggestion, TokenOperation } from '../request/contract/contract.ts';

import type {
  Authorization,
  Json,
  ServerSuggestion,
  TokenOperation,
  VerdictRule,
} from '../request/contract/contract.ts';
export interface SampleAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Json;
}
export interface Call {
  readonly call: string;
  readonly as: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly always: Readonly<Record<string, Json>>;
  readonly when: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly codes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly audio: 'base64' | 'data-url' | 'binary';
  readonly schema: Json;
  readonly answers: { readonly success: SampleAnswer | null; readonly refusal: SampleAnswer | null };
  readonly reads: {
    readonly id: readonly string[];
    readonly duplicate: readonly VerdictRule[];
    readonly error: readonly string[];
  };
}
export interface Guess {
  readonly operation: 'create' | 'validate' | 'token';
  readonly place: string;
  readonly value: string;
  readonly why: string;
}
export interface Contract {
  readonly version: 2;
  readonly source: {
    readonly file: string;
    readonly title: string;
    readonly kind: string;
    readonly learnedAt: string;
  } | null;
  readonly create: Call & {
    readonly again: { readonly header: string; readonly hours: number | null; readonly uuid: boolean } | null;
  };
  readonly validate: Call | null;
  readonly token: TokenOperation;
  readonly auth?: Authorization;
  readonly unavailableIsNotActed: boolean;
  readonly servers: readonly ServerSuggestion[];
  readonly guesses: readonly Guess[];
}
export const writePlace = ({
  in: where,
  path,
}: {
  readonly in: 'body' | 'header' | 'query';
  readonly path: readonly string[];
}): string => {
  if (where !== 'body') return `${where} ${path[0] ?? ''}`;
  const place = path.map((name) => name.replace(/[.\\]/g, '\\$&')).join('.');
  return /^(?:body|header|query) /.test(place) ? `body ${place}` : place;
};
