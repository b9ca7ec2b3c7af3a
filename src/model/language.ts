import { LANGUAGES } from './markets.ts';

/** Made when the first cell is looked up: most files have no language. */
let names: LanguageNames | null = null;

interface LanguageNames {
  /** `português`, `German`, `allemand` → code, for the languages of the markets. */
  readonly codes: ReadonlyMap<string, string>;
  readonly english: Intl.DisplayNames;
}

function languageNames(): LanguageNames {
  const codes = LANGUAGES.flatMap((inLanguage) => {
    const spoken = new Intl.DisplayNames([inLanguage], { type: 'language' });
    return LANGUAGES.map((code) => [(spoken.of(code) ?? code).toLowerCase(), code] as const);
  });
  return { codes: new Map(codes), english: new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' }) };
}

/** A language as it goes on the wire, and whether it is one that anybody knows. */
export interface Language {
  readonly code: string;
  readonly known: boolean;
}

/** Reads `pt`, `PT_pt`, `pt-BR` or a language's name. What is neither is given back as it is, not known. */
export function parseLanguage(text: string): Language {
  const tidy = text.trim().replaceAll('_', '-');
  names ??= languageNames();
  const named = names.codes.get(tidy.toLowerCase());
  if (named) return { code: named, known: true };
  try {
    const locale = new Intl.Locale(tidy);
    return { code: locale.toString(), known: names.english.of(locale.language) !== undefined };
  } catch {
    return { code: text.trim(), known: false };
  }
}
