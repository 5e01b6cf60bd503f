import { captionsOfRequest } from '../../contract/wire/captions.ts';
import type { OutputRequest } from '../../contract/wire/output.ts';
import type { SceneTransition } from '../../contract/wire/scene-request.ts';
import { type AnyRenderInput, type PackedInput, packRenderInput, unpackAnimation } from '../../engine/packed-input.ts';
import { defined } from '../../kernel/defined.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import type { CaptionFontFiles } from '../../template/bind/bind-captions.ts';
import { type ScenesRequest as BoundScenes, bindScenes, type SceneValues } from '../../template/bind/bind-scenes.ts';
import { usedFonts } from '../../template/lottie/slots/lottie-slots.ts';
import type { VideoInput } from '../../template/render-input.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { builtInCaptionFonts } from './caption-fonts.ts';
import { colorOf, type SceneSources, type SessionScenes, templateOf, timelineOfScenes } from './session-scenes.ts';

/** The input of a session. Its animation stays packed: only render processes parse it. */
export type BoundInput = PackedInput & UsedFonts;

interface UsedFonts {
  /** Names of the fonts of its texts. */
  readonly usedFonts: readonly string[];
}

/** A package with its animation as bytes, which cross processes hundreds of times faster than objects. */
export interface PackedPackage extends Omit<TemplatePackage, 'animation'> {
  /** JSON in UTF-8. */
  readonly animation: Uint8Array;
}

/**
 * A template of a registry. The animation of an uploaded template is packed, because only sandboxed processes parse it.
 */
export type SessionTemplate = TemplatePackage | PackedPackage;

/** The scenes of a video, and the bytes of their sources. */
export interface BindInput extends SessionScenes<SessionTemplate> {
  readonly output?: OutputRequest | undefined;
  /** Fingerprint of the video, for the file's metadata. */
  readonly fingerprint?: string | null | undefined;
  /** As of `bindMapping`. */
  readonly sources: SceneSources<SourceBytes>;
  /** Built-in fonts of captions; read from this package if absent. */
  readonly captionFonts?: CaptionFontFiles;
}

interface BindOptions {
  /** The tenant whose input it is. */
  readonly owner: string;
  readonly signal?: AbortSignal;
}

/** Fills the templates of scenes, @see bindScenes. @throws the signal's reason */
export type BindTemplate<Input extends AnyRenderInput = BoundInput> = (
  input: BindInput,
  options: BindOptions,
) => Promise<Input>;

/** Binds in this process, without packing. */
export function bindInput(input: BindInput): VideoInput {
  const { video, templates, output, fingerprint, sources } = input;
  // Each animation is parsed once, and the work on it is shared by all scenes of its template.
  const parsed = new Map(
    [...templates].map(([id, template]): [string, TemplatePackage] => {
      return [id, isUnpacked(template) ? template : { ...template, animation: unpackAnimation(template.animation) }];
    }),
  );
  const scenes = video.scenes.map((scene, index): SceneValues => {
    const { resources, font_changes } = scene.mapping;
    const { fit, background, transition, audio_tracks, captions } = scene;
    return {
      template: templateOf(scene, parsed),
      resources,
      ...defined({ font_changes, audio_tracks, fit, background: colorOf(background) }),
      ...(transition !== undefined && { transition: styleOf(transition) }),
      ...defined({ captions: captions && captionsOfRequest(captions) }),
      fetched: sources.scenes[index]!,
    };
  });
  const timeline = timelineOfScenes({ video, templates: parsed });
  const { audio_tracks, loudness } = video;
  const tracks = { ...defined({ audio_tracks, loudness }), fetched: sources.tracks };
  return bindScenes({ timeline, scenes, output, fingerprint, ...tracks, ...captionsOf(input) });
}

function isUnpacked(template: SessionTemplate): template is TemplatePackage {
  return !(template.animation instanceof Uint8Array);
}

/** Returns the captions of a video, and the fonts if any captions are drawn. */
function captionsOf({ video, captionFonts }: BindInput): Pick<BoundScenes, 'captions' | 'captionFonts'> {
  return {
    ...defined({ captions: video.captions && captionsOfRequest(video.captions) }),
    ...(drawsCaptions(video) && { captionFonts: captionFonts ?? builtInCaptionFonts() }),
  };
}

/** Returns whether captions of a video are drawn. */
export function drawsCaptions({ captions, scenes }: BindInput['video']): boolean {
  return [captions, ...scenes.map((scene) => scene.captions)].some((given) => given?.style !== undefined);
}

function styleOf({ easing, direction, color }: SceneTransition): NonNullable<SceneValues['transition']> {
  return defined({ easing, direction, color: colorOf(color) });
}

/** Binds in this process. */
export function bindHere(input: BindInput): BoundInput {
  const renderInput = bindInput(input);
  const documents = 'scenes' in renderInput ? renderInput.scenes : [renderInput];
  const used = documents.flatMap(({ animation, fonts }) => {
    const files = new Set(fonts.map(({ name }) => name));
    return usedFonts(animation).filter((name) => files.has(name));
  });
  return { ...packRenderInput(renderInput), usedFonts: [...new Set(used)] };
}
