// What a release is made of, as CycloneDX 1.5. Its types: sbom.d.mts

const FOLDER = 'node_modules/';

export function sbomOf({ name, version, packages }, bundled, tarballSha256) {
  const own = packages[''];
  const described = Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => componentOf(path.slice(path.lastIndexOf(FOLDER) + FOLDER.length), entry, bundled))
    .sort((a, b) => SCOPES.indexOf(a.scope) - SCOPES.indexOf(b.scope));
  // One library may lie in several folders; the last one, which counts most, speaks for it.
  const byPurl = new Map(described.map((component) => [component.purl, component]));
  const components = [...byPurl.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const known = new Set(components.filter(({ scope }) => scope === 'required').map(fullName));
  const unknown = bundled.filter((each) => !known.has(each));
  if (unknown.length > 0) throw new Error(`Bundled, but not in package-lock.json: ${unknown.join(', ')}`);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': purlOf(name, version),
        name,
        version,
        hashes: [{ alg: 'SHA-256', content: tarballSha256 }],
        licenses: [{ expression: own.license }],
        purl: purlOf(name, version),
      },
    },
    components,
  };
}

/** Used to build and test alone; installed where it can be; in the bundle or installed with it. */
const SCOPES = ['excluded', 'optional', 'required'];

function componentOf(fullName, { version, integrity, license, dev, optional }, bundled) {
  const [group, name] = fullName.startsWith('@') ? fullName.split('/') : [undefined, fullName];
  const isBundled = bundled.includes(`${fullName} ${version}`);
  const scope = isBundled ? 'required' : dev ? 'excluded' : optional ? 'optional' : 'required';
  return {
    type: 'library',
    'bom-ref': purlOf(fullName, version),
    ...(group ? { group } : {}),
    name,
    version,
    scope,
    ...(integrity ? { hashes: [hashOf(integrity)] } : {}),
    ...(license ? { licenses: [{ expression: license }] } : {}),
    purl: purlOf(fullName, version),
  };
}

function fullName({ group, name, version }) {
  return `${group ? `${group}/` : ''}${name} ${version}`;
}

function purlOf(name, version) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** `sha512-…` in base64, as CycloneDX wants it. */
function hashOf(integrity) {
  const [, bits, digest] = /^sha(\d+)-(\S+)/.exec(integrity) ?? [];
  return { alg: bits === '1' ? 'SHA-1' : `SHA-${bits}`, content: Buffer.from(digest, 'base64').toString('hex') };
}
