import type { Market } from '../request/lead/markets.ts';
import { marketOfNumber } from '../request/lead/phone.ts';
import type { Mapping, Row } from '../request/lead/table.ts';
import type { ProblemExample, ProblemGroup } from '../request/log/import-plan.ts';
import { shellWord } from '../request/words/errors.ts';
import { absenceMessage, fieldsThatGive, type Problem } from '../request/words/finding.ts';
import { mapRow } from './prepare.ts';

/** Maximum number of groups. A partner's description can make a kind of problem for each of its parameters. */
const MAX_GROUPS = 500;

/** Maximum number of rows that a group keeps as examples. */
const MAX_EXAMPLES = 3;

/** Maximum number of rows that are examined for the country that they lack. */
const MAX_CLUES = 200;

interface Group {
  readonly problem: Problem;
  rows: number;
  readonly examples: ProblemExample[];
  /** Rows that may lack a country. */
  readonly clues: Row[];
}

/**
 * Collects the problems of an import's rows in bounded memory, in groups of one kind and column. If no column gives a
 * field, that is one problem of the plan, regardless of how many rows lack the field.
 */
export class FindingGroups {
  readonly #mapping: Mapping;
  readonly #given: ReadonlySet<string>;
  readonly #groups = new Map<string, Group>();

  constructor(mapping: Mapping) {
    this.#mapping = mapping;
    this.#given = new Set([...mapping.sources.map(({ field }) => field), ...Object.keys(mapping.parts)]);
  }

  add(row: Row, problems: readonly Problem[]): void {
    for (const problem of problems) {
      const group = this.#groupOf(problem);
      if (group === null) continue;
      const { examples, clues } = group;
      group.rows += 1;
      if (examples.length < MAX_EXAMPLES) examples.push({ row: row.number, value: problem.value });
      if (problem.field === 'country' && clues.length < MAX_CLUES) clues.push(row);
    }
  }

  /** Returns the groups, those that make rows invalid first. */
  all(): readonly ProblemGroup[] {
    const told = [...this.#groups.values()].map((group) => this.#told(group));
    return told.sort((a, b) => rank(a) - rank(b) || b.rows - a.rows);
  }

  /** Returns the group of a problem. Messages that differ only in numbers, such as lengths, share a group. */
  #groupOf(problem: Problem): Group | null {
    const { code, field, column, message } = problem;
    const name = `${code} ${field} ${column} ${message.replace(/\d+/g, '#')}`;
    const known = this.#groups.get(name);
    if (known || this.#groups.size >= MAX_GROUPS) return known ?? null;
    const group: Group = { problem, rows: 0, examples: [], clues: [] };
    this.#groups.set(name, group);
    return group;
  }

  #told(group: Group): ProblemGroup {
    const { code, severity, field, column, message } = group.problem;
    const fields = fieldsThatGive(group.problem);
    const isOfPlan = fields.length > 0 && !fields.some((each) => this.#given.has(each));
    return {
      ...{ code, severity, field, column, rows: group.rows, isOfPlan },
      message: isOfPlan ? `${absenceMessage(group.problem)}.` : message,
      examples: isOfPlan ? [] : group.examples,
      mend: fields.length > 0 ? mendOf(group, this.#mapping) : null,
    };
  }
}

function rank({ severity, isOfPlan }: ProblemGroup): number {
  return (severity === 'error' ? 0 : 2) + (isOfPlan ? 0 : 1);
}

/** Returns what to add to the command for a field that is missing, or null if nothing certain was found. */
function mendOf({ problem, clues }: Group, mapping: Mapping): string | null {
  const { field, column } = problem;
  const { missed, columns } = mapping;
  const proposed = field === 'country' ? proposedMarket(mapping, clues) : null;
  const set = proposed && `--set country=${proposed.code} (by the telephone numbers)`;
  // A value that is set fills the empty cells of the column, and leaves the others unchanged.
  if (column !== null)
    return set && columns.indexOf(column) === columns.lastIndexOf(column)
      ? `For the empty cells, add: ${mapFlag(column, 'country')} ${set}`
      : null;
  const found = fieldsThatGive(problem).flatMap((each) => {
    const index = missed.find((unused) => unused.field === each)?.index;
    return index === undefined ? [] : [mapFlag(columns[index] ?? '', each)];
  });
  if (found.length > 0) return `Add: ${found.join(' ')}`;
  if (field !== 'country') return null;
  return set
    ? `Add: ${set}`
    : 'If all rows are of one country, add its code, such as: --set country=PT (srq markets lists them)';
}

function mapFlag(column: string, field: string): string {
  const pair = `${column}=${field}`;
  // Double quotes are preferred, because the shells of Windows understand them as well.
  return `--map ${/^[^"$`\\!%]+$/.test(pair) ? `"${pair}"` : shellWord(pair)}`;
}

/** Returns the market of all telephone numbers that have a country code, or null if they are of several, or none has one. */
function proposedMarket(mapping: Mapping, rows: readonly Row[]): Market | null {
  const told = new Set(rows.flatMap((row) => marketOfNumber(mapRow(row, mapping).fields['phone'] ?? '') ?? []));
  const [market, ...others] = told;
  return market && others.length === 0 ? market : null;
}
