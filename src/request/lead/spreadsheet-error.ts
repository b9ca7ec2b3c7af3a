/** The words of error values that end in a mark, in the languages of the markets, without accents. */
const MARKED: ReadonlySet<string> = new Set(
  [
    'NULL DIV/0 VALUE REF NAME NUM SPILL CALC FIELD BLOCKED UNKNOWN CONNECT BUSY EXTERNAL PYTHON ERROR',
    'WERT BEZUG ZAHL UBERLAUF KALK FELD BLOCKIERT UNBEKANNT VERBINDEN FEHLER',
    'NULO VALOR NOMBRE DESBORDAMIENTO CAMPO BLOQUEADO DESCONOCIDO CONECTAR',
    'NOME DESPEJAR DESCONHECIDO ERRO',
    'NUL VALEUR NOM NOMBRE PROPAGATION EPARS CHAMP BLOQUE INCONNU CONNEXION ERREUR',
    'NULLO VALORE RIF ESPANSIONE BLOCCATO SCONOSCIUTO CONNETTI ERRORE',
  ].flatMap((words) => words.split(' ')),
);

/** Matches the error values that have no mark behind them, and those that LibreOffice numbers. */
const UNMARKED = /^(?:#N\/[AD]|#NV|#GETTING_DATA|#DATEN_ABRUFEN|Err:\d{3})$/i;

/**
 * Tells whether a text is what a spreadsheet shows in place of the result of a formula that failed: `#N/A`, `#BEZUG!`,
 * `#¿NOMBRE?`.
 */
export function isErrorValue(text: string): boolean {
  if (UNMARKED.test(text)) return true;
  const word = /^#[¡¿]?([^\s#!?]{2,20})[!?]$/.exec(text)?.[1];
  return word !== undefined && MARKED.has(word.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase());
}

/** Returns the first error value among the words of a text that may be joined from several cells, or null. */
export function errorValueWithin(text: string): string | null {
  if (!/#|err:/i.test(text)) return null;
  return text.split(/[\s,;]+/).find(isErrorValue) ?? null;
}
