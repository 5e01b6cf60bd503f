import type { CommentPlace, PostedComment } from '../write-comment.ts';
import {
  createComment,
  deleteComment,
  type GitHubComment,
  listComments,
  minimizeComment,
  updateComment,
} from './comments.ts';
import type { GitHub } from './github.ts';
import { viewerLogin } from './viewer.ts';

/** The comments of a pull request, or an issue. */
export function gitHubPlace(github: GitHub, number: number): CommentPlace<GitHubComment & PostedComment> {
  return {
    async own() {
      const author = await viewerLogin(github);
      return (await listComments(github, number)).filter((comment) => comment.author === author);
    },
    create: (body) => createComment(github, number, body),
    update: ({ id }, body) => updateComment(github, id, body),
    remove: ({ id }) => deleteComment(github, id),
    hide: ({ nodeId }) => minimizeComment(github, nodeId),
  };
}
