import type * as z from 'zod/mini';
import type { ReadOnly } from '../contract/contract-schema.ts';
import type { DOCUMENTS } from './documents.ts';

/** The version of all documents. It is increased with every change that could break a program which reads them. */
export const SCHEMA_VERSION = 1;

/** The command line that prints a document. */
export type DocumentName = keyof typeof DOCUMENTS;

/** A document as the program builds it. */
export type DocumentOf<Name extends DocumentName> = ReadOnly<z.output<(typeof DOCUMENTS)[Name]>>;
