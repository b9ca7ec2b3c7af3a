/** Maximum length of a cell that is examined. A longer cell holds something else. */
const MAX_LETTERS = 30;

/**
 * What people write where there is no telephone number or e-mail address. Only the letters are kept.
 */
const NONE: ReadonlySet<string> = new Set(
  [
    'na nil none no null unknown notavailable notprovided notgiven notknown nophone noemail nonumber',
    'ka keine keiner kein keineangabe keineangaben nichtangegeben nichtbekannt nichtvorhanden unbekannt',
    'nd nt sn sd st se ninguno ninguna notiene sintelefono sincorreo sinemail sinnumero sindato sindatos desconocido nodisponible',
    'ni nc nenhum nenhuma naotem naoinformado naodisponivel semtelefone sememail semnumero desconhecido',
    'nr aucun aucune neant inconnu nonrenseigne noncommunique pasdetelephone pasdemail pasdemel sansobjet',
    'nessuno nessuna sconosciuto nondisponibile nonpresente nonfornito',
    'geen geentelefoon geenmail onbekend nvt brak niepodano nieznany ingen okand ukendt ukjent saknas mangler eiole',
  ].flatMap((words) => words.split(' ')),
);

/**
 * Tells whether a cell for a telephone number or an e-mail address says that there is none: `n/a`, `-`, `keine Angabe`.
 * Such a cell contains neither a digit nor an @. The result means nothing for other fields, where the same words may be
 * a real value.
 */
export function saysNone(cell: string): boolean {
  if (/[\d@]/.test(cell) || cell.length > MAX_LETTERS) return false;
  const text = cell.trim();
  if (text === '') return false;
  const letters = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
  return letters === '' || NONE.has(letters);
}

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
