import { commentText } from '../../report/terminal/forge-text.ts';
import { ForgeError } from '../forge/forge-client.ts';
import { type CommentAccess, isMarked, type PostedComment, writeComment } from '../forge/write-comment.ts';
import type { Io } from '../io.ts';
import type { CommentDraft, CommentOptions } from './comment-draft.ts';

/** @throws ForgeError `forge_refused` */
export function tokenOf({ tokenEnv }: CommentOptions, { env }: Io, hint: string): string {
  const token = env[tokenEnv]?.trim() ?? '';
  if (token !== '') return token;
  throw new ForgeError('forge_refused', `${tokenEnv} contains no token`, { hint });
}

/**
 * Writes the comment of a draft, and reports what happened to it.
 *
 * @param subject start of the report, if there are several comments
 * @throws ForgeError
 */
export async function post<C extends PostedComment>(
  comments: CommentAccess<C>,
  body: string,
  { hasNews }: CommentDraft,
  { tag, behavior, skipNoDiff }: CommentOptions,
  io: Io,
  subject = '',
): Promise<void> {
  const isManaged = (comment: string): boolean => isMarked(comment, tag);
  const written = await writeComment(comments, { body, isManaged, behavior, hasNews, skipsQuiet: skipNoDiff === true });
  io.stderr.write(subject + commentText(written));
}
