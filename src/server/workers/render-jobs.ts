import type { SessionProblem } from '../../session/ports.ts';
import type { SessionRunner } from '../../session/session-runner.ts';
import type { JobHandler, JobHandlers } from '../queue/job-handlers.ts';
import type { StyleVersions } from '../templates/style-versions.ts';
import { traced } from '../trace.ts';

export interface RenderJobsOptions {
  readonly runner: SessionRunner;
  readonly styleVersions: StyleVersions;
  /** Videos at once. */
  readonly places: number;
}

/** What a process that renders does: videos, and beside them, at a place of their own each, stills and still cuts. */
export function renderJobs({ runner, styleVersions, places }: RenderJobsOptions): JobHandlers {
  const sessions: Omit<JobHandler, 'places'> = {
    run: (id, signal) => traced('render_session', { 'reelform.session': id }, () => runner.run(id, signal)),
    onDead: (id) => runner.fail(id, LOST),
  };
  return {
    render: { places, ...sessions },
    still: { places: 1, ...sessions },
    stillcuts: {
      places: 1,
      run: (id, signal) => styleVersions.process(id, signal),
      onDead: (id) => styleVersions.fail(id),
    },
  };
}

/** Three workers have begun it, and none came to its end. */
const LOST: SessionProblem = {
  code: 'render_crashed',
  title: 'The process that rendered it ended five times',
  severity: 'error',
  retryable: true,
};
