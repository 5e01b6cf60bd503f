import {
  add,
  divide,
  ONE,
  rational,
  rationalJson,
  rationalRate,
  toNumber,
  ZERO,
} from '../../contract/timeline/rational.ts';
import { templateTimeAt, timeMapFrom, timeMapJson } from '../../contract/timeline/time-map.ts';
import { TemporaryFile } from '../../kernel/temporary-file.ts';
import { LAYER_TYPE, type LottieNode, withLayerLists } from '../../template/lottie/lottie-layers.ts';
import { type PlacedScene, sceneDocument } from '../../template/lottie/scenes/scene-document.ts';
import { timeRemap } from '../../template/lottie/scenes/time-remap.ts';
import { withPrefix } from '../../template/lottie/scenes/with-prefix.ts';
import type {
  InputClip,
  InputDocument,
  LottieDocument,
  RenderInput,
  ScenesInput,
  VideoInput,
} from '../../template/render-input.ts';
import { captionDocument, withCaptionsAbove } from '../captions/caption-document.ts';
import { checkInput } from '../check-input.ts';
import { evaluateInput } from '../expressions/evaluate-input.ts';
import type { FrameRange } from '../frame-rate.ts';
import { animateImages } from '../media/animate-images.ts';
import { clipTimes } from '../media/clip-times.ts';
import { pixelsOf } from '../pixel-format.ts';
import { showClips, withoutPath } from '../raster/compose-animation.ts';
import { withSceneNames } from '../scenes/name-scenes.ts';
import { sceneClock } from '../scenes/scene-clock.ts';
import { typesetTexts } from '../text/typeset-texts.ts';
import { muxSound } from '../writers/mux.ts';
import { type Asset, clipAssets, clipLayer, dataUriTexts, imageAsset, PictureBudget } from './exported-media.ts';

/** A video as a Lottie document. */
export interface LottieFile {
  /** The document as JSON, with everything that it needs. */
  readonly file: TemporaryFile;
  readonly differences: readonly ExportDifference[];
}

/**
 * What a player does not show as the rendered video does: a clip, because its pictures follow the time of the template, or captions of a
 * text of the template, which are left out because they do not follow it.
 */
export interface ExportDifference {
  readonly part: 'clip' | 'captions';
  /** Name of the clip: the key of its editable, after the scene. Empty for captions. */
  readonly name: string;
  /** Seconds of the video from which another picture is shown. */
  readonly fromSeconds: number;
}

/**
 * Writes a video as one Lottie document, as lottie-web draws it: texts are text layers with the outlines of their characters, images and
 * clips are embedded pictures, and the mixed sound is an embedded file. Scenes are compositions whose time is remapped.
 *
 * The document has the size and rate of the template or timeline, whatever the output.
 *
 * @throws RenderError, ReelformError as `checkInput`, `drawFitted`, `openClip` and `makeSound`
 */
export async function exportLottie(video: VideoInput): Promise<LottieFile> {
  checkInput(video);
  const budget = new PictureBudget();
  const { document: pictures, differences } =
    'scenes' in video ? await exportScenes(video, budget) : await exportTemplate(video, budget);
  const fromSeconds = firstLayerText(video);
  const left = fromSeconds === null ? [] : [{ part: 'captions' as const, name: '', fromSeconds }];
  const document = await withCaptions(pictures, video);
  const sound = await soundOf(video, document);
  try {
    const file = await writeDocument(sound === null ? document : withSound(document), sound);
    return { file, differences: [...differences, ...left] };
  } finally {
    sound?.close();
  }
}

/** Returns when the first caption is shown in a text of a template, in seconds of the video; null if none is. */
function firstLayerText(video: VideoInput): number | null {
  if (video.captionLayers === undefined) return null;
  const { scenes, rate } = video.captionLayers;
  const starts = 'scenes' in video ? video.timeline.scenes.map(({ start }) => start) : [0];
  const frames = scenes.flatMap((texts, index) => texts.map(({ from }) => starts[index]! + from));
  return toNumber(divide(rational(Math.min(...frames)), rationalRate(rate)));
}

