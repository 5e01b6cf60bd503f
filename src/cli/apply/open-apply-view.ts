import type { Io } from '../io.ts';
import { applyFormat } from './apply-format.ts';
import type { ApplyOptions } from './apply-options.ts';
import type { ApplyView } from './apply-view.ts';

/**
 * Who is told of a run, as it was asked for; null where stderr and the last words say it all.
 *
 * @throws ReelformError `options_conflict`
 */
export async function openApplyView(options: ApplyOptions, io: Io): Promise<ApplyView | null> {
  const views = [await viewOfFormat(options, io), await viewOfFailures(options, io)].filter((view) => view !== null);
  if (views.length <= 1) return views[0] ?? null;
  return {
    tell(event) {
      for (const view of views) view.tell(event);
    },
    fail(diagnostics) {
      for (const view of views) view.fail(diagnostics);
    },
    async close() {
      for (const view of views) await view.close?.();
    },
  };
}

async function viewOfFormat(options: ApplyOptions, io: Io): Promise<ApplyView | null> {
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

async function viewOfFailures(options: ApplyOptions, io: Io): Promise<ApplyView | null> {
  // Together with --refresh-only it is refused.
  if (options.reportFailures !== true || options.refreshOnly === true) return null;
  const { FailureView } = await import('./failure-view.ts');
  return new FailureView(options, io);
}
