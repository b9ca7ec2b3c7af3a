import { isContactField, saysNone } from '../request/lead/contact-cell.ts';
import { MARKETS, type Market, parseMarket, postalCodeWarning } from '../request/lead/markets.ts';
import { marketOfNumber, parsePhone } from '../request/lead/phone.ts';
import { columnLabel, type Mapping, type Row } from '../request/lead/table.ts';
import type { ImportPlan, ProblemExample, ProblemGroup, RowProblem } from '../request/log/import-plan.ts';
import { shellWord } from '../request/words/errors.ts';
import { absenceMessage, adviceOn, fieldsThatGive, finding, type Problem } from '../request/words/finding.ts';
import { mapRow } from './prepare.ts';

/** Maximum number of problems kept one by one. Further ones are only counted. */
const MAX_PROBLEMS = 10_000;

/** Maximum number of groups. A partner's description can make a kind of problem for each of its parameters. */
const MAX_GROUPS = 500;

/** Maximum number of rows that a group keeps as examples. */
const MAX_EXAMPLES = 3;

interface Group {
  readonly problem: Problem;
  /** Whether the problem is that a field is missing. */
  readonly isAbsence: boolean;
  readonly isOfPlan: boolean;
  rows: number;
  readonly examples: ProblemExample[];
}

/**
 * Collects the problems of an import's rows in bounded memory, both one by one and in groups of one kind and column. If
 * no column gives a field, that is one problem of the plan, regardless of how many rows lack the field.
 */
export class FindingGroups {
  readonly #mapping: Mapping;
  readonly #given: ReadonlySet<string>;
  readonly #clues: MendClues;
  readonly #groups = new Map<string, Group>();
  /** The group of each recent message, because most problems have the same message as an earlier one. */
  readonly #byMessage = new Map<string, Group>();
  /** The columns from which telephone numbers and e-mail addresses come. */
  readonly #contacts: readonly { readonly index: number; readonly problem: Problem }[];
  readonly #kept: { readonly row: number; readonly problem: Problem; readonly group: Group | null }[] = [];
  #ofRows = 0;

  constructor(mapping: Mapping) {
    this.#mapping = mapping;
    this.#given = new Set([...mapping.sources.map(({ field }) => field), ...Object.keys(mapping.parts)]);
    this.#clues = new MendClues(mapping);
    this.#contacts = mapping.sources.flatMap(({ field, columns }) =>
      isContactField(field) ? columns.map((index) => noneSaid(field, index, mapping)) : [],
    );
  }

  /** Examines a row for cells that say that there is no telephone number or e-mail address. */
  look({ cells, problem, number }: Row): void {
    if (problem !== null) return;
    for (const { index, problem: said } of this.#contacts) {
      const cell = cells[index];
      const group = cell !== undefined && saysNone(cell) ? this.#groupOf(said) : null;
      if (group === null) continue;
      group.rows += 1;
      if (group.examples.length < MAX_EXAMPLES) group.examples.push({ row: number, value: null });
    }
  }

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

  /** Returns what was found in an import with this number of rows. */
  of(rows: number): Pick<ImportPlan, 'problems' | 'problemGroups' | 'problemCount'> {
    const told = new Map([...this.#groups.values()].map((group) => [group, this.#told(group, rows)]));
    const problemGroups = [...told.values()].sort((a, b) => rank(a) - rank(b) || b.rows - a.rows);
    const ofPlan = problemGroups.filter(({ isOfPlan }) => isOfPlan).map(problemOfPlan);
    // `addLate` adds problems of rows that come before rows already added.
    const inOrder = [...this.#kept].sort((a, b) => a.row - b.row);
    const ofRows = inOrder.map(({ row, problem, group }): RowProblem => {
      const mend = group && told.get(group)?.mend;
      return { row, ...problem, rows: 1, advice: mend ?? adviceOn(problem) };
    });
    const problems = [...this.#ofColumns(rows), ...ofPlan, ...ofRows].slice(0, MAX_PROBLEMS);
    const problemCount = this.#mapping.warnings.length + ofPlan.length + this.#ofRows;
    return { problems, problemGroups, problemCount };
  }

  /** Returns the warnings about columns, which concern all rows. */
  #ofColumns(rows: number): RowProblem[] {
    return this.#mapping.warnings.map((each) => {
      const problem = { ...each, column: null };
      return { row: null, ...problem, rows, advice: adviceOn(problem) };
    });
  }

  /** Returns the group of a problem. Messages that differ only in numbers, such as lengths, share a group. */
  #groupOf(problem: Problem): Group | null {
    const { code, field, column, message } = problem;
    const last = this.#byMessage.get(message);
    if (last?.problem.code === code && last.problem.field === field && last.problem.column === column) return last;
    const name = `${code} ${field} ${column} ${message.replace(/\d+/g, '#')}`;
    const group = this.#groups.get(name) ?? this.#newGroup(name, problem);
    if (this.#byMessage.size >= MAX_GROUPS) this.#byMessage.clear();
    if (group !== null) this.#byMessage.set(message, group);
    return group;
  }

  #newGroup(name: string, problem: Problem): Group | null {
    if (this.#groups.size >= MAX_GROUPS) return null;
    const fields = fieldsThatGive(problem);
    const isAbsence = fields.length > 0;
    const isLacking = isAbsence && !fields.some((field) => this.#given.has(field));
    const isOfPlan = isLacking || problem.code === 'columns.none-said';
    const group: Group = { problem, isAbsence, isOfPlan, rows: 0, examples: [] };
    this.#groups.set(name, group);
    return group;
  }

  #told({ problem, isAbsence, isOfPlan, rows, examples }: Group, all: number): ProblemGroup {
    const { code, severity, field, column } = problem;
    const message = isAbsence && isOfPlan ? `${absenceMessage(problem)}.` : problem.message;
    const mend = isAbsence ? this.#clues.mend(problem, rows === all) : null;
    return { code, severity, field, column, message, rows, examples, isOfPlan, mend };
  }
}

