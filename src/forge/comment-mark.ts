/** What a comment is about, hidden in it. */
export interface CommentData {
  readonly plan_id: string;
  /** Commits, where they are known. */
  readonly head_sha: string | null;
  readonly base_sha: string | null;
}

/** The first line of every comment about plans, by which it is found. @param tag as `--tag` takes it */
export function commentMarker(tag: string): string {
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
