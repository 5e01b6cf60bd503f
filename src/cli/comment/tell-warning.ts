import { warningText } from '../../report/markdown/comment-text.ts';
import type { Io } from '../io.ts';

/** Says what is worth knowing and fails nothing. */
export function tellWarning(
  warning: { readonly message: string; readonly code?: string; readonly hint?: string | undefined },
  io: Io,
): void {
  io.stderr.write(warningText(warning, io.env.GITHUB_ACTIONS === 'true'));
}
