// Prints how well columns are understood: shares, and what is taken wrongly, for sets of header rows.
// Usage: node scripts/measure-columns.mjs PART[,PART] [--folder FOLDER] [--forget PERCENT] [--rows N] [--all]
// --forget takes that share of the words from the vocabulary by chance, three times: what is left is found by content.
// --rows looks at so many rows of each header. --all lists the columns that are asked about and missed, too.
import { parseArgs } from 'node:util';
import { embeddedText } from './embedded-text.mjs';
import { loadTypeScript } from './rehearsals.mjs';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: 'test/input/columns/header-rows' },
    forget: { type: 'string', default: '0' },
    rows: { type: 'string', default: '1000' },
    all: { type: 'boolean' },
  },
});
const forget = Number(values.forget) / 100;
const parts = (positionals[0] ?? 'learn,aside,fresh').split(',');

for (let seed = 1; seed <= (forget > 0 ? 3 : 1); seed++) {
  const { measured } = await loadTypeScript('test/input/columns/header-rows.ts', forgetfulText(seed));
  const all = parts.map((part) => ({ part, ...measured(part, { folder: values.folder, most: Number(values.rows) }) }));
  for (const { part, fields, certain, foundOrAsked, wrong } of all) {
    print(
      `${part}: ${fields} fields, ${percent(certain)} certain, ${percent(foundOrAsked)} found or asked, ${wrong.length} taken wrongly`,
    );
  }
  const columns = all.flatMap((each) => each.columns);
  const readings = all[0]?.readings ?? [];
  const shown = values.all ? readings.slice(1) : readings.slice(3);
  for (const { reading, place, details } of columns)
    if (shown.includes(reading)) print(`  ${reading}: ${place} ${details}`);
}

/** The embedded texts, of which the words of headers have lost some, the same ones for the same seed. */
function forgetfulText(seed) {
  const isKept = (word) => word.length <= 3 || hash(`${seed} ${word}`) >= forget;
  const forgotten = (text) =>
    text.replace(/: (.+)/g, (_, words) => `: ${words.split(' ').filter(isKept).join(' ') || 'nothingatall'}`);
  const plugin = embeddedText();
  return {
    ...plugin,
    async load(id) {
      const loaded = await plugin.load(id);
      if (!id.includes('headers.txt')) return loaded;
      const text = JSON.parse(loaded.code.slice('export default '.length));
      return { ...loaded, code: `export default ${JSON.stringify(forgotten(text))}` };
    },
  };
}

function hash(text) {
  let value = 2166136261;
  for (const letter of text) value = Math.imul(value ^ letter.codePointAt(0), 16777619) >>> 0;
  return (Math.imul(value ^ (value >>> 15), 2246822519) >>> 0) / 2 ** 32;
}

function percent(share) {
  return `${(share * 100).toFixed(1)} %`;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
