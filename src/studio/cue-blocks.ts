import { captionFormat, type FileCue } from '../contract/captions/caption-file.ts';
import { readCaptions } from '../contract/captions/read-captions.ts';
import { divide, rational, rationalRate, toNumber } from '../contract/timeline/rational.ts';
import type { Timeline } from '../contract/timeline/timeline.ts';
import { defined } from '../kernel/defined.ts';
import type { Span } from '../kernel/diagnostic.ts';
import { parseYaml } from '../kernel/yaml/parse-yaml.ts';
import type { TreeNode } from '../kernel/yaml/tree.ts';
import { listedCue } from '../reconciler/definition/edit-cues.ts';
import type { Video } from '../reconciler/definition/video.ts';
import type { Project } from '../reconciler/project/load-project.ts';
import { problemFinder } from './form-fields.ts';
import type { VideoCard } from './protocol.ts';
import type { CueBlock } from './timeline-protocol.ts';

/**
 * Returns the cues of the captions of a video and of its scenes, in the order of their start.
 *
 * @param timeline null for a video of one template
 * @param seconds length of the video
 */
export function cueBlocks(
  { captions, scenes, captionOrigins = new Map() }: Pick<Video, 'captions' | 'scenes' | 'captionOrigins'>,
  { timeline, seconds }: { readonly timeline: Timeline | null; readonly seconds: number },
  { problems }: Pick<VideoCard, 'problems'>,
  project: Project,
): CueBlock[] {
  const problemsAt = problemFinder(problems, project);
  const writtenCue = cueFinder(project);
  const blocksOf = (
    { cues }: Pick<NonNullable<Video['captions']>, 'cues'>,
    scene: string | null,
    { origin, end }: { readonly origin: number; readonly end: number },
  ): CueBlock[] => {
    const spans: readonly Span[] = captionOrigins.get(scene ?? '') ?? [];
    return cues.map(({ start, end: cueEnd, text, speaker, words }, index): CueBlock => {
      const written = spans[index] === undefined ? null : writtenCue(spans[index]);
      return {
        scene,
        origin,
        limit: end,
        start,
        end: cueEnd,
        text,
        hasWords: words !== undefined,
        at: written && { path: written.span.file, position: written.position },
        problems: written === null ? [] : problemsAt(written.span),
        ...defined({ speaker }),
      };
    });
  };
  const whole = { origin: 0, end: seconds };
  const ofVideo = captions === undefined ? [] : blocksOf(captions, null, whole);
  const secondsOf = (frames: number): number =>
    timeline === null ? 0 : toNumber(divide(rational(frames), rationalRate(timeline.rate)));
  const ofScenes = scenes.flatMap((scene, index) => {
    const placed = timeline?.scenes[index];
    if (scene.captions === undefined || placed === undefined) return [];
    const span = { origin: secondsOf(placed.start), end: secondsOf(placed.start + placed.length) };
    return blocksOf(scene.captions, scene.id, span);
  });
  return [...ofVideo, ...ofScenes].sort((a, b) => a.origin + a.start - b.origin - b.start);
}

/** Where a cue is written, with everything of it. */
interface WrittenCue {
  readonly span: Span;
  /** Names the cue in its file: the start of its times, or of the first key of an item of a list. */
  readonly position: number;
}

/** Returns a function that finds the whole of a cue from its origin; null for a cue that is made from words or columns. */
function cueFinder({ source }: Pick<Project, 'source'>): (origin: Span) => WrittenCue | null {
  const files = new Map<string, ReadonlyMap<number, FileCue>>();
  const cuesOf = (file: string, text: string): ReadonlyMap<number, FileCue> => {
    const known = files.get(file) ?? new Map(readCaptions(file, text).cues.map((cue) => [cue.at.start[0], cue]));
    files.set(file, known);
    return known;
  };
  const trees = new Map<string, TreeNode | null>();
  const treeOf = (file: string, text: string): TreeNode | null => {
    const parsed = trees.has(file) ? null : parseYaml(file, text);
    if (parsed !== null) trees.set(file, parsed.ok ? parsed.value : null);
    return trees.get(file) ?? null;
  };
  return ({ file, start }) => {
    const text = source(file);
    if (text === undefined) return null;
    if (captionFormat(file) !== null) {
      const cue = cuesOf(file, text).get(start);
      if (cue === undefined) return null;
      const [from, to] = cue.at.cue;
      return { span: { file, start: from, end: to }, position: start };
    }
    const found = listedCue(treeOf(file, text), start);
    if (found === null || text.slice(found.node.span.start, found.node.span.end).includes('${')) return null;
    return { span: found.node.span, position: start };
  };
}
