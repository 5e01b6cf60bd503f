/** Requests of a job and the permission that GitHub documents for each route. */
const NEEDED: readonly (readonly [RegExp, readonly string[]])[] = [
  // A comment on a pull request accepts either permission.
  [/^(?:POST|PATCH|DELETE) issues\/(?:\{n\}\/)?comments/, ['issues', 'pull-requests']],
  [/^(?:POST|PATCH) issues/, ['issues', 'pull-requests']],
  [/^(?:POST|PATCH) pulls/, ['pull-requests']],
  [/^(?:POST|PATCH) check-runs/, ['checks']],
  [/^(?:POST|PATCH|DELETE) git\/|^GraphQL createCommitOnBranch$/, ['contents']],
  [/^GraphQL minimizeComment$/, ['issues', 'pull-requests']],
];

/** Returns the routes that the permissions of a job do not allow. Unknown routes that change something are included. */
export function notPermitted(
  routes: readonly string[],
  permissions: Readonly<Record<string, string>> | undefined,
): readonly string[] {
  return routes.filter((route) => {
    if (route.startsWith('GET ') || route === 'GraphQL viewer') return false;
    const found = NEEDED.find(([pattern]) => pattern.test(route));
    return !found?.[1].some((one) => permissions?.[one] === 'write');
  });
}
