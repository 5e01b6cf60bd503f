import { type Diagnostic, errorAt } from '../../kernel/diagnostic.ts';
import { locateTimeline } from '../../reconciler/definition/scene-spans.ts';
import type { Video } from '../../reconciler/definition/video.ts';
import { contentSounds } from '../../reconciler/definition/video-timeline.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { ALLOW_EVERYTHING } from '../../service/sessions/sources/allow-list.ts';
import type { Io } from '../io.ts';
import { contentFindings, contentLengths } from '../state/content-lengths.ts';
import { failedSounds, type MeasuredSound, remoteSounds, withMeasured } from '../state/measure-remote-sounds.ts';
import { withProcesses } from './command-pool.ts';
import { openMeasure } from './open-measure.ts';

/**
 * Measures the sounds that decide how long the scenes of a video are, before it is rendered. Rendering fetches remote sounds too, so
 * any address may be contacted.
 *
 * @returns why lengths are not known, and the problems of scenes with the lengths
 */
export async function measureVideo(video: Video, project: Project, io: Io): Promise<Diagnostic[]> {
  const { root, source, templates } = project;
  if (contentSounds(video).length === 0) return [];
  return withProcesses(io, async (processes) => {
    const openPool = () => processes.open();
    const local = await contentLengths({ ...project, videos: [video], cache: true }, openPool);
    const urls = remoteSounds(video);
    const measured: ReadonlyMap<string, MeasuredSound> =
      urls.length === 0 ? new Map() : await openMeasure({ root, allow: ALLOW_EVERYTHING, openPool }, io)(urls);
    const locate = locateTimeline(video.path, source);
    const packages = { get: (name: string) => templates.get(name)?.package };
    return [
      ...local.diagnostics,
      ...failedSounds(video, measured).map(({ scene, name, error: { code, message, hint } }) =>
        errorAt(code, locate(scene, 'audio', name), message, hint),
      ),
      ...contentFindings({ videos: [video], source, lengths: withMeasured(measured, local.lengths) }, packages),
    ];
  });
}
