import { parseRecord } from '../../kernel/json.ts';
import { createOnce, ForgeError } from './forge-client.ts';

const BEHAVIORS = ['update', 'new', 'hide-and-new', 'delete-and-new'] as const;

/** How to treat existing comments. */
export type Behavior = (typeof BEHAVIORS)[number];

export interface PostedComment {
  readonly id: number;
  readonly body: string;
  readonly url: string | null;
}

/** Access to the comments of a pull request or a merge request. */
export interface CommentAccess<C extends PostedComment = PostedComment> {
  /** Returns all comments of the token's account, oldest first. */
  listByAccount(): Promise<readonly C[]>;
  create(body: string): Promise<C>;
  update(comment: C, body: string): Promise<void>;
  remove(comment: C): Promise<void>;
  /** Collapses a comment as outdated. */
  hide(comment: C): Promise<void>;
}

interface WrittenComment {
  /** `none`: there was nothing to report, and no earlier comment. */
  readonly kind: 'created' | 'updated' | 'same' | 'hidden' | 'deleted' | 'none';
  readonly url: string | null;
}

/** Usually one comment is not hidden yet; there are more after failed runs. */
const MAX_HIDDEN = 10;

/**
 * Creates or updates a comment. An identical comment is left unchanged; comments of other accounts are never touched.
 *
 * @param isManaged returns true for the text of a comment to manage
 * @param hasNews false if there is nothing to report: then a comment is written only to correct an earlier comment
 * @param skipsQuiet writes no comment without news: `update` corrects the present comment, the other behaviors at most
 *   hide or delete it
 */
export async function writeComment<C extends PostedComment>(
  comments: CommentAccess<C>,
  comment: {
    readonly body: string;
    readonly isManaged: (body: string) => boolean;
    readonly behavior: Behavior;
    readonly hasNews: boolean;
    readonly skipsQuiet?: boolean;
  },
): Promise<WrittenComment> {
  const { body, behavior, hasNews } = comment;
  const listManaged = async (): Promise<C[]> =>
    (await comments.listByAccount()).filter((found) => comment.isManaged(found.body));
  const before = await listManaged();
  const newest = before.at(-1);
  const isSkipped = !hasNews && (newest === undefined || (comment.skipsQuiet === true && behavior !== 'update'));

  const tidy = async (): Promise<'hidden' | 'deleted' | 'none'> => {
    if (before.length === 0) return 'none';
    if (behavior === 'hide-and-new') {
      for (const earlier of before.slice(-MAX_HIDDEN)) await unlessGone(comments.hide(earlier));
      return 'hidden';
    }
    if (behavior !== 'delete-and-new') return 'none';
    for (const earlier of before) await unlessGone(comments.remove(earlier));
    return 'deleted';
  };
  if (isSkipped) return { kind: await tidy(), url: null };
  if (newest !== undefined && isSame(newest.body, body)) return { kind: 'same', url: newest.url };
  if (newest !== undefined && behavior === 'update') {
    const updated = await unlessGone(comments.update(newest, body).then(() => true));
    if (updated === true) {
      // Two concurrent runs may each have written a comment.
      for (const earlier of before.slice(0, -1).slice(-MAX_HIDDEN)) await unlessGone(comments.hide(earlier));
      return { kind: 'updated', url: newest.url };
    }
  }
  const known = new Set(before.map(({ id }) => id));
  const { url } = await createOnce(
    () => comments.create(body),
    async () => (await listManaged()).find((found) => !known.has(found.id) && isSame(found.body, body)),
  );
  // The new comment comes first, so that the pull request has a comment whatever fails now.
  await tidy();
  return { kind: 'created', url };
}

/** Returns null if the comment was removed meanwhile. */
async function unlessGone<T>(action: Promise<T>): Promise<T | null> {
  try {
    return await action;
  } catch (error) {
    if (error instanceof ForgeError && (error.status === 404 || error.types.includes('NOT_FOUND'))) return null;
    throw error;
  }
}

/** Servers may change line endings and trim the end. */
function isSame(posted: string, body: string): boolean {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n').trimEnd();
  return plain(posted) === plain(body);
}

/** Data hidden in a comment. */
export interface CommentData {
  readonly plan_id: string;
  /** Commits, if known. */
  readonly head_sha: string | null;
  readonly base_sha: string | null;
  /** Digests of the plan's effects, joined; null if they are too many. */
  readonly approvals: string | null;
  /** Id of the job that made the plan, if the comment was written from its artifact. */
  readonly job_id?: string | null;
}

/** Returns the first line of every plan comment, which identifies it. @param tag value of `--tag` */
function commentMarker(tag: string): string {
  return `<!-- reelform:plan:${tag} -->`;
}

/**
 * Returns the full text of a comment. Values other than digests and commits are omitted, so that nothing can end the
 * hidden part.
 */
export function markedComment(tag: string, data: CommentData, text: string): string {
  const hidden = Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      HIDDEN[name as keyof CommentData].test(value ?? '') ? value : null,
    ]),
  );
  return [commentMarker(tag), `<!-- ${JSON.stringify(hidden)} -->`, '', text.trim()].join('\n');
}

const COMMIT = /^[0-9a-f]{7,64}$/;
const HIDDEN: Readonly<Record<keyof CommentData, RegExp>> = {
  job_id: /^[0-9]{1,16}$/,
  plan_id: /^sha256:[0-9a-f]{64}$/,
  head_sha: COMMIT,
  base_sha: COMMIT,
  approvals: /^[A-Za-z0-9+/]+$/,
};

/** Returns the hidden data of a comment; null for other comments, and for those without a plan. */
export function commentData(body: string, tag: string): CommentData | null {
  if (!isMarked(body, tag)) return null;
  const hidden = parseRecord(/^<!-- (\{.*\}) -->$/.exec(body.split(/\r?\n/, 2)[1] ?? '')?.[1] ?? '') ?? {};
  const read = (name: keyof CommentData): string | null => {
    const value = hidden[name];
    return typeof value === 'string' && HIDDEN[name].test(value) ? value : null;
  };
  const planId = read('plan_id');
  if (planId === null) return null;
  return {
    plan_id: planId,
    head_sha: read('head_sha'),
    base_sha: read('base_sha'),
    approvals: read('approvals'),
    job_id: read('job_id'),
  };
}

/** Checks whether the first line of a comment is exactly the marker. */
export function isMarked(body: string, tag: string): boolean {
  return body.split(/\r?\n/, 1)[0] === commentMarker(tag);
}
