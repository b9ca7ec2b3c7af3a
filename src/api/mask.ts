const RAW_LIMIT_BYTES = 2048;
const MASK = '***';

/** Finds in a text what was sent, in the forms in which a service might repeat it. */
export class Mask {
  readonly #values: readonly string[];
  #pattern: RegExp | null = null;

  /** `values`: everything that was sent, secrets included. */
  constructor(values: readonly string[]) {
    this.#values = values.filter((value) => value.trim() !== '');
  }

  /** The text with every sent value replaced by `***`. */
  apply(text: string): string {
    return this.#values.length === 0 ? text : text.replace(this.#patternOfAll(), MASK);
  }

  /** Whether a short text is, or contains, a sent value or a word or number of it. */
  hides(text: string): boolean {
    const folded = text.toLowerCase();
    return this.#values.some((value) => {
      const lower = value.toLowerCase();
      if (folded === lower || (lower.length > 3 && folded.includes(lower))) return true;
      const digits = lower.replace(/\D/g, '');
      return (digits.length >= 6 && folded.includes(digits)) || wordsOf(lower).some((word) => folded.includes(word));
    });
  }

  /** Made when it is first needed: most answers need no masking. */
  #patternOfAll(): RegExp {
    if (!this.#pattern) {
      const forms = [...new Set(this.#values.flatMap(formsOf))].filter((form) => form.trim() !== '');
      // The longest first, so that a value which contains another one is masked whole.
      const longestFirst = forms.sort((a, b) => b.length - a.length);
      this.#pattern = new RegExp(longestFirst.map(asPattern).join('|'), 'giu');
    }
    return this.#pattern;
  }
}

/** At most 2 KiB of UTF-8, cut between characters. */
export function cutRaw(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= RAW_LIMIT_BYTES) return text;
  return bytes.subarray(0, RAW_LIMIT_BYTES).toString('utf8').replace(/�+$/u, '');
}

function formsOf(value: string): string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  const ascii = escaped.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const url = encodeURIComponent(value);
  const html = value.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
  const digits = value.replace(/\D/g, '');
  // A service may cut a long text, or greet by first name: lines and the words of short values count on their own.
  const lines = value.split(/[\r\n]+/, 50).filter((line) => line.length >= 4);
  return [
    value,
    escaped,
    ascii,
    url,
    url.replaceAll('%20', '+'),
    html,
    Buffer.from(value).toString('base64'),
    ...(digits.length >= 6 ? [digits] : []),
    ...(lines.length > 1 ? lines : []),
    ...wordsOf(value),
  ];
}

/** The words of a name or an address; those of a long text are too common to hide. */
function wordsOf(value: string): string[] {
  const words = value.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length >= 4);
  return words.length <= 6 ? words : [];
}

/** Short values (a country code) are only masked where they stand alone; else they would eat words apart. */
function asPattern(form: string): string {
  const literal = form.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
  return form.length > 3 ? literal : `(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`;
}
