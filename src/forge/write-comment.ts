import { createOnce, ForgeError } from './forge-error.ts';
export const BEHAVIORS = ['update', 'new', 'hide-and-new', 'delete-and-new'] as const;

/** What becomes of the comments that are there already. */
export type Behavior = (typeof BEHAVIORS)[number];

export interface PostedComment {
  readonly id: number;
  readonly body: string;
  readonly url: string | null;
}

/** Where comments are: a pull request, or a merge request. */
export interface CommentPlace<C extends PostedComment = PostedComment> {
  /** What the token's own account wrote there, over all pages, oldest first. */
  own(): Promise<readonly C[]>;
  create(body: string): Promise<C>;
  update(comment: C, body: string): Promise<void>;
  remove(comment: C): Promise<void>;
  /** Folds it away as outdated. */
  hide(comment: C): Promise<void>;
}

export interface WrittenComment {
  /** `none`: there is nothing to say, and there was nothing. */
  readonly kind: 'created' | 'updated' | 'same' | 'hidden' | 'deleted' | 'none';
  readonly url: string | null;
}

/** Of those that were not hidden by earlier runs, there is one; more are where runs failed. */
const MOST_HIDDEN = 10;

/**
 * Sees to it that a comment says what it should. One that says so already is left alone; those of others are never
 * touched, whatever is in them.
 *
 * @param isOurs whether a comment of our account is one of these
 * @param hasNews false: there is nothing to say. A comment is made only where another one has to be corrected
 * @param skipsQuiet makes no comment without news at all: `update` corrects the one that is there, the others at most
 *   hide or delete
 * @throws ForgeError
 */
export async function writeComment<C extends PostedComment>(
  place: CommentPlace<C>,
  comment: {
    readonly body: string;
    readonly isOurs: (body: string) => boolean;
    readonly behavior: Behavior;
    readonly hasNews: boolean;
    readonly skipsQuiet?: boolean;
  },
): Promise<WrittenComment> {
  const { body, behavior, hasNews } = comment;
  const listOurs = async (): Promise<C[]> => (await place.own()).filter((one) => comment.isOurs(one.body));
  const before = await listOurs();
  const newest = before.at(-1);
  const isSkipped = !hasNews && (newest === undefined || (comment.skipsQuiet === true && behavior !== 'update'));

  const tidy = async (): Promise<'hidden' | 'deleted' | 'none'> => {
    if (before.length === 0) return 'none';
    if (behavior === 'hide-and-new') {
      for (const one of before.slice(-MOST_HIDDEN)) await unlessGone(place.hide(one));
      return 'hidden';
    }
    if (behavior !== 'delete-and-new') return 'none';
    for (const one of before) await unlessGone(place.remove(one));
    return 'deleted';
  };
  if (isSkipped) return { kind: await tidy(), url: null };
  if (newest !== undefined && isSame(newest.body, body)) return { kind: 'same', url: newest.url };
  if (newest !== undefined && behavior === 'update') {
    const updated = await unlessGone(place.update(newest, body).then(() => true));
    if (updated === true) {
      // Two runs that began at once each wrote one.
      for (const one of before.slice(0, -1).slice(-MOST_HIDDEN)) await unlessGone(place.hide(one));
      return { kind: 'updated', url: newest.url };
    }
  }
  const known = new Set(before.map(({ id }) => id));
  const { url } = await createOnce(
    () => place.create(body),
    async () => (await listOurs()).find((one) => !known.has(one.id) && isSame(one.body, body)),
  );
  // The new one first: whatever fails now, the pull request has its comment.
  await tidy();
  return { kind: 'created', url };
}

/** Null where somebody has removed the comment meanwhile. */
async function unlessGone<T>(action: Promise<T>): Promise<T | null> {
  try {
    return await action;
  } catch (error) {
    if (error instanceof ForgeError && (error.status === 404 || error.types.includes('NOT_FOUND'))) return null;
    throw error;
  }
}

/** Servers may keep other line ends, and none at the end. */
function isSame(one: string, other: string): boolean {
  const plain = (text: string): string => text.replaceAll('\r\n', '\n').trimEnd();
  return plain(one) === plain(other);
}

/** What a comment is about, hidden in it. */
export interface CommentData {
  readonly plan_id: string;
  /** Commits, where they are known. */
  readonly head_sha: string | null;
  readonly base_sha: string | null;
}

/** The first line of every comment about plans, by which it is found. @param tag as `--tag` takes it */
function commentMarker(tag: string): string {
  return `<!-- reelform:plan:${tag} -->`;
}

/** A comment as it is posted. What is no digest and no commit is not written, so that nothing can end the hidden part. */
export function markedComment(tag: string, data: CommentData, text: string): string {
  const hidden = Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, HIDDEN.test(value) ? value : null]),
  );
  return [commentMarker(tag), `<!-- ${JSON.stringify(hidden)} -->`, '', text.trim()].join('\n');
}

const HIDDEN = /^(?:sha256:)?[0-9a-f]{7,64}$/;

/** The id of the plan that a comment shows; null when it is no comment about plans, or does not name it. */
export function planIdOf(body: string, tag: string): string | null {
  if (!isMarked(body, tag)) return null;
  return /^<!-- \{"plan_id":"(sha256:[0-9a-f]{64})"/.exec(body.split(/\r?\n/, 2)[1] ?? '')?.[1] ?? null;
}

/** Whether a comment is one of ours: its first line is the marker, and nothing else. */
export function isMarked(body: string, tag: string): boolean {
  return body.split(/\r?\n/, 1)[0] === commentMarker(tag);
}
