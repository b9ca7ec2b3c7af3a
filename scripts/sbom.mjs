/**
 * Completes the CycloneDX document of `npm sbom`, which knows all packages of the lock, but not which of them are in the
 * bundle. `bundled` are "name version" of these: they are `required`, as is what npm installs beside the bundle. Tools are
 * `excluded`. The project gets its name, by which npm calls the folder, and the time is left out, so that the same release has
 * the same document. Throws if the lock lacks one of the bundled.
 */
export function sbomOf({ metadata, components, serialNumber: _, ...document }, { name, bundled, tarballSha256 }) {
  const nameOf = (component) => `${component.name} ${component.version}`;
  const known = new Set(components.map(nameOf));
  const unknown = bundled.filter((each) => !known.has(each));
  if (unknown.length > 0) throw new Error(`Bundled, but not in package-lock.json: ${unknown.join(', ')}`);
  const scopeOf = (component) => {
    if (bundled.includes(nameOf(component))) return 'required';
    const isTool = component.properties.some(({ name }) => name === 'cdx:npm:package:development');
    return isTool ? 'excluded' : component.scope;
  };
  const hashes = [{ alg: 'SHA-256', content: tarballSha256 }];
  return {
    ...document,
    metadata: { component: { ...metadata.component, type: 'application', name, hashes } },
    components: components.map((each) => ({ ...each, scope: scopeOf(each) })),
  };
}
