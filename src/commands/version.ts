import { readFileSync } from 'node:fs';
import type { Context } from '../cli/context.ts';
import { aligned } from '../report/output.ts';

/** Does the same as `--version`, but can also print a document. */
export async function showVersion(context: Context): Promise<number> {
  const { version, options, process } = context;
  const reporter = await context.reporter();
  if (!options.verbose) {
    await reporter.result('version', { version }, () => version);
    return 0;
  }
  const { kernelLockName } = await import('../store/file/kernel-lock.ts');
  const parts = { node: process.versions.node, system: `${process.platform}-${process.arch}`, lock: kernelLockName() };
  const libraries = bundledLibraries();
  await reporter.result('version', { version, ...parts, libraries }, () =>
    [
      version,
      ...aligned(Object.entries(parts)),
      'bundled libraries',
      ...aligned(libraries.map((each) => [each.name, each.version] as const)),
    ].join('\n'),
  );
  return 0;
}

/** Returns the bundled libraries. One of them may occur in two versions. The build lists them above their licences. */
function bundledLibraries(): { readonly name: string; readonly version: string }[] {
  const licences = readFileSync(new URL('../THIRD-PARTY-LICENSES.txt', import.meta.url), 'utf8');
  return licences.split(/^-{80}\n\n/m).map((section) => {
    const [name = '', version = ''] = section.split(/\s/, 2);
    return { name, version };
  });
}
