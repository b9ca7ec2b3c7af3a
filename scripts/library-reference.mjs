// Writes the reference in docs/library.md from the doc comments of what a program may import: npm run reference.
import { readFileSync, writeFileSync } from 'node:fs';
import { argv } from 'node:process';
import { fileURLToPath } from 'node:url';

const PAGE = 'docs/library.md';
const [BEGIN, END] = ['<!-- reference: npm run reference -->\n', '<!-- end of the reference -->'];

/** Where the names of the package are declared, in the order of the page; null: all that a file exports. */
const SOURCES = [
  ['src/library/index.ts', ['openMarketplace']],
  ['src/library/api.ts', null],
  ['src/request/log/outcome.ts', ['RowResult', 'Identifiers']],
  ['src/request/words/finding.ts', ['Problem']],
  ['src/request/log/log-store.ts', ['LogEntry', 'LogSelection']],
  ['src/request/ports.ts', ['LogRecord', 'LogSubject']],
  ['src/request/words/errors.ts', ['SrqError']],
  ['src/request/words/error-codes.ts', ['ErrorCode', 'ErrorReason']],
];

const DECLARED =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport (?:async )?(interface|type|function|class) (\w+)([\s\S]*?\n)(?=\n|$)/g;
/** A member with its comment, if it has one: a property up to its semicolon, or a method up to the one behind its result. */
const MEMBER =
  /(?: {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)? {2}(?:readonly )?(\[?\w+[^:(]*|constructor)(\??): ?([^;]*);|(?: {2}\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n) {2}(\w+)(\([\s\S]*?\): [^;]*);/g;

/** Returns the page with the reference as the comments say now. Throws for a member that has no comment. */
export function withReference(page) {
  const [before, rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  return `${before}${BEGIN}\n${SOURCES.flatMap(([file, names]) => sectionsOf(file, names)).join('\n')}\n${END}${after}`;
}

function sectionsOf(file, names) {
  const declared = [...readFileSync(file, 'utf8').matchAll(DECLARED)];
  const wanted = names?.map((name) => declared.find((each) => each[3] === name)) ?? declared;
  return wanted.map(([, comment, kind, name, rest]) => {
    const title = kind === 'function' ? `${name}${oneLine(signatureOf(rest))}` : name;
    const more = kind === 'type' ? [`\`${oneLine(rest.replace(/^\s*=\s*\|?|;\s*$/g, ''))}\`\n`] : [];
    const base = /^ extends ([^{]+) \{/.exec(rest)?.[1];
    const from = base && kind === 'interface' ? [`With the members of \`${base}\`.\n`] : [];
    const members = kind === 'interface' || kind === 'class' ? tableOf(name, rest) : [];
    return [`### ${title}\n`, `${textOf(comment)}\n`, ...more, ...from, ...members].join('\n');
  });
}

function signatureOf(rest) {
  return rest.slice(0, rest.indexOf(' {\n'));
}

function tableOf(of, body) {
  const lines = [...body.matchAll(MEMBER)].map(([, comment, name, optional, type, said, method, call]) => {
    if (comment === undefined && said === undefined) throw new Error(`${of}.${name} has no doc comment.`);
    const shown = method
      ? `${method}${oneLine(call)}`
      : `${name}${optional}: ${oneLine(type.replace(/ \| undefined$/, ''))}`;
    const mark = shown.includes('`') ? '``' : '`';
    return `| ${mark}${cell(shown)}${mark} | ${cell(textOf(comment ?? said))} |`;
  });
  return lines.length === 0 ? [] : ['| member | |', '| --- | --- |', ...lines, ''];
}

/** The text of a comment, in one line and without what only editors read. */
function textOf(comment) {
  return oneLine(comment.replace(/^\s*\* ?/gm, '')).replace(/\{@link (\w+)\}/g, '`$1`');
}

const oneLine = (text) => text.replace(/\s+/g, ' ').replace(/\( /g, '(').replace(/,? \)/g, ')').trim();
const cell = (text) => text.replaceAll('|', '\\|');

if (argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, withReference(readFileSync(PAGE, 'utf8')));
