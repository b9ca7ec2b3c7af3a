// Makes the files of a release from the one version in package.json, and publishes nothing: the tarball, the notes out of the
// changelog, the SBOM and the checksums of all three, into FOLDER (release); then it says what a person does with them.
// --rehearse: also of a version that is not ready.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sbomOf } from './sbom.mjs';

const { values, positionals } = parseArgs({ options: { rehearse: { type: 'boolean' } }, allowPositionals: true });
const [folder = 'release'] = positionals;
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const tag = `v${version}`;
const { date, text } = changesOf(version);

const hindrances = [
  ...(lock.version === version ? [] : [`package-lock.json has the version ${lock.version}: npm install`]),
  ...(text === '' ? [`CHANGELOG.md has no section "## ${version} (YYYY-MM-DD)".`] : []),
  ...(date === 'unreleased' ? [`CHANGELOG.md calls ${version} unreleased: give it its date.`] : []),
  ...(git('tag', '--list', tag) === '' ? [] : [`There is a tag ${tag} already: raise the version.`]),
  ...(git('status', '--porcelain', '--untracked-files=no') === '' ? [] : ['Changes are not committed.']),
];
if (hindrances.length > 0) {
  process.stderr.write(`${name} ${version} is not ready:\n${hindrances.map((each) => `  ${each}\n`).join('')}`);
  if (!values.rehearse) process.exit(1);
}

mkdirSync(folder, { recursive: true });
execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { stdio: ['ignore', 'ignore', 'inherit'] });
const tarball = `${name}-${version}.tgz`;
const notes = `${name}-${version}.md`;
const sbom = `${name}-${version}.cdx.json`;
writeFileSync(join(folder, notes), text);
const listed = execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], { encoding: 'utf8' });
const document = sbomOf(JSON.parse(listed), { name, bundled: bundledLibraries(), tarballSha256: sha256(tarball) });
writeFileSync(join(folder, sbom), `${JSON.stringify(document, null, 2)}\n`);
const sums = [tarball, notes, sbom].map((file) => `${sha256(file)}  ${file}\n`).join('');
writeFileSync(join(folder, 'SHA256SUMS'), sums);
process.stdout.write(`${sums}
Nothing is published. To do that:
  git tag --annotate ${tag} --file ${join(folder, notes)} --cleanup=verbatim
  npm publish ${join(folder, tarball)}     # in CI, which can vouch for where it was built
`);

/** The section of the changelog: its date or `unreleased`, and its text; both empty if there is none. */
function changesOf(wanted) {
  const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
  const section = sections.find((each) => each.startsWith(`${wanted} (`)) ?? '';
  const [, said = ''] = /\((unreleased|\d{4}-\d{2}-\d{2})\)/.exec(section.split('\n')[0] ?? '') ?? [];
  return said === ''
    ? { date: '', text: '' }
    : { date: said, text: `${section.slice(section.indexOf('\n')).trim()}\n` };
}

/** "name version" of every library whose licence the build wrote down. */
function bundledLibraries() {
  const sections = readFileSync('dist/THIRD-PARTY-LICENSES.txt', 'utf8').split(`\n${'-'.repeat(80)}\n\n`);
  return sections.map((section) => section.slice(0, section.indexOf('\n')));
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function sha256(file) {
  return createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('hex');
}
