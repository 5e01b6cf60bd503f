import type { Behavior } from '../../forge/write-comment.ts';
import type { GlobalOptions } from '../global-options.ts';

/** What comments on GitHub and GitLab have in common. */
export interface CommentOptions extends GlobalOptions {
  /** The plan's document. */
  readonly plan: string;
  readonly previewDir?: string;
  /** Beginnings of addresses from which pictures may be shown, beside those of the repository itself. */
  readonly previewUrl?: readonly string[];
  /** Where the pictures are published, drawn anew: `branch:NAME`, or a place in a bucket. */
  readonly previewHost?: string;
  /** Days. */
  readonly previewKeep?: number;
  /** The address of the plan's page. */
  readonly page?: string;
  readonly behavior: Behavior;
  readonly skipNoDiff?: boolean;
  readonly dryRun?: boolean;
  readonly tag: string;
  readonly strict?: boolean;
  /** The name of the variable that holds the token. */
  readonly tokenEnv: string;
}
