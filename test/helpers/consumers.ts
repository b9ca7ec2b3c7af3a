import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const libraryPage = readFileSync('docs/library.md', 'utf8');

/** The programs on the page, by the comment with which each begins. */
export const examples = [...libraryPage.matchAll(/```ts\n\/\/ ([^\n]+)\n([\s\S]*?)```/g)].map(
  ([, title = '', code = '']) => ({ title, code }),
);

/** A program with mistakes that the types have to find. The compiler reports every line that is not a mistake. */
const MISTAKES = `
import { openMarketplace, type Marketplace, type RequestFields, SrqError, type Status } from 'srq';

export async function mistakes(marketplace: Marketplace, error: unknown): Promise<Status> {
  // @ts-expect-error a number may have lost digits
  await marketplace.create({ phone: 351912345678 });
  // @ts-expect-error no such option
  await openMarketplace({ baseUrl: 'x', clientId: 'x', clientSecret: 'x', stateFolder: 'x', retries: 3 });
  // @ts-expect-error the folder of the log is missing
  await openMarketplace({ baseUrl: 'x', clientId: 'x', clientSecret: 'x' });
  // @ts-expect-error no such status
  if ((await marketplace.create({})).status === 'done') throw error;
  // @ts-expect-error no such code
  if (error instanceof SrqError && error.code === 'nonsense') throw error;
  // @ts-expect-error no such way
  await marketplace.importRows([], { inDoubt: 'send' });
  // @ts-expect-error an identifier is text
  await marketplace.resolve('0123456789', { created: 17 });
  // @ts-expect-error what the library is made of cannot be changed
  marketplace.run = 'x';
  const request: RequestFields = { country: 'PT', agent_code: 'x', ref: null };
  const { counts, stopped } = await marketplace.importRows(new Set([request]), { maxErrors: '5%' });
  const hint: string | null = stopped?.hint ?? null;
  if (counts.unknown > 0 && hint !== null) throw stopped;
  for await (const { status } of marketplace.log()) return status;
  return (await marketplace.create(request, { signal: AbortSignal.timeout(1000) })).status;
}
`;

const OPEN = `openMarketplace({
  baseUrl: process.env.SRQ_BASE_URL,
  clientId: process.env.SRQ_CLIENT_ID,
  clientSecret: process.env.SRQ_CLIENT_SECRET,
  stateFolder: './state',
})`;
const CREATE = `
  const marketplace = await ${OPEN};
  const request = { country: 'PT', phone: '+351912345678', request_text: 'Obras' };
  const { status } = await marketplace.create(request);
  await marketplace.close();
  console.log(status);`;
const PROGRAMS = {
  'program.cjs': `const { openMarketplace } = require('srq');\n(async () => {${CREATE}\n})();`,
  'program.mjs': `import { createRequire } from 'node:module';
    import { openMarketplace, SrqError } from 'srq';
    if (createRequire(import.meta.url)('srq').SrqError !== SrqError) throw new Error('two libraries');${CREATE}`,
};

/** Writes programs that use a package into a folder. They are in JavaScript, and below `typed` in TypeScript. */
export function writeConsumers(folder: string, tarball: string): void {
  const inProject = (...names: string[]) => join(folder, ...names);
  // The package is installed as npm does it. Its one dependency is copied from here, so that no registry is needed.
  mkdirSync(inProject('node_modules', 'srq'), { recursive: true });
  spawnSync('tar', ['-xzf', tarball, '--strip-components=1', '-C', inProject('node_modules', 'srq')]);
  const locks = 'node_modules/fs-native-extensions';
  symlinkSync(realpathSync(locks), inProject(locks));
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(inProject(name), text);

  mkdirSync(inProject('typed'));
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2022', strict: true, skipLibCheck: false, outDir: 'out', rootDir: '.' },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noPropertyAccessFromIndexSignature: true },
    ...{ types: ['node'], typeRoots: [resolve('node_modules/@types')] },
  };
  writeFileSync(inProject('typed', 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  writeFileSync(inProject('typed', 'package.json'), '{"type":"module"}');
  writeFileSync(inProject('typed', 'mistakes.ts'), MISTAKES);
  const required =
    "import srq = require('srq');\nexport const open: typeof srq.openMarketplace = srq.openMarketplace;\n";
  writeFileSync(inProject('typed', 'required.cts'), required);
  for (const [at, { code }] of examples.entries()) writeFileSync(inProject('typed', `example${at}.ts`), code);
}
