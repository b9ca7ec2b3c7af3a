import type { Market } from './markets.ts';

const SPOKEN = ['en', 'pt', 'es', 'de', 'fr', 'it'];
const displayNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/** `português`, `German`, `allemand` → code, for the languages of the markets. */
const byName = new Map(
  SPOKEN.flatMap((inLanguage) => {
    const names = new Intl.DisplayNames([inLanguage], { type: 'language' });
    return SPOKEN.map((code) => [(names.of(code) ?? code).toLowerCase(), code] as const);
  }),
);

/** A language as it goes on the wire, and whether it is one that anybody knows. */
export interface Language {
  readonly code: string;
  readonly known: boolean;
}

/** Reads `pt`, `PT_pt`, `pt-BR` or a language's name. What is neither is given back as it is, not known. */
export function parseLanguage(text: string): Language {
  const tidy = text.trim().replaceAll('_', '-');
  const named = byName.get(tidy.toLowerCase());
  if (named) return { code: named, known: true };
  try {
    const locale = new Intl.Locale(tidy);
    return { code: locale.toString(), known: displayNames.of(locale.language) !== undefined };
  } catch {
    return { code: text.trim(), known: false };
  }
}

/** The one language that requests of a market are usually in; null where there are several and srq does not choose. */
export function usualLanguage(market: Market): string | null {
  return market.languages.length === 1 ? (market.languages[0] ?? null) : null;
}
