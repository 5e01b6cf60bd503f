import { timelineMeasures } from '../../contract/timeline/resolve-timeline.ts';
import { secondsOf, type VideoMeasures } from '../../contract/video-measures.ts';
import { plainScene, type SceneSpec, valueName, withoutUnusedSpeech } from '../../contract/video-spec.ts';
import { loudnessOf, type WrittenLoudness } from '../../contract/wire/loudness.ts';
import type { OutputRequest } from '../../contract/wire/output.ts';
import { hasCaptionsLayer } from '../../contract/wire/style-version.ts';
import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, errorAt, hasErrors, type Span, warningAt } from '../../kernel/diagnostic.ts';
import type { Json } from '../../kernel/digest.ts';
import { didYouMean } from '../../kernel/hints.ts';
import { child, locateIn, type MapNode, textOf } from '../../kernel/yaml/tree.ts';
import { videoMeasures } from '../../template/video-measures.ts';
import { type DeliverContext, type PlacedDestination, readDeliver } from './destinations.ts';
import type { FilledValues } from './filled-values.ts';
import { leftOutParts } from './left-out-parts.ts';
import type { LocaleTexts } from './locale-texts.ts';
import { type CaptionFrame, type CaptionPlace, placeCaptions } from './place-captions.ts';
import { type DefaultOutputs, type OutputProblem, readOutputs } from './read-outputs.ts';
import type { Row } from './read-rows.ts';
import { type FileUse, inRow, readScene, type SceneContext } from './read-scene.ts';
import { certainFindings, type LocateScene, timelineDiagnostics } from './timeline-diagnostics.ts';
import { trackFindings } from './track-findings.ts';
import { type FilteredScenes, failedWhere, type MatrixPlace, type Source, type Video, type VideoId } from './video.ts';
import { captionsEnd, type TimelineTemplate, type TimelineVideo, timelineOf } from './video-timeline.ts';

export interface VideoContext extends SceneContext, DefaultOutputs {
  /** Checks an output with valid fields; measures are null if they are not known. */
  readonly outputProblems: (output: OutputRequest, measures: VideoMeasures | null) => readonly OutputProblem[];
  readonly deliver: DeliverContext;
  /** Whether the service writes the language of a sound into files; false when absent. */
  readonly writesLanguages?: boolean;
}

/** What a definition is read for. */
export interface NamedVideo {
  /** `null` if the id is invalid. */
  readonly id: VideoId | null;
  /** The definition's file, repository-relative. */
  readonly path: string;
  /** Location of the video as a whole: its row, its id, or the start of its definition. */
  readonly at: Span;
  /** Data row that defines it, as its variant and locale read it; null without any. */
  readonly row: Row | null;
  /** Its place in the matrix of its definition; absent without variants and locales. */
  readonly matrix?: MatrixPlace;
}

