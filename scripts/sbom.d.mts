/** One package in package-lock.json. */
interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

export interface Component {
  readonly type: 'library';
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly scope: 'required' | 'optional' | 'excluded';
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly purl: string;
}

/**
 * The CycloneDX document of a release: every package of the lock once. `bundled` are "name version" of the libraries in the bundle,
 * which are `required`, as is what npm installs beside it; tools are `excluded`. Throws if the lock lacks one of the bundled.
 */
export function sbomOf(
  lock: { readonly name: string; readonly version: string; readonly packages: Readonly<Record<string, LockEntry>> },
  bundled: readonly string[],
  tarballSha256: string,
): {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly metadata: { readonly component: { readonly purl: string; readonly hashes: readonly unknown[] } };
  readonly components: readonly Component[];
};
