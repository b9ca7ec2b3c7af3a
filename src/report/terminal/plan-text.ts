import { columnLabel, type FieldSource, type Mapping, type MissedColumn } from '../../request/lead/table.ts';
import { templateText } from '../../request/lead/template.ts';
import type { ImportPlan, ProblemExample, ProblemGroup } from '../../request/log/import-plan.ts';
import type { PlannedStatus } from '../../request/log/status.ts';
import { quotedMessage } from '../../request/words/finding.ts';
import { aligned, clip, type Paint, printable, thousands } from '../output.ts';

const SHOWN_GROUPS = 5;
const VALUE_WIDTH = 70;

/** The name of the contract in force, and the first request in the contract's parameters. */
interface LearnedShape {
  readonly name: string;
  readonly wire: readonly (readonly [string, string])[];
}

/** Formats the plan of an import, for a person to check before anything is sent. `learned` is null without a contract. */
export function planText(plan: ImportPlan, destination: string, learned: LearnedShape | null, paint: Paint): string {
  const { table, mapping, first } = plan;
  const heading = (text: string) => paint.bold(text);
  const lines = [
    `${heading('File')}    ${printable(table.path)} · ${fileKind(plan)}`,
    `${heading('To')}      ${destination}`,
    ...(learned ? [`${heading('By')}      ${learned.name}`] : []),
    ...plan.notes.map((note) => `        ${paint.dim(printable(note))}`),
    heading('Columns'),
    ...aligned([
      ...mapping.sources.map((source): [string, string] => [source.field, `← ${origin(source, mapping)}`]),
      ...regionOrigin(mapping),
    ]),
    ...(mapping.ignored.length > 0 ? [`  ${paint.dim(`left out: ${mapping.ignored.map(printable).join(', ')}`)}`] : []),
    ...mapping.missed.map((missed) => `  ${paint.yellow('!')} ${missedText(missed, mapping)}`),
    ...mapping.warnings.map(({ message }) => `  ${paint.yellow('!')} ${printable(message)}`),
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

/** Returns the origin of the region, if there is one. No field is joined from a region, so it has a line of its own. */
function regionOrigin({ parts, columns }: Mapping): [string, string][] {
  const names = (parts.region ?? []).map((index) => printable(columnLabel(columns, index)));
  return names.length > 0 ? [['region', `← ${names.join(' or ')} (known name)`]] : [];
}

function origin({ columns, template, because, level }: FieldSource, mapping: Mapping): string {
  const name = (index: number) => printable(columnLabel(mapping.columns, index));
  const reason = level === 'likely' ? `likely: ${because}` : because;
  const isSideBySide = columns.length > 0 && template?.every((part) => typeof part === 'number' || part === ' ');
  if (template && !isSideBySide) return `"${printable(templateText(template, name))}" (${reason})`;
  return `${columns.map(name).join(template ? ' + ' : ' or ')} (${reason})`;
}

function missedText({ index, field }: MissedColumn, { columns }: Mapping): string {
  return `${printable(columnLabel(columns, index))} looks like the ${field.replaceAll('_', ' ')}, and no other column gives that. To take it or leave it out: --map`;
}

function shown(value: string): string {
  return clip(printable(value), VALUE_WIDTH);
}

/** Formats the problems by group: what is wrong, in which rows, and what to add to the command. */
function problemLines({ problemGroups, rows, table }: ImportPlan, paint: Paint): string[] {
  const lines = problemGroups.slice(0, SHOWN_GROUPS).flatMap((group) => groupLines(group, rows, paint));
  const hidden = problemGroups.length - SHOWN_GROUPS;
  if (hidden > 0) lines.push(`  ${paint.dim(`… and ${thousands(hidden)} more; --dry-run --json lists them all`)}`);
  const counted = table.format === 'csv' || table.format === 'xlsx' ? ' (row 1 is the first below the header)' : '';
  return lines.length > 0 ? [`${paint.bold('Findings')}${paint.dim(counted)}`, ...lines] : [];
}

function groupLines(group: ProblemGroup, all: number, paint: Paint): string[] {
  const { severity, rows, examples, isOfPlan, mend } = group;
  const mark = severity === 'error' ? paint.red('✗') : paint.yellow('!');
  const mends = mend === null ? [] : [`    ${printable(mend)}`];
  const [first] = examples;
  if (isOfPlan) {
    const lacking =
      rows === all
        ? all === 1
          ? 'the only row'
          : `all ${thousands(all)} rows`
        : `${thousands(rows)} of ${thousands(all)} rows`;
    return [`  ${mark} ${printable(group.message).replace(/\.$/, '')} (${lacking})`, ...mends];
  }
  const isQuoted = first !== undefined && first.value !== null && rows > 1;
  const value = rows === 1 && first ? first.value : null;
  const where = examplesText(group, isQuoted);
  const place = [...(isQuoted ? [] : [where]), ...(group.column === null ? [] : [printable(group.column)])].join(', ');
  const line = `  ${mark} ${place === '' ? '' : `${paint.dim(place)}: `}${printable(quotedMessage({ ...group, value }))}`;
  return [line, ...(isQuoted ? [`    ${paint.dim(where)}`] : []), ...mends];
}

/** Formats the first rows of a group with their values, which the owner of the file may see. */
function examplesText({ examples, rows }: ProblemGroup, isQuoted: boolean): string {
  const quoted = ({ row, value }: ProblemExample) => `row ${row}${value === null ? '' : ` "${printable(value)}"`}`;
  const numbers = examples.map(({ row }) => row).join(', ');
  const shown = isQuoted ? examples.map(quoted) : [`${rows === 1 ? 'row' : 'rows'} ${numbers}`];
  const more = rows - examples.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${thousands(more)} more` : ''}`;
}

function countsLine({ rows, counts }: ImportPlan, paint: Paint): string {
  const texts: Readonly<Record<PlannedStatus, string>> = {
    ready: paint.green(`${thousands(counts.ready)} ready`),
    repeated: `${thousands(counts.repeated)} repeated or already created`,
    duplicate: `${thousands(counts.duplicate)} known to be duplicates`,
    invalid: paint.red(`${thousands(counts.invalid)} invalid`),
    unknown: paint.yellow(`${thousands(counts.unknown)} with an unknown outcome`),
  };
  const shown = (Object.keys(texts) as PlannedStatus[]).filter((status) => status === 'ready' || counts[status] > 0);
  return `${thousands(rows)} read: ${shown.map((status) => texts[status]).join(', ')}`;
}
