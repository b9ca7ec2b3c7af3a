// Writes the types of the library into a folder, beside its code: those of src/library/index.ts and of what they name.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';

const ENTRY = 'library/index.d.ts';
/** The names of other files in a declaration, as the compiler writes them. */
const NAMED = /(?<=from '|import\(")(\.{1,2}\/[^'"]+)\.ts(?=['"])/g;

/** Writes `types/`, and beside it what `require` and `import` of the package find. */
export function buildTypes(folder) {
  const made = mkdtempSync(join(resolve('node_modules'), '.srq-types-'));
  try {
    declareAll(made);
    for (const file of filesFrom(made, ENTRY)) {
      const text = readFileSync(join(made, file), 'utf8').replace(NAMED, '$1.js');
      mkdirSync(join(folder, 'types', dirname(file)), { recursive: true });
      writeFileSync(join(folder, 'types', file), text);
    }
  } finally {
    rmSync(made, { recursive: true });
  }
  for (const ending of ['ts', 'mts']) {
    writeFileSync(join(folder, `library.d.${ending}`), `export * from './types/library/index.js';\n`);
  }
}

/** Has the compiler declare everything. What is wrong with the code is found by `npm run types`. */
function declareAll(outDir) {
  const config = join(outDir, 'tsconfig.json');
  const made = { noEmit: false, emitDeclarationOnly: true, declaration: true, noCheck: true, rootDir: resolve('src') };
  const whole = { extends: resolve('tsconfig.json'), compilerOptions: { ...made, outDir }, include: [] };
  writeFileSync(config, JSON.stringify({ ...whole, files: [resolve('src/library/index.ts')] }));
  execFileSync(process.execPath, ['node_modules/typescript/lib/tsc.js', '-p', config], { stdio: 'inherit' });
}

/** The declarations that one of them leads to, itself included. */
function filesFrom(folder, entry) {
  const found = new Set([entry]);
  for (const file of found) {
    const text = readFileSync(join(folder, file), 'utf8');
    for (const [, name] of text.matchAll(NAMED)) found.add(normalize(join(dirname(file), `${name}.d.ts`)));
  }
  return found;
}
