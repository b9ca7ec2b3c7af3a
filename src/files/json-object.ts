import { isLosslessNumber, parse } from 'lossless-json';

/** One JSON object as a row. */
export interface FlatObject {
  /** The cells by column name. */
  readonly cells: ReadonlyMap<string, string>;
  /** The reason why it cannot be used, or null. */
  readonly problem: string | null;
}

/** Maximum depth of nesting. No request is nested deeper, and the limit bounds the recursion. */
const MAX_DEPTH = 20;

/** Names of values that are secrets of the exporting platform and must never leave the file. */
const SECRETS = new Set(['google_key']);

/**
 * Parses a JSON object and flattens it to cells. The names of nested values are joined by dots, and lists of plain
 * values by `, `. Numbers keep their exact text. Meta's `field_data` and Google's `user_column_data` lists of answers
 * become cells, too.
 */
export function flatObject(text: string): FlatObject {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    const twice = error instanceof Error && error.message.startsWith('Duplicate key');
    return { cells: new Map(), problem: twice ? 'names a key twice with different values' : 'is not valid JSON' };
  }
  if (!isObject(value)) return { cells: new Map(), problem: 'is not a JSON object' };
  const flattener = new Flattener();
  flattener.add('', value, 0);
  const isTest = 'user_column_data' in value && value['is_test'] === true;
  return { cells: flattener.cells, problem: isTest ? 'is a test lead: never sent' : flattener.problem };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);

/** Collects the cells of one object and the first problem found in it. */
class Flattener {
  readonly cells = new Map<string, string>();
  problem: string | null = null;

  add(name: string, value: unknown, depth: number): void {
    if (depth > MAX_DEPTH) this.problem ??= 'is nested too deeply';
    else if (isObject(value)) this.addObject(name, value, depth);
    else if (!Array.isArray(value)) this.set(name, plainText(value));
    else if (value.some((each) => isObject(each) || Array.isArray(each))) this.addList(name, value, depth);
    else this.set(name, value.map(plainText).join(', '));
  }

  private addObject(name: string, value: Record<string, unknown>, depth: number): void {
    for (const [key, each] of Object.entries(value)) {
      if (depth === 0 && SECRETS.has(key)) continue;
      if (depth === 0 && key === 'field_data' && Array.isArray(each)) this.addAnswers(each, 'name', 'values');
      else if (depth === 0 && key === 'user_column_data' && Array.isArray(each)) {
        this.addAnswers(each, 'column_id', 'string_value');
      } else this.add(name === '' ? key : `${name}.${key}`, each, depth + 1);
    }
  }

  private addList(name: string, values: readonly unknown[], depth: number): void {
    for (const [index, each] of values.entries()) this.add(`${name}.${index}`, each, depth + 1);
  }

  private addAnswers(answers: readonly unknown[], nameKey: string, valueKey: string): void {
    for (const answer of answers) {
      if (!isObject(answer) || typeof answer[nameKey] !== 'string') this.problem ??= 'has an answer without a name';
      else this.add(answer[nameKey], answer[valueKey] ?? '', 1);
    }
  }

  private set(name: string, text: string): void {
    const before = this.cells.get(name);
    if (before !== undefined && before !== text) this.problem ??= `has two values for "${name}"`;
    this.cells.set(name, text);
  }
}

function plainText(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}