function noneSaid(field: 'phone' | 'email', index: number, { columns }: Mapping): { index: number; problem: Problem } {
  const what = field === 'phone' ? 'telephone number' : 'e-mail address';
  const found = finding('columns.none-said', field, { name: columnLabel(columns, index), what });
  return { index, problem: { ...found, column: null } };
}

function rank({ severity, isOfPlan }: ProblemGroup): number {
  return (severity === 'error' ? 0 : 2) + (isOfPlan ? 0 : 1);
}

function problemOfPlan({ code, severity, field, message, rows, mend }: ProblemGroup): RowProblem {
  const advice = mend ?? adviceOn({ code, field, column: null });
  return { row: null, code, severity, field, column: null, message, value: null, rows, advice };
}

/** Maximum number of rows that are examined for each field. */
const MAX_ROWS = 200;

/** What rows without a country or a language say of it elsewhere. */
interface FieldClues {
  rows: number;
  readonly phones: string[];
  readonly postalCodes: string[];
  readonly markets: Set<Market | undefined>;
}

/**
 * Examines rows without a country or a language for the country that telephone numbers and postal codes indicate, and for
 * the languages of their country. Only a few rows are examined, so that reading does not become slower.
 */
class MendClues {
  readonly #mapping: Mapping;
  readonly #byField = new Map<string, FieldClues>();

  constructor(mapping: Mapping) {
    this.#mapping = mapping;
  }

  /** Examines a row that lacks a field. */
  add(field: string, row: Row): void {
    if (field !== 'country' && field !== 'lang') return;
    const clues = this.#cluesOf(field);
    if (clues.rows >= MAX_ROWS) return;
    clues.rows += 1;
    const { fields, parts } = mapRow(row, this.#mapping);
    clues.markets.add(parseMarket(fields['country'] ?? ''));
    if (fields['phone'] !== undefined) clues.phones.push(fields['phone']);
    if (parts?.postal_code !== undefined) clues.postalCodes.push(parts.postal_code);
  }

  /**
   * Returns what to add to the command, or null if nothing certain was found. `ofAll` tells whether all rows have the
   * problem.
   */
  mend(problem: Pick<Problem, 'code' | 'field' | 'column'>, ofAll: boolean): string | null {
    const { field, column } = problem;
    const clues = this.#cluesOf(field);
    const found = column === null ? this.#missed(problem) : [];
    if (found.length > 0) return `Add: ${found.join(' ')}`;
    if (field === 'country') return column === null ? countryMend(clues) : this.#emptyCountryMend(column, clues);
    return field === 'lang' && ofAll && column === null ? languageMend(clues) : null;
  }

  /** Returns the flags that map the columns which clearly hold a field, one column for each. */
  #missed(problem: Pick<Problem, 'code' | 'field'>): string[] {
    const { missed, columns } = this.#mapping;
    return fieldsThatGive(problem).flatMap((field) => {
      const index = missed.find((each) => each.field === field)?.index;
      return index === undefined ? [] : [mapFlag(columns[index] ?? '', field)];
    });
  }