/** A video that is checked alone, but not yet compared with other videos. */
export interface Candidate extends NamedVideo {
  /** `null` if there is a problem, or if the video is left out. */
  readonly video: Video | null;
  /** Why its condition leaves it out; null if it does not. */
  readonly leftOut: string | null;
  /** What its locale does not have; null or absent if it has everything. */
  readonly texts?: LocaleTexts | null;
  /** What it takes from other locales; absent without a locale. */
  readonly fallbacks?: readonly Diagnostic[];
  /** Local files that it uses, also if there are problems. */
  readonly files: readonly FileUse[];
  readonly filled: FilledValues;
  /** Empty if there is a problem. */
  readonly destinations: readonly PlacedDestination[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads a merged and filled-in definition of one template, and checks it against its template.
 *
 * @param written without `id`, `extends`, `each` and `when`
 */
export function readVideo(written: MapNode, named: NamedVideo, context: VideoContext): Candidate {
  const read = readScene(written, named, context);
  const { template, values, placement, isPlaced, json, leftOut, files, filled, diagnostics, captions, words } = read;
  const incomplete: Candidate = { video: null, leftOut: null, files, filled, destinations: [], diagnostics, ...named };
  const name = textOf(child(written, 'template'));
  if (template === null || name === null) return incomplete;
  const { audio, ...resources } = values;
  const scene: SceneSpec<Source> = { id: name, template: name, ...resources, ...placement, audio: new Map() };
  return completeVideo(
    incomplete,
    {
      root: written,
      json,
      scenes: [scene],
      audio,
      captions: { video: { written: captions, audio, words }, ofScenes: [] },
      timeline: isPlaced ? readWish(json) : null,
      leftOut: leftOut.map((value) => ({ scene: name, ...value })),
      locate: (_scene, property, track) => {
        const path = property === 'audio' ? ['audio', track ?? ''] : [property];
        return locateIn(written)(path, property === 'scenes' ? 'key' : 'value').span;
      },
    },
    context,
  );
}

/** The scenes of a definition, with what they are completed by. */
export interface ReadScenes {
  readonly root: MapNode;
  readonly json: { readonly [property: string]: Json };
  readonly scenes: readonly SceneSpec<Source>[];
  readonly audio: Video['audio'];
  readonly captions: { readonly video: CaptionPlace; readonly ofScenes: readonly CaptionPlace[] };
  /** Null if a property that decides the timeline has a problem. */
  readonly timeline: Pick<Video, 'size' | 'rate' | 'duration' | 'softTransitions'> | null;
  readonly leftOut: NonNullable<Video['leftOut']>;
  readonly filtered?: FilteredScenes;
  readonly locate: LocateScene;
}

/** Reads everything that concerns a whole video, and checks its timeline. */
export function completeVideo(
  incomplete: Candidate,
  { root, json, scenes, audio, captions, timeline, leftOut, filtered, locate }: ReadScenes,
  context: VideoContext,
): Candidate {
  const diagnostics: Diagnostic[] = [...incomplete.diagnostics];
  const { id, path, row, matrix } = incomplete;
  const heard = withoutUnusedSpeech({ scenes, audio });
  const placed = {
    scenes: heard.scenes,
    audio: heard.audio,
    ...timeline,
    ...(leftOut.length === 0 ? {} : { leftOut }),
  };
  const locale = matrix?.locale === context.sourceLocale ? undefined : matrix?.locale;
  const hasLayer = (name: string): boolean => {
    const template = context.templates.get(name);
    return template !== undefined && hasCaptionsLayer(template.spec);
  };
  const captionsInput = { scenes: heard.scenes, ...captions, frame: frameOf(placed, context), locale, hasLayer };
  const captioned = { ...placed, ...placeCaptions(captionsInput, diagnostics) };
  const { measures, ...checked } = timeline === null ? UNCHECKED : checkTimeline(captioned, context, locate);
  diagnostics.push(...checked.diagnostics, ...trackFindings(placed, locate), ...lateCaptions(captioned, measures));
  // The source language is not named, so that a repository can get further languages without a render.
  const isTranslated = matrix?.locale !== undefined && matrix.locale !== context.sourceLocale;
  const lang = isTranslated && context.writesLanguages ? matrix.locale : undefined;
  const outputProblems = (wanted: OutputRequest) => context.outputProblems(wanted, measures);
  const { output, outputs, ...more } = readOutputs(root, outputProblems, {
    output: context.output,
    outputs: context.outputs ?? null,
    lang,
  });
  diagnostics.push(...more.diagnostics);
  if (hasErrors(incomplete.diagnostics)) return { ...incomplete, diagnostics: diagnostics.filter(isNoConsequence) };
  if (id === null || hasErrors(diagnostics)) return { ...incomplete, diagnostics };
  const poster = readPoster(root, { ...placed, ...defined({ filteredScenes: filtered }) }, context);
  diagnostics.push(...poster.diagnostics);
  const undelivered = {
    id,
    path,
    title: textOf(child(root, 'title')) ?? '',
    description: textOf(child(root, 'description')),
    labels: (json.labels ?? {}) as Record<string, string>,
    protect: json.protect === true,
    ...captioned,
    output,
    ...defined({
      filteredScenes: filtered,
      outputs,
      poster: poster.name,
      loudness: json.loudness === undefined ? undefined : loudnessOf(json.loudness as unknown as WrittenLoudness),
      matrix,
    }),
  };
  const { destinations, ...delivery } = readDeliver(root, undelivered, context.deliver);
  diagnostics.push(...delivery.diagnostics.map((problem) => ({ ...problem, message: inRow(problem.message, row?.name) }))); // biome-ignore format: one line
  if (hasErrors(diagnostics)) return { ...incomplete, destinations, diagnostics };
  const deliver = destinations.map(({ to, credential, formats }) => ({ to, credential, ...defined({ formats }) }));
  return { ...incomplete, video: { deliver, ...undelivered }, destinations, diagnostics };
}

/** A track that cannot be read is missing from the video, which would be reported as a mistake of its own. */
function isNoConsequence({ code, severity }: Diagnostic): boolean {
  return severity !== 'warning' || (code !== 'content_empty' && code !== 'track_unknown');
}

interface CheckedTimeline {
  /** Null if they are not known. */
  readonly measures: VideoMeasures | null;
  readonly diagnostics: readonly Diagnostic[];
}

const UNCHECKED: CheckedTimeline = { measures: null, diagnostics: [] };

/** Checks the timeline of a video, as far as it does not depend on lengths of sounds. */
function checkTimeline(video: TimelineVideo, { templates }: VideoContext, locate: LocateScene): CheckedTimeline {
  const found = video.scenes.map(({ template }) => templates.get(template) ?? null);
  // The mistake is reported with its template.
  if (found.includes(null)) return UNCHECKED;
  const [first] = found;
  const isPlain = plainScene(video) !== null;
  if (isPlain) return first?.facts ? { measures: videoMeasures(first.facts), diagnostics: [] } : UNCHECKED;
  const facts = { get: (name: string): TimelineTemplate | null => templates.get(name)?.facts ?? null };
  const resolved = timelineOf(video, facts, () => null);
  if (resolved === null) {
    const unmeasured = video.scenes.find(({ template }) => facts.get(template) === null)!;
    return { measures: null, diagnostics: [unknownLength(unmeasured, locate)] };
  }
  const { timeline, findings } = resolved;
  const certain = certainFindings(findings, video);
  const diagnostics = timelineDiagnostics(certain, video, locate);
  if (timeline === null || certain.length < findings.length) return { measures: null, diagnostics };
  diagnostics.push(...leftOutParts(video, timeline, facts, locate));
  return { measures: timelineMeasures(timeline), diagnostics };
}

/** Returns the size of the frame; null if it is not known. */
function frameOf({ size, scenes }: Pick<Video, 'size' | 'scenes'>, { templates }: VideoContext): CaptionFrame | null {
  if (size !== undefined) return { width: size[0], height: size[1] };
  return templates.get(scenes[0]?.template ?? '')?.facts ?? null;
}

/** Reports captions of the whole video that go on after it. Those of a scene are part of its timeline. */
function lateCaptions(
  video: TimelineVideo & Pick<Video, 'captionOrigins'>,
  measures: VideoMeasures | null,
): Diagnostic[] {
  const end = captionsEnd(video.captions);
  const isOfTimeline = video.scenes.length === 1 && plainScene(video) === null;
  const late = end === null || measures === null || isOfTimeline ? 0 : end - secondsOf(measures);
  if (late <= 0) return [];
  const message = `The captions go on ${Math.round(late * 1000) / 1000} s after the video, and are cut`;
  const at = video.captionOrigins?.get('')?.at(-1);
  return [warningAt('cue_cut', at, message, 'Remove the captions after its end, or make the video longer')];
}

function unknownLength({ id, template }: SceneSpec<Source>, locate: LocateScene): Diagnostic {
  const message = `The length of the template ${template} is not known, because it is a style version of a service`;
  const hint = 'Use a template package of the repository for scenes and for lengths of videos';
  return errorAt('template_unmeasured', locate(id, 'template'), message, hint);
}

/** Reads what a definition wants of its timeline. @param json that the schema has accepted */
export function readWish(json: ReadScenes['json']): Pick<Video, 'size' | 'rate'> {
  return defined({
    size: json.size as unknown as Video['size'],
    rate: json.rate as number | undefined,
  });
}

/**
 * Reads the still that shows a video: `<stillcut>`, or `<scene>.<stillcut>` in a video of several scenes. Where conditions leave out its
 * scene, the video is shown by another still, because one definition gives videos with the scene and without it.
 */
function readPoster(
  root: MapNode,
  video: TimelineVideo & Pick<Video, 'filteredScenes'>,
  { templates }: VideoContext,
): { readonly name?: string; readonly diagnostics: readonly Diagnostic[] } {
  const node = child(root, 'poster');
  const text = textOf(node);
  if (node === null || text === null) return { diagnostics: [] };
  const [scene, stillcut] = splitPoster(text, video);
  const problem = (code: 'unknown_scene' | 'unknown_stillcut', message: string, hint?: string) => {
    return { diagnostics: [errorAt(code, node.span, message, hint)] };
  };
  if (scene === undefined) {
    const [id = ''] = text.split('.');
    const reason = whyLeftOut(id, video);
    if (reason !== null) {
      const message = `The scene ${id} of the poster is left out, so another still shows the video: ${reason}`;
      const hint = 'Name a scene that every video of the definition has, or remove "poster"';
      return { diagnostics: [warningAt('still_left_out', node.span, message, hint)] };
    }
    const ids = video.scenes.map((shown) => shown.id);
    const hint = didYouMean(id, ids) ?? `Write <scene>.<stillcut>; the scenes are ${listSome(ids)}`;
    return problem('unknown_scene', `The poster ${JSON.stringify(text)} names no scene of the video`, hint);
  }
  const template = templates.get(scene.template);
  const names = template?.facts?.stills.map(({ name }) => name) ?? null;
  if (names !== null && !names.includes(stillcut)) {
    const hint = didYouMean(stillcut, names) ?? `It has ${names.join(', ') || 'none'}`;
    const message = `The template ${scene.template} has no stillcut ${JSON.stringify(stillcut)}`;
    return problem('unknown_stillcut', message, hint);
  }
  return { name: valueName(video, scene, stillcut), diagnostics: [] };
}

/** Returns why a condition leaves out a scene; null if none does. @param id also that of a row, like `product/lamp` */
function whyLeftOut(
  id: string,
  { leftOut = [], filteredScenes }: Pick<Video, 'leftOut' | 'filteredScenes'>,
): string | null {
  const row = filteredScenes?.().find((scene) => scene.id === id);
  if (row !== undefined) return failedWhere(row.reason);
  const [written] = id.split('/');
  return leftOut.find(({ scene, name }) => name === undefined && scene === written)?.reason ?? null;
}

function splitPoster(
  text: string,
  { scenes }: TimelineVideo,
): [scene: SceneSpec<Source> | undefined, stillcut: string] {
  const named = scenes.find(({ id }) => text.startsWith(`${id}.`));
  if (named !== undefined) return [named, text.slice(named.id.length + 1)];
  return [scenes.length === 1 && !text.includes('.') ? scenes[0] : undefined, text];
}

const MAX_NAMES = 10;

function listSome(names: readonly string[]): string {
  return names.length > MAX_NAMES ? `${names.slice(0, MAX_NAMES).join(', ')} …` : names.join(', ');
}
