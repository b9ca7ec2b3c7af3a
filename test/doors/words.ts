import { type Code, type ValueType, wireText } from '../../src/request/contract/codes.ts';
import { reasonOf } from '../../src/request/log/outcome.ts';
import { csvLine, escapeFormulas, unescapeFormulas } from '../../src/request/words/csv-text.ts';
import { shellWord } from '../../src/request/words/errors.ts';

/*
 * The door to how single texts are read and written: by spreadsheets, shells, services, and people who ask for reasons.
 */

export { csvLine, escapeFormulas, reasonOf, shellWord, unescapeFormulas };

/** Returns how a text goes to a service whose description allows these values of a field, or null if it does not. */
export const sentAs = (field: string, type: string, allowed: readonly Code[] | null, text: string): string | null =>
  wireText(field, type as ValueType, allowed)(text);
