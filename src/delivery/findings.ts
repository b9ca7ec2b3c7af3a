import { absenceMessage, adviceOn, type FindingCode, fieldsThatGive, type Problem } from '../request/finding.ts';
import type { ImportPlan, ProblemExample, ProblemGroup, RowProblem } from '../request/import-plan.ts';
import type { Mapping, Row } from '../request/table.ts';
import { MendClues } from './mends.ts';

/** Maximum number of problems kept one by one. Further ones are only counted. */
const MAX_PROBLEMS = 10_000;

/** Maximum number of groups. A partner's description can make a kind of problem for each of its parameters. */
const MAX_GROUPS = 500;

/** Maximum number of rows that a group keeps as examples. */
const MAX_EXAMPLES = 3;

interface Group {
  readonly problem: Problem;
  /** Whether it is about a field that is not there. */
  readonly isAbsence: boolean;
  readonly isOfPlan: boolean;
  rows: number;
  readonly examples: ProblemExample[];
}

/**
 * Collects the problems of an import's rows in bounded memory: one by one, and in groups of one kind and column. A field
 * that no column gives is one problem of the plan, whichever number of rows lack it.
 */
export class Findings {
  readonly #mapping: Mapping;
  readonly #given: ReadonlySet<string>;
  readonly #clues: MendClues;
  readonly #groups = new Map<string, Group>();
  /** The last group of each code, which most often is that of the next problem as well. */
  readonly #last = new Map<FindingCode, Group>();
  readonly #kept: { readonly row: number; readonly problem: Problem; readonly group: Group | null }[] = [];
  #ofRows = 0;

  constructor(mapping: Mapping) {
    this.#mapping = mapping;
    this.#given = new Set([...mapping.sources.map(({ field }) => field), ...Object.keys(mapping.parts)]);
    this.#clues = new MendClues(mapping);
  }

  /** Adds the problems of a row. */
  add(row: Row, problems: readonly Problem[]): void {
    for (const problem of problems) {
      const group = this.#groupOf(problem);
      if (group !== null) {
        group.rows += 1;
        if (group.examples.length < MAX_EXAMPLES) group.examples.push({ row: row.number, value: problem.value });
        if (group.isAbsence) this.#clues.add(problem.field, row);
        if (group.isOfPlan) continue;
      }
      this.#ofRows += 1;
      if (this.#kept.length < MAX_PROBLEMS) this.#kept.push({ row: row.number, problem, group });
    }
  }

  /** Returns what was found in an import of so many rows. */
  of(rows: number): Pick<ImportPlan, 'problems' | 'problemGroups' | 'problemCount'> {
    const told = new Map([...this.#groups.values()].map((group) => [group, this.#told(group, rows)]));
    const problemGroups = [...told.values()].sort((a, b) => rank(a) - rank(b) || b.rows - a.rows);
    const ofPlan = problemGroups.filter(({ isOfPlan }) => isOfPlan).map(problemOfPlan);
    const ofRows = this.#kept.map(({ row, problem, group }): RowProblem => {
      const mend = group && told.get(group)?.mend;
      return { row, ...problem, rows: 1, advice: mend ?? adviceOn(problem) };
    });
    const problems = [...this.#ofColumns(rows), ...ofPlan, ...ofRows].slice(0, MAX_PROBLEMS);
    const problemCount = this.#mapping.warnings.length + ofPlan.length + this.#ofRows;
    return { problems, problemGroups, problemCount };
  }

  /** What is said of the columns is said of all rows. */
  #ofColumns(rows: number): RowProblem[] {
    return this.#mapping.warnings.map((each) => {
      const problem = { ...each, column: null };
      return { row: null, ...problem, rows, advice: adviceOn(problem) };
    });
  }

  /** Returns the group of a problem. Messages that differ in their numbers alone, as of lengths, are of one group. */
  #groupOf(problem: Problem): Group | null {
    const { code, field, column, message } = problem;
    const last = this.#last.get(code);
    if (last?.problem.message === message && last.problem.field === field && last.problem.column === column)
      return last;
    const name = `${code} ${field} ${column} ${message.replace(/\d+/g, '#')}`;
    const group = this.#groups.get(name) ?? this.#newGroup(name, problem);
    if (group !== null) this.#last.set(code, group);
    return group;
  }

  #newGroup(name: string, problem: Problem): Group | null {
    if (this.#groups.size >= MAX_GROUPS) return null;
    const fields = fieldsThatGive(problem);
    const isAbsence = fields.length > 0;
    const isOfPlan = isAbsence && !fields.some((field) => this.#given.has(field));
    const group: Group = { problem, isAbsence, isOfPlan, rows: 0, examples: [] };
    this.#groups.set(name, group);
    return group;
  }

  #told({ problem, isAbsence, isOfPlan, rows, examples }: Group, all: number): ProblemGroup {
    const { code, severity, field, column } = problem;
    const message = isOfPlan ? `${absenceMessage(problem)}.` : problem.message;
    const mend = isAbsence ? this.#clues.mend(problem, rows === all) : null;
    return { code, severity, field, column, message, rows, examples, isOfPlan, mend };
  }
}

function rank({ severity, isOfPlan }: ProblemGroup): number {
  return (severity === 'error' ? 0 : 2) + (isOfPlan ? 0 : 1);
}

function problemOfPlan({ code, severity, field, message, rows, mend }: ProblemGroup): RowProblem {
  const advice = mend ?? adviceOn({ code, field, column: null });
  return { row: null, code, severity, field, column: null, message, value: null, rows, advice };
}
