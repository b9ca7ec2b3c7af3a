// Prints what each rule for columns earns: all sets of header rows are measured with one rule switched off at a time.
// Who adds a rule adds it here, and shows its line. Usage: node scripts/ablate-columns.mjs [RULE …] [--rows N]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { embeddedText } from './embedded-text.mjs';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: 'string', default: '1000' } },
});
const SETS = ['learn', 'aside', 'fresh', 'fresh2', 'fresh3', 'sealed', 'fresh4', 'sealed2', 'fresh7'];

/** What each rule returns when it is switched off, by its function. */
const RULES = {
  ...{ compoundParts: 'null', withoutSlip: 'null', joinedLetters: 'words' },
  ...{ meaningInBrackets: 'undefined', hasGivenName: 'false', isTown: 'false', hasStreetWord: 'false' },
  ...{ isPlainlyOther: 'false', isOfFew: 'false', isOfCompanies: 'false', isDecorated: 'false' },
  ...{ withPersons: 'candidates', isGivenName: 'false', asNameParts: 'all', asPlaceParts: 'candidates' },
  ...{
    withHouseNumber: 'candidates',
    withoutPets: 'candidates',
    withoutOthersContacts: 'readings',
    withoutEmpty: 'candidates',
    isAnothersName: 'false',
    withoutStrangers: 'rivals',
  },
  ...{ namePair: '[]', byContentAlone: '[]', townBeside: '[]', onlyPersons: '[]', region: '[]' },
  ...{ withCertainty: 'readings', isUnclear: 'false', '#where': '[]' },
};

const before = await totals(null);
print('everything', before);
for (const rule of positionals.length > 0 ? positionals : Object.keys(RULES)) {
  const found = await totals(rule);
  if (found === null) process.stdout.write(`${rule}: there is no such function\n`);
  else print(`without ${rule}`, found);
}

async function totals(rule) {
  const built = mkdtempSync(join(tmpdir(), 'srq-ablate-'));
  let isThere = rule === null;
  const off = {
    name: 'off',
    load(id) {
      if (!/src\/input\/columns\/[\w-]+\.ts$/.test(id) || rule === null) return null;
      const code = readFileSync(id, 'utf8');
      const body = new RegExp(`(?:function |^  )${rule}\\(.*?\\{$`, 'ms');
      isThere ||= body.test(code);
      return { code: code.replace(body, (head) => `${head} return ${RULES[rule] ?? 'null'};`), moduleType: 'ts' };
    },
  };
  try {
    const input = { measure: 'test/input/columns/header-rows.ts' };
    const bundle = await rolldown({ input, platform: 'node', plugins: [off, embeddedText()] });
    await bundle.write({ dir: built, format: 'esm', entryFileNames: '[name].mjs' });
    await bundle.close();
    if (!isThere) return null;
    const { measured } = await import(pathToFileURL(join(built, 'measure.mjs')).href);
    const folder = 'test/input/columns/header-rows';
    const all = SETS.map((set) => measured(set, { folder, most: Number(values.rows) }));
    return all[0].readings.map((reading) =>
      all.reduce((sum, { columns }) => sum + columns.filter((each) => each.reading === reading).length, 0),
    );
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}

/** A line: certain, asked, missed, wrong and certain, wrong and asked. */
function print(what, counts) {
  process.stdout.write(`${what.padEnd(28)} ${counts.map((count) => String(count).padStart(5)).join('')}\n`);
}
