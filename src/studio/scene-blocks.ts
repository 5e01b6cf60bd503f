import { frameRateOf } from '../contract/timeline/frame-rate.ts';
import { divide, rational, rationalRate, toNumber } from '../contract/timeline/rational.ts';
import { outputFrameOf } from '../contract/timeline/resolve-timeline.ts';
import type { Timeline } from '../contract/timeline/timeline.ts';
import type { MapNode } from '../kernel/yaml/tree.ts';
import type { Video } from '../reconciler/definition/video.ts';
import { lengthWords } from '../report/wording/scene-words.ts';
import { writtenScene } from './definition-tree.ts';
import { isOfRow } from './field-cells.ts';
import { problemFinder } from './form-fields.ts';
import type { LoadedRepository } from './ports.ts';
import type { PictureMeasures, VideoCard } from './protocol.ts';
import { sceneRows } from './row-table.ts';
import type { SceneBlock } from './timeline-protocol.ts';

/**
 * Returns the scenes of a video as blocks of a timeline.
 *
 * @param picture whose frames the page shows
 * @param tree of the definition
 */
export function sceneBlocks(
  { scenes }: Pick<Video, 'scenes'>,
  timeline: Timeline,
  { fps, frameCount }: PictureMeasures,
  tree: MapNode | null,
  card: Pick<VideoCard, 'problems'>,
  loaded: LoadedRepository,
): SceneBlock[] {
  const problemsAt = problemFinder(card.problems, loaded.project);
  const frameOf = (frame: number): number =>
    Math.min(frameCount, outputFrameOf(frame, timeline.rate, frameRateOf(fps)));
  const secondsOf = (frames: number): number => toNumber(divide(rational(frames), rationalRate(timeline.rate)));
  return timeline.scenes.map((placed, index): SceneBlock => {
    const { id, start, length, transition, why } = placed;
    const { template, duration } = scenes[index]!;
    return {
      id,
      template,
      first: frameOf(start),
      end: frameOf(start + length),
      seconds: secondsOf(length),
      duration: duration === undefined ? null : typeof duration === 'object' ? 'content' : String(duration),
      why: lengthWords(why, timeline),
      transition: transition && {
        type: transition.type,
        first: frameOf(transition.from),
        end: frameOf(transition.from + transition.frames),
      },
      ...writtenOf(id, tree, loaded, problemsAt),
    };
  });
}

/** Scenes of a fragment have no place in the list of the definition. */
function writtenOf(
  id: string,
  tree: MapNode | null,
  loaded: LoadedRepository,
  problemsAt: ReturnType<typeof problemFinder>,
): Pick<SceneBlock, 'written' | 'problems'> {
  const written = writtenScene(id, tree);
  if (written === null) return { written, problems: [] };
  const { node, index, isEach } = written;
  const table = isEach ? sceneRows(node, loaded) : null;
  const row = table?.rows[table.ids.indexOf(id)] ?? null;
  const problems = [...problemsAt(node.span), ...(row === null ? [] : problemsAt(row.span))].filter((problem) =>
    isOfRow(problem, row),
  );
  const isHere = node.span.file === tree?.span.file;
  return { written: isHere ? { index, isEach, rows: table?.path ?? null } : null, problems };
}
