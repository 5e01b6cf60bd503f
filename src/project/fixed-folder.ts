/** The folder below which a path becomes an id: the part of the glob before anything that varies; `''` for the root. */
export function fixedFolder(pattern: string): string {
  const segments = pattern.replace(/^\.\//, '').split('/');
  const first = segments.findIndex((segment) => /[*?{}[\]()!+@|]/.test(segment));
  return (first === -1 ? segments.slice(0, -1) : segments.slice(0, first)).join('/');
}