  /** Returns the market that rows without a country indicate. */
  market(): TellingMarket | null {
    return likelyMarket(this.#cluesOf('country'));
  }

  #cluesOf(field: string): FieldClues {
    const clues = this.#byField.get(field) ?? { rows: 0, phones: [], postalCodes: [], markets: new Set() };
    this.#byField.set(field, clues);
    return clues;
  }

  /** Returns the flags that fill the empty cells of the country's column and leave the others unchanged. */
  #emptyCountryMend(column: string, clues: FieldClues): string | null {
    const likely = likelyMarket(clues);
    const isOneColumn = this.#mapping.columns.filter((name) => name === column).length === 1;
    if (likely === null || !isOneColumn) return null;
    return `For the empty cells, add: ${mapFlag(column, 'country')} --set country=${likely.market.code} (by the ${likely.by})`;
  }
}

function mapFlag(column: string, field: string): string {
  const pair = `${column}=${field}`;
  // Double quotes are preferred, because the shells of Windows understand them as well.
  return `--map ${/^[^"$`\\!%]+$/.test(pair) ? `"${pair}"` : shellWord(pair)}`;
}

/** A market, and the kind of content that indicates it. */
interface TellingMarket {
  readonly market: Market;
  readonly by: 'telephone numbers' | 'postal codes';
}

/** Returns the market that the telephone numbers or postal codes of these rows indicate, or null. */
export function proposedMarket(mapping: Mapping, rows: readonly Row[]): TellingMarket | null {
  const clues = new MendClues(mapping);
  for (const row of rows) clues.add('country', row);
  return clues.market();
}

function countryMend(clues: FieldClues): string {
  const likely = likelyMarket(clues);
  if (likely !== null) return `Add: --set country=${likely.market.code} (by the ${likely.by})`;
  const several = [...new Set(clues.phones.flatMap((phone) => marketOfNumber(phone)?.code ?? []))];
  if (several.length > 1)
    return `The telephone numbers are of ${several.join(', ')}: name the column with the country, --map COLUMN=country`;
  return 'If all rows are of one country, add its code, such as: --set country=PT (srq markets lists them)';
}

/**
 * Returns the market to which all telephone numbers with a country code belong. If there are none, returns the only
 * market whose form all postal codes have; of several, the one in which all telephone numbers are valid. Returns null if there is no such market, or if most of the other numbers or
 * codes contradict it.
 */
function likelyMarket({ phones, postalCodes }: FieldClues): TellingMarket | null {
  const told = new Set(phones.flatMap((phone) => marketOfNumber(phone) ?? []));
  const fits = (code: string, market: Market) => postalCodeWarning(code, market) === null;
  const fitsAll = (market: Market) => market.postalCode !== null && postalCodes.every((code) => fits(code, market));
  const some = phones.slice(0, MAX_TRIED);
  const isNational = (market: Market) => some.every((phone) => parsePhone(phone, market).e164 !== null);
  const byCodes = postalCodes.length > 0 ? MARKETS.filter(fitsAll) : [];
  const candidates =
    told.size > 0 ? [...told] : byCodes.length > 1 && some.length > 0 ? byCodes.filter(isNational) : byCodes;
  const [market] = candidates;
  if (market === undefined || candidates.length > 1) return null;
  const right = phones.filter((phone) => parsePhone(phone, market).e164 !== null).length;
  const fitting = postalCodes.filter((code) => fits(code, market)).length;
  const isContradicted = right < phones.length / 2 || fitting < postalCodes.length / 2;
  return isContradicted ? null : { market, by: told.size > 0 ? 'telephone numbers' : 'postal codes' };
}

/** Number of telephone numbers that are tried in each market. */
const MAX_TRIED = 20;

function languageMend({ markets }: FieldClues): string | null {
  const [market, ...others] = markets;
  if (market === undefined || others.length > 0) return null;
  const [first, ...more] = market.languages;
  return `If all rows are in one language, add: --set lang=${first}${more.length > 0 ? ` (or ${more.join(', ')})` : ''}`;
}
