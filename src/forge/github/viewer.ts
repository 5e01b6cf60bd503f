import type { GitHub } from './github.ts';
import { textOf } from './github.ts';

export const VIEWER_QUERY = 'query { viewer { login } }';

/**
 * The login under which what the token writes appears in REST: of an app with its `[bot]`. `GET /user` is refused to the
 * token of a job; this is not.
 */
export async function viewerLogin(github: GitHub): Promise<string> {
  const { viewer } = await github.graphql(VIEWER_QUERY, {}, 'safe');
  return textOf(viewer, 'login');
}
