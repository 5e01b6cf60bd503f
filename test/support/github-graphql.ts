import type { Asked, GitHubState, Reply } from './github-server.ts';

/** Handles one GraphQL operation of those that Reelform uses. */
export function answerQuery(state: GitHubState, { body, user }: Asked, dry: boolean): Reply {
  const query = String(body.query);
  const variables = (body.variables ?? {}) as Record<string, unknown>;
  const name = /\b(createCommitOnBranch|minimizeComment|updateRefs|repository|viewer)\b/.exec(query)?.[1] ?? 'unknown';
  const route = `GraphQL ${name}`;
  const data = (value: unknown): Reply => ({ route, status: 200, body: { data: { [name]: value } } });
  const refuse = (type: string, message: string): Reply => ({
    route,
    status: 200,
    body: { data: { [name]: null }, errors: [{ type, path: [name], locations: [{ line: 1, column: 1 }], message }] },
  });
  if (dry) return data(null);
  if (name === 'viewer') return data({ login: user.login });
  if (name === 'repository') {
    const isOurs = `${variables.owner}/${variables.name}` === state.repository;
    return isOurs ? data({ id: 'R_1' }) : refuse('NOT_FOUND', 'Could not resolve to a Repository');
  }
  if (user.rights !== 'write') return refuse('FORBIDDEN', 'Resource not accessible by integration');
  if (name === 'updateRefs') {
    const { repositoryId, refUpdates } = variables.input as {
      repositoryId: string;
      refUpdates: { name: string; beforeOid: string; afterOid: string; force: boolean }[];
    };
    const [{ name: ref, beforeOid, afterOid, force } = { name: '', beforeOid: '', afterOid: '', force: false }] =
      refUpdates;
    const branch = ref.replace('refs/heads/', '');
    if (repositoryId !== 'R_1') return refuse('NOT_FOUND', 'Could not resolve to a node');
    if (state.protectedBranches.has(branch)) return refuse('UNPROCESSABLE', 'Repository rule violations found');
    const isForward = /^0+$/.test(beforeOid) || state.git?.isAncestor(beforeOid, afterOid) === true;
    if (!force && !isForward) return refuse('UNPROCESSABLE', 'Update is not a fast forward');
    return state.git?.swap(branch, beforeOid, afterOid) === true
      ? data({ clientMutationId: null })
      : refuse('UNPROCESSABLE', `${ref} does not point at what was expected`);
  }
  if (name === 'minimizeComment') {
    const comment = state.comments.find(({ id }) => `IC_${id}` === variables.id);
    if (comment === undefined) return refuse('NOT_FOUND', 'Could not resolve to a node');
    comment.isMinimized = true;
    return data({ minimizedComment: { isMinimized: true } });
  }
  if (name !== 'createCommitOnBranch') return refuse('undefinedField', 'No such field');
  const input = variables.input as {
    branch: { repositoryNameWithOwner: string; branchName: string };
    expectedHeadOid: string;
    message: { headline: string; body?: string };
    fileChanges: { additions: { path: string; contents: string }[]; deletions?: { path: string }[] };
  };
  const { branchName } = input.branch;
  if (input.branch.repositoryNameWithOwner !== state.repository) return refuse('NOT_FOUND', 'Could not resolve');
  if (state.git?.head(branchName) == null) {
    return refuse('NOT_FOUND', `A branch named "${branchName}" does not exist`);
  }
  const stale = refuse(
    'STALE_DATA',
    `Expected branch to point to "${input.expectedHeadOid}" but it did not.  Pull and try again.`,
  );
  if (state.git.head(branchName) !== input.expectedHeadOid) return stale;
  switch (state.protectedBranches.get(branchName)) {
    case 'classic':
      return refuse('BRANCH_PROTECTION_RULE_VIOLATION', `Protected branch update failed for ${branchName}`);
    case 'ruleset':
      return refuse(
        'UNPROCESSABLE',
        'Repository rule violations found\n\nChanges must be made through a pull request.\n\n',
      );
    default: {
      const { additions, deletions = [] } = input.fileChanges;
      const message = [input.message.headline, ...(input.message.body === undefined ? [] : ['', input.message.body])];
      const text = `${message.join('\n')}\n`;
      const oid = state.git.commit(branchName, input.expectedHeadOid, text, user.login, { additions, deletions });
      if (oid === null) return stale;
      return data({ commit: { oid, url: `https://github.com/${state.repository}/commit/${oid}` } });
    }
  }
}
