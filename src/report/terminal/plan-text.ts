import type { ChalkInstance } from 'chalk';
import type { ImportPlan, RowProblem } from '../../request/import-plan.ts';
import { columnLabel, type FieldSource, type Mapping, type MissedColumn } from '../../request/table.ts';
import { aligned, clip, printable, thousands } from '../output.ts';

const SHOWN_PROBLEMS = 5;
const SHOWN_ROWS = 4;
const VALUE_WIDTH = 70;

/** The name of the contract in force, and the first request in the contract's parameters. */
interface LearnedShape {
  readonly name: string;
  readonly wire: readonly (readonly [string, string])[];
}

/** Formats the plan of an import, for a person to check before anything is sent. `learned` is null without a contract. */
export function planText(
  plan: ImportPlan,
  destination: string,
  learned: LearnedShape | null,
  paint: ChalkInstance,
): string {
  const { table, mapping, first } = plan;
  const heading = (text: string) => paint.bold(text);
  const lines = [
    `${heading('File')}    ${printable(table.path)} · ${fileKind(plan)}`,
    `${heading('To')}      ${destination}`,
    ...(learned ? [`${heading('By')}      ${learned.name}`] : []),
    ...table.notes.map((note) => `        ${paint.dim(printable(note))}`),
    heading('Columns'),
    ...aligned(mapping.sources.map((source) => [source.field, `← ${origin(source, mapping)}`])),
    ...(mapping.ignored.length > 0 ? [`  ${paint.dim(`left out: ${mapping.ignored.map(printable).join(', ')}`)}`] : []),
    ...mapping.missed.map((missed) => `  ${paint.yellow('!')} ${missedText(missed, mapping)}`),
    ...mapping.warnings.map((warning) => `  ${paint.yellow('!')} ${printable(warning)}`),
  ];
  if (first) {
    lines.push(heading(`Row ${first.row} as it will be sent`));
    const sent = learned?.wire ?? Object.entries(first.request.params);
    lines.push(...aligned(sent.map(([name, value]) => [printable(name), shown(value)])));
    if (first.request.audio) lines.push(`  audio  ${thousands(first.request.audio.sizeBytes)} bytes`);
  }
  lines.push(...problemLines(plan, paint), `${heading('Rows')}    ${countsLine(plan, paint)}`);
  return lines.join('\n');
}

function fileKind({ table }: ImportPlan): string {
  const delimiters: Record<string, string> = { '\t': 'TAB', ',': 'comma', ';': 'semicolon', '|': 'bar' };
  const delimiter = table.delimiter === null ? [] : [`delimiter ${delimiters[table.delimiter] ?? table.delimiter}`];
  return [table.format, ...(table.encoding === null ? [] : [table.encoding]), ...delimiter].join(', ');
}

function origin({ how, columns, template, because, level }: FieldSource, mapping: Mapping): string {
  const name = (index: number) => printable(columnLabel(mapping.columns, index));
  if (how === 'template') {
    const text = (template ?? [])
      .map((part) => (typeof part === 'number' ? `{${name(part)}}` : printable(part)))
      .join('');
    return `"${text}" (${because})`;
  }
  const reason = level === 'likely' ? `likely: ${because}` : because;
  return `${columns.map(name).join(how === 'join' ? ' + ' : ' or ')} (${reason})`;
}

function missedText({ index, field }: MissedColumn, { columns }: Mapping): string {
  return `${printable(columnLabel(columns, index))} looks like the ${field.replaceAll('_', ' ')}, which nothing gives (--map to take it or leave it out).`;
}

function shown(value: string): string {
  return clip(printable(value), VALUE_WIDTH);
}

/** Formats the problems. One that many rows share is one line with the first few rows. */
function problemLines({ problems, problemCount }: ImportPlan, paint: ChalkInstance): string[] {
  const groups = new Map<string, RowProblem[]>();
  for (const problem of problems) {
    const group = `${problem.severity} ${problem.column ?? problem.field} ${problem.message}`;
    groups.set(group, [...(groups.get(group) ?? []), problem]);
  }
  const sorted = [...groups.values()].sort((a, b) => rank(a) - rank(b) || b.length - a.length);
  const lines = sorted.slice(0, SHOWN_PROBLEMS).map((group) => problemLine(group, paint));
  const hidden = problemCount - sorted.slice(0, SHOWN_PROBLEMS).reduce((sum, group) => sum + group.length, 0);
  if (hidden > 0) lines.push(`  ${paint.dim(`… and ${thousands(hidden)} more: --dry-run --json lists them`)}`);
  return lines.length > 0 ? [paint.bold('Findings'), ...lines] : [];
}

const rank = (group: readonly RowProblem[]) => (group[0]?.severity === 'error' ? 0 : 1);

function problemLine(group: readonly RowProblem[], paint: ChalkInstance): string {
  const [first] = group;
  if (!first) return '';
  const mark = first.severity === 'error' ? paint.red('✗') : paint.yellow('!');
  const rows = group
    .slice(0, SHOWN_ROWS)
    .map(({ row }) => row)
    .join(', ');
  const more = group.length > SHOWN_ROWS ? ` and ${thousands(group.length - SHOWN_ROWS)} more` : '';
  const column = first.column === null ? '' : ` (column ${printable(first.column)})`;
  return `  ${mark} ${printable(first.message)}${column} ${paint.dim(`row ${rows}${more}`)}`;
}

function countsLine({ rows, counts }: ImportPlan, paint: ChalkInstance): string {
  const parts = [
    paint.green(`${thousands(counts.ready)} ready`),
    ...(counts.repeated > 0 ? [`${thousands(counts.repeated)} repeated or already created`] : []),
    ...(counts.duplicate > 0 ? [`${thousands(counts.duplicate)} known as duplicates`] : []),
    ...(counts.invalid > 0 ? [paint.red(`${thousands(counts.invalid)} invalid`)] : []),
    ...(counts.unknown > 0 ? [paint.yellow(`${thousands(counts.unknown)} in doubt`)] : []),
  ];
  return `${thousands(rows)} read: ${parts.join(', ')}`;
}