/** Adds the captions of a video above everything else, at the rate of the document. */
async function withCaptions(document: LottieDocument, { captions }: VideoInput): Promise<LottieDocument> {
  if (captions === undefined) return document;
  const { w: width, h: height, fr: fps } = document;
  return withCaptionsAbove(document, (await captionDocument(captions, { width, height, fps })).document);
}

interface ExportedDocument {
  readonly document: LottieDocument;
  readonly differences: readonly ExportDifference[];
}

async function exportTemplate(video: RenderInput, budget: PictureBudget): Promise<ExportedDocument> {
  const { ip, op } = video.animation;
  const { animation } = await selfContained(video, { first: 0, end: Math.ceil(op - ip) }, budget);
  return { document: animation, differences: [] };
}

async function exportScenes(video: ScenesInput, budget: PictureBudget): Promise<ExportedDocument> {
  const { timeline, scenes, output } = video;
  const { width, height, frames } = timeline;
  const rate = toNumber(rationalRate(timeline.rate));
  const isTransparent = pixelsOf(output) === 'rgba';
  const placed: PlacedScene[] = [];
  const differences: ExportDifference[] = [];
  for (const [index, scene] of scenes.entries()) {
    const { id: name, start, length, transition: times } = timeline.scenes[index]!;
    const map = timeMapFrom(scene.map);
    const shown = Array.from({ length }, (_, at) => toNumber(templateTimeAt(map, rational(at))));
    const range = { first: Math.floor(Math.min(...shown)), end: Math.ceil(Math.max(...shown)) + 1 };
    const contained = await selfContained(scene, range, budget).catch((error: unknown) => {
      throw withSceneNames(error, [name]);
    });
    const { animation, clips, clipAnimation } = contained;
    const next = timeline.scenes[index + 1]?.transition ?? null;
    const heldFrames = next === null ? 0 : Math.max(0, next.from + next.frames - (start + length));
    const context = { map, length, heldFrames, rate, animation: clipAnimation };
    for (const clip of clips) {
      const frame = firstDifference(clip, context);
      if (frame !== null) differences.push({ part: 'clip', name: clip.name, fromSeconds: (start + frame) / rate });
    }
    placed.push({
      name,
      animation: withPrefix(animation, `${index}/`),
      start,
      length,
      remap: timeRemap(map, animation.ip, rate),
      fit: scene.fit,
      background: isTransparent ? null : scene.background,
      transition: scene.transition === null ? null : { ...scene.transition, ...times! },
    });
  }
  const document = sceneDocument(placed, { width, height, rate, frames, isTransparent });
  return { document: withSharedPictures(document), differences };
}

interface HeldScene {
  readonly map: ReturnType<typeof timeMapFrom>;
  /** Frames of the timeline. */
  readonly length: number;
  /** Frames after the scene in which a transition shows its last picture. */
  readonly heldFrames: number;
  readonly rate: number;
  readonly animation: LottieDocument;
}

/** Returns the first frame of a scene at which a clip shows another picture if it follows the time of the template; null for none. */
function firstDifference(clip: InputClip, { map, length, heldFrames, rate, animation }: HeldScene): number | null {
  const end = rational(length);
  const held = {
    from: end,
    to: add(end, rational(heldFrames)),
    at: templateTimeAt(map, rational(length - 1)),
    speed: ZERO,
  };
  const whole = heldFrames === 0 ? map : [...map, held];
  const clock = sceneClock({ map: timeMapJson(whole), frame: 0, animation }, { step: rationalJson(ONE), fps: rate });
  const { timesAt, trimSeconds } = clipTimes(clip, clock, animation);
  const tolerance = 0.5 / animation.fr;
  for (let frame = 0; frame < length + heldFrames; frame++) {
    const differs = timesAt(frame).some(({ time, seconds }) => {
      return Math.abs(seconds - trimSeconds - Math.max(0, time) / animation.fr) > tolerance;
    });
    if (differs) return frame;
  }
  return null;
}

interface SelfContained {
  /** With embedded media. */
  readonly animation: LottieDocument;
  readonly clips: readonly InputClip[];
  /** The animation with image layers in place of the clips. */
  readonly clipAnimation: LottieDocument;
}

