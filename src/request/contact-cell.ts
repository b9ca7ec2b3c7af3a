/** Maximum length of what is looked at. Longer cells hold something else. */
const MAX_LETTERS = 30;

/** What people write in six languages where there is no telephone number or e-mail address, as letters alone. */
const NONE: ReadonlySet<string> = new Set(
  [
    'na nil none no null unknown notavailable notprovided notgiven notknown nophone noemail nonumber',
    'ka keine keiner kein keineangabe keineangaben nichtangegeben nichtbekannt nichtvorhanden unbekannt',
    'nd nt sn sd st se ninguno ninguna notiene sintelefono sincorreo sinemail sinnumero sindato sindatos desconocido nodisponible',
    'ni nc nenhum nenhuma naotem naoinformado naodisponivel semtelefone sememail semnumero desconhecido',
    'nr aucun aucune neant inconnu nonrenseigne noncommunique pasdetelephone pasdemail pasdemel sansobjet',
    'nessuno nessuna sconosciuto nondisponibile nonpresente nonfornito',
  ].flatMap((words) => words.split(' ')),
);

/** Tells whether a field is a telephone number or an e-mail address. */
export function isContactField(field: string): field is 'phone' | 'email' {
  return field === 'phone' || field === 'email';
}

/**
 * Tells whether a cell for a telephone number or an e-mail address says that there is none: `n/a`, `-`, `keine Angabe`. Such
 * a cell holds neither a digit nor an @. Of other cells it tells nothing, for there the same word may be meant.
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

/** Takes off the commas and semicolons behind a number or an address, which are left of a list or of another file. */
export function withoutTrailingMarks(cell: string): string {
  const text = cell.trimEnd();
  return /[;,]$/.test(text) ? text.replace(/[;,\s]+$/, '') : cell;
}
