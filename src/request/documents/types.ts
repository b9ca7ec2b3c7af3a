import type * as z from 'zod/mini';
import type { DOCUMENTS } from './documents.ts';

/** The version of all documents. It is increased with every change that could break a program which reads them. */
export const SCHEMA_VERSION = 1;

/** The command line that prints a document. */
export type DocumentName = keyof typeof DOCUMENTS;

/** A document as the program builds it. */
export type DocumentOf<Name extends DocumentName> = Deep<z.output<(typeof DOCUMENTS)[Name]>>;

/** Makes a type deeply read-only. */
type Deep<Value> = unknown extends Value
  ? Value
  : Value extends readonly (infer Item)[]
    ? readonly Deep<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Deep<Value[Name]> }
      : Value;