/** Returns a document without anything that a player would have to load. @param frames of the template that are shown */
async function selfContained(source: InputDocument, frames: FrameRange, budget: PictureBudget): Promise<SelfContained> {
  const { fonts, clips, ...evaluated } = await evaluateInput(source);
  const { animation: moving, images } = animateImages(evaluated);
  const { animation } = await typesetTexts(moving, fonts, 'lottie-web');
  const imageOf = new Map(images.map((image) => [image.assetId, image]));
  const clipOf = new Map(clips.map((clip) => [clip.assetId, clip]));
  const assets: Asset[] = [];
  for (const asset of animation.assets ?? []) {
    const [image, clip] = [imageOf.get(asset.id), clipOf.get(asset.id)];
    if (clip !== undefined) assets.push(...(await clipAssets(clip, { animation, frames, budget })));
    else assets.push(image === undefined ? withoutPath(asset) : await imageAsset(asset, image));
  }
  const { live_expressions: _, ...document } = animation;
  const shown = new Map(clips.map((clip) => [clip.assetId, clipLayer(clip)]));
  return {
    animation: withLayerLists({ ...document, assets } as LottieDocument, (layers) => showClips(layers, shown)),
    clips,
    clipAnimation: animation,
  };
}

/** Embeds each picture once that several scenes show. */
function withSharedPictures(document: LottieDocument): LottieDocument {
  const firstOf = new Map<string, string>();
  const replaced = new Map<unknown, string>();
  const assets = (document.assets ?? []).filter(({ id, w, h, p }) => {
    if (typeof p !== 'string') return true;
    const key = `${w} ${h} ${p}`;
    const first = firstOf.get(key);
    if (first === undefined) firstOf.set(key, id);
    else replaced.set(id, first);
    return first === undefined;
  });
  if (replaced.size === 0) return document;
  return withLayerLists({ ...document, assets }, (layers) => {
    return layers.map((layer) => {
      const first = replaced.get((layer as LottieNode).refId);
      return first === undefined ? layer : { ...(layer as LottieNode), refId: first };
    });
  });
}

const SOUND_ID = 'reelform/sound';

/** Mixes the sound of a video as an M4A file; null for a silent video. */
async function soundOf(video: VideoInput, { ip, op, fr }: LottieDocument): Promise<TemporaryFile | null> {
  if (video.sounds.length === 0) return null;
  const { makeSound } = await import('../media/make-sound.ts');
  const frameCount = Math.max(1, Math.round(op - ip));
  const track = await makeSound({ ...video, fps: fr, frameCount }, 'aac');
  if (track === null) return null;
  try {
    return await muxSound(track);
  } finally {
    track.packets.close();
  }
}

/** Adds a layer that plays a sound from the first frame to the last. Layers of this type are an extension of Bodymovin. */
function withSound(document: LottieDocument): LottieDocument {
  const { ip, op, layers } = document;
  const ind =
    layers.reduce((highest: number, layer) => Math.max(highest, Number((layer as LottieNode).ind) || 0), 0) + 1;
  const level = { lv: { a: 0, k: [100, 100] } };
  const layer = { ty: LAYER_TYPE.audio, ind, nm: 'Sound', refId: SOUND_ID, ip, op, st: ip, sr: 1, au: level };
  return { ...document, layers: [...layers, layer] };
}

/**
 * Writes one asset after the other, because the text of a whole document may be longer than strings can be.
 *
 * @param sound M4A file, embedded as the last asset; null for a silent video
 */
async function writeDocument(
  { assets = [], ...document }: LottieDocument,
  sound: TemporaryFile | null,
): Promise<TemporaryFile> {
  const file = TemporaryFile.create();
  const write = (text: string): Promise<void> => file.append(Buffer.from(text));
  try {
    await write(`${JSON.stringify(document).slice(0, -1)},"assets":[`);
    for (const [at, asset] of assets.entries()) await write(`${at === 0 ? '' : ','}${JSON.stringify(asset)}`);
    if (sound !== null) {
      await write(`${assets.length === 0 ? '' : ','}{"id":"${SOUND_ID}","u":"","p":"`);
      for await (const text of dataUriTexts('audio/mp4', sound)) await write(text);
      await write('","e":1}');
    }
    await write(']}\n');
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}
