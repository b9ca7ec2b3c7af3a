// Learns each judged document, sends three leads to a sandbox that follows it, and compares what came of them with what is
// written down: npm run check:rehearsals, for whole documents -- FOLDER, for one of them -- FOLDER NAME
import { judgedDocuments, rehearseAll, stopAll } from './rehearsals.mjs';

const [folder, name] = process.argv.slice(2);
const documents = judgedDocuments(folder).filter(({ judgement }) => name === undefined || judgement.name === name);
try {
  const rehearsals = await rehearseAll(documents);
  const of = (outcome) => rehearsals.filter((each) => each.outcome === outcome);
  for (const { name, why } of of('unserved')) process.stdout.write(`${name}: cannot be served: ${why}\n`);
  for (const { name } of of('said')) process.stdout.write(`${name}: created after a person's word on the answer\n`);
  for (const { name, why } of of('failed')) process.stdout.write(`${name}: NOT CREATED: ${why}\n`);
  process.stdout.write(
    `${rehearsals.length} documents with a create: ${of('created').length} created at once, ${of('said').length} after a person's word ` +
      `on what a success looks like, ${of('unserved').length} cannot be served, ${of('failed').length} not created\n`,
  );
  process.exitCode = of('failed').length > 0 ? 1 : 0;
} finally {
  stopAll();
}
