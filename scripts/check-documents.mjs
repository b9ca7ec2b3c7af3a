// What srq makes of whole real documents, compared with what a person found in them: npm run check:documents -- FOLDER
// Without a folder, the extracts in the repository are taken.
// FOLDER holds expectations.ndjson (as fixtures/documents/README.md says) and the documents in docs/.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { judgedDocuments, loadTypeScript } from './rehearsals.mjs';

const [folder] = process.argv.slice(2);
const { verdictOn, tallyOf } = await loadTypeScript('test/contract/judged-document.ts');
const documents = judgedDocuments(folder);
const unjudged =
  folder === undefined
    ? []
    : readdirSync(join(folder, 'docs')).filter((name) => !documents.some(({ file }) => file === name));
const verdicts = documents.map(verdictOf);
printTable();
printRest();
const { wrong, rightFields, commented, missing, medianQuestions, mostQuestions } = tallyOf(verdicts);
const learned = verdicts.filter(({ questions }) => questions !== null).length;
process.stdout.write(
  `\n${verdicts.length} documents, ${learned} with a create that srq learns. Wrong unasked: ${wrong.creates} creates, ${wrong.validates} validates, ` +
    `${wrong.tokens} token addresses; ${wrong.fields} fields; ${rightFields} fields placed, ${commented} commented, ${missing} missing; ` +
    `questions beside create and validate: median ${medianQuestions}, at most ${mostQuestions}\n`,
);
if (unjudged.length > 0) process.stdout.write(`Not judged, so left out: ${unjudged.join(', ')}\n`);
process.exitCode = Object.values(wrong).some((count) => count > 0) || medianQuestions > 1 || mostQuestions > 5 ? 1 : 0;

function verdictOf({ file, bytes, judgement }) {
  const start = performance.now();
  const verdict = verdictOn(file, bytes, judgement);
  return { ...verdict, hasCreate: judgement.create.length > 0, ms: Math.round(performance.now() - start) };
}

function printTable() {
  const row = (name, ...cells) =>
    process.stdout.write(`${name.padEnd(26)}${cells.map((each) => String(each).padStart(6)).join('')}\n`);
  row('', 'taken', 'right', 'notes', 'wrong', 'else', 'asked', 'ms');
  for (const each of verdicts) {
    const taken = each.wrongCreate !== null ? 'WRONG' : each.taken !== null ? 'right' : each.refusal ? 'refused' : '-';
    const counts = [each.rightFields, each.commented, each.wrongFields.length, each.unjudgedFields.length];
    row(each.name, ` ${taken}`, ...counts, each.questions?.length ?? '-', each.ms);
  }
}

function printRest() {
  const list = (title, textOf) => {
    const lines = verdicts.flatMap((each) => [textOf(each) ?? []].flat().map((text) => `  ${each.name}: ${text}\n`));
    process.stdout.write(`\n${title}: ${lines.length}\n${lines.join('')}`);
  };
  list('Creates wrong and unasked', ({ wrongCreate }) => wrongCreate);
  list('Creates neither taken nor offered', ({ isMissed, refusal }) =>
    isMissed ? (refusal ?? 'asked without it') : null,
  );
  list('Validates wrong and unasked', ({ wrongValidate }) => wrongValidate);
  list('Token addresses wrong and unasked', ({ wrongToken }) => wrongToken);
  list('Fields placed wrongly', ({ wrongFields }) => wrongFields);
  list('Fields in places that nobody judged', ({ unjudgedFields }) => unjudgedFields);
  list('More than two questions beside create and validate', ({ questions }) =>
    questions?.length > 2 ? questions.join(', ') : null,
  );
  list('Refused although they have a create', ({ hasCreate, refusal }) => (hasCreate ? refusal : null));
  list('Refused, and rightly', ({ hasCreate, refusal }) => (hasCreate ? null : refusal));
}
