import type { Io } from '../io.ts';
import { applyFormat } from './apply-format.ts';
import type { ApplyOptions } from './apply-options.ts';
import type { ApplyView } from './apply-view.ts';

/**
 * The view of the form that was asked for; null where stderr and the last words say it all.
 *
 * @throws ReelformError `options_conflict`
 */
export async function openApplyView(options: ApplyOptions, io: Io): Promise<ApplyView | null> {
  switch (applyFormat(options)) {
    case 'text':
      return null;
    case 'json': {
      if (options.refreshOnly === true) return null;
      const { ApplyStream } = await import('./apply-stream.ts');
      return new ApplyStream(io);
    }
    case 'github': {
      const { GitHubView } = await import('./github-view.ts');
      return new GitHubView(options, io);
    }
  }
}
