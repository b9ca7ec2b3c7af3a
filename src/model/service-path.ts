/**
 * Whether a path stays under the base URL, and is nothing else: another host, a query, or a step up, also an encoded one,
 * would take the credentials elsewhere.
 */
export function isServicePath(path: string): boolean {
  const decoded = path.replace(/%2e/gi, '.').replace(/%(?:2f|5c)/gi, '/');
  return /^\/(?!\/)[^\s?#\\]*$/.test(path) && !/\/\.\.?(?:\/|$)/.test(decoded);
}
