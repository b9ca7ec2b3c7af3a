/** Matches error values of any language: capitals between `#` and a mark, as in `#DIV/0!`, `#BEZUG!` and `#¿NOMBRE?`. */
const MARKED = /^#[¡¿]?\p{Lu}[\p{Lu}\p{M}\d/]{1,19}[!?]$/u;

/** Matches the error values that have no mark behind them, and those that LibreOffice numbers. */
const UNMARKED = /^(?:#N\/[AD]|#NV|#GETTING_DATA|#DATEN_ABRUFEN|Err:\d{3})$/i;

/** Tells whether a text is what a spreadsheet shows in place of the result of a formula that failed. */
export function isErrorValue(text: string): boolean {
  return UNMARKED.test(text) || MARKED.test(text);
}

/** Returns the first error value among the words of a text that may be joined from several cells, or null. */
export function errorValueWithin(text: string): string | null {
  if (!/#|err:/i.test(text)) return null;
  return text.split(/[\s,;]+/).find(isErrorValue) ?? null;
}
