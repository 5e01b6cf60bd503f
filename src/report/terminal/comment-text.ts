const KINDS = {
  created: 'The comment was created',
  updated: 'The comment was updated',
  same: 'The comment is already up to date',
  hidden: 'The plan has no changes; the earlier comment was hidden',
  deleted: 'The plan has no changes; the earlier comment was deleted',
  none: 'The plan has no changes; no comment was created',
} as const;

/** Reports what happened to a comment. */
export function commentText({ kind, url }: { readonly kind: keyof typeof KINDS; readonly url: string | null }): string {
  return `${KINDS[kind]}${url === null ? '' : `: ${url}`}\n`;
}

/** Formats a warning as a line, or as an annotation in a job of GitHub Actions. */
export function warningText(
  { message, code, hint }: { readonly message: string; readonly code?: string; readonly hint?: string | undefined },
  isAction: boolean,
): string {
  const text = `${code === undefined ? '' : `${code}: `}${message}${hint === undefined ? '' : `. ${hint}`}`;
  const line = text.replaceAll(/[\s\p{C}]+/gu, ' ');
  return isAction ? `::warning title=reelform::${line.replaceAll('%', '%25')}\n` : `warning: ${line}\n`;
}
