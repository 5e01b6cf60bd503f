import { trackOf } from '../../contract/wire/mapping.ts';
import type { CaptionDefect, LintFinding } from '../../engine/lint-finding.ts';
import type { Span } from '../../kernel/diagnostic.ts';
import { type LocatedVideos, valueSpan } from '../../reconciler/definition/filled-values.ts';
import { locateTimeline } from '../../reconciler/definition/scene-spans.ts';
import type { DecidingProperty } from '../../reconciler/definition/timeline-diagnostics.ts';
import type { Video } from '../../reconciler/definition/video.ts';
import { hasContentLength } from '../../reconciler/definition/video-timeline.ts';
import {
  type LintRules,
  type LintSettings,
  lintSeverity,
  type SafeAreaName,
  safeAreaOf,
} from '../../template/lint-severities.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import type { PlacedFinding } from './glyph-diagnostics.ts';

/** Inputs of the severities of findings. */
export interface LintContext {
  /** Severities of reelform.yaml, which override those of templates. */
  readonly lint: LintSettings;
  /** Null for a template that only the service has. */
  packageOf(template: string): Pick<TemplatePackage, 'manifest'> | null;
}

type Scene = Video['scenes'][number];

/** @param scene whose template decides; undefined for what belongs to a whole video of several scenes */
function rulesOf(scene: Scene | undefined, { lint, packageOf }: LintContext): LintRules {
  const template = scene === undefined ? undefined : packageOf(scene.template)?.manifest.lint;
  return { repository: lint, template: template ?? {} };
}

/** Returns the area in which the texts of each scene must lie; null for the whole picture. */
export function safeAreasOf({ scenes }: Pick<Video, 'scenes'>, context: LintContext): (SafeAreaName | null)[] {
  return scenes.map((scene) => safeAreaOf(rulesOf(scene, context)));
}

/**
 * Returns the findings of a video with their severities and source locations: each at the value of its scene that it concerns, or at
 * the property that decides when the scene is shown. Leaves out those that the rules turn off.
 */
export function placeFindings(
  findings: readonly LintFinding[],
  video: Video,
  context: LintContext & LocatedVideos,
): PlacedFinding[] {
  const [first, second] = video.scenes;
  return findings.flatMap((finding): PlacedFinding[] => {
    const scene = second === undefined ? first : video.scenes.find(({ id }) => id === finding.scene);
    const severity = lintSeverity(finding.code, rulesOf(scene, context));
    if (severity === 'off' || isInTimeline(finding, scene)) return [];
    return [{ finding, target: { id: video.id, at: findingSpan(finding, video, context), severity } }];
  });
}

/** Returns whether the timeline of the video reports the finding too: a track that ends after a scene that is as long as its content. */
function isInTimeline({ code, editable, scene: id = '' }: LintFinding, scene: Scene | undefined): boolean {
  if (code !== 'sound_cut' || scene === undefined || !hasContentLength(scene)) return false;
  const isNamed = editable.startsWith(`${id}.`);
  return trackOf(isNamed ? editable.slice(id.length + 1) : editable) !== null;
}

/** The property that decides about a defect that no value has. */
const DECIDED_BY: { readonly [Code in LintFinding['code']]?: DecidingProperty } = {
  transition_from_empty: 'transition',
  hold_moves: 'duration',
  mix_too_loud: 'audio',
  loudness_missed: 'loudness',
};

function findingSpan(finding: LintFinding, video: Video, located: LocatedVideos): Span {
  const { code, editable, scene = null } = finding;
  if ('caption' in finding) return captionSpan(finding, video, located);
  const property = DECIDED_BY[code];
  if (editable === null && property !== undefined) return locateTimeline(video.path, located.source)(scene, property);
  const shown = code === 'text_leftover' ? asWritten(finding.leftover) : undefined;
  if (editable !== null || scene === null) return valueSpan(video, editable, located, shown);
  return locateTimeline(video.path, located.source)(scene, 'template');
}

/** Returns where a cue is written: its line if only one cue of its captions has its text, else the captions. */
function captionSpan(
  { caption, seconds, scene }: LintFinding & CaptionDefect,
  { path, captions, captionOrigins, scenes }: Video,
  { source }: LocatedVideos,
): Span {
  const ofScene = scenes.find(({ id }) => id === scene)?.captions;
  const inVideo = (captions?.cues ?? []).flatMap((cue, index) => {
    const isShown = cue.text === caption && cue.start <= seconds && seconds <= cue.end;
    return isShown ? [captionOrigins?.get('')?.[index]] : [];
  });
  const inScene = (ofScene?.cues ?? []).flatMap(({ text }, index) => {
    return text === caption ? [captionOrigins?.get(scene ?? '')?.[index]] : [];
  });
  const [at, second] = inScene.length > 0 ? inScene : inVideo;
  return at !== undefined && second === undefined ? at : locateTimeline(path, source)(scene ?? null, 'captions');
}

/** Undoes the shortening of a leftover and the line breaks of animations. */
function asWritten(leftover: string): string {
  return leftover.replace(/…$/u, '').replaceAll('\r', '\n');
}
