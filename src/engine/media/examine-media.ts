import { EncodedPacketSink, type InputTrack } from 'mediabunny';
import { rationalJson } from '../../contract/timeline/rational.ts';
import { type ByteView, viewed } from '../../kernel/byte-view.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import type { InputClip, InputDocument, InputSound, VideoInput } from '../../template/render-input.ts';
import type { FrameRange } from '../frame-rate.ts';
import { type MediaFinding, momentAt, soundMoment } from '../lint-finding.ts';
import { RenderError } from '../render-error.ts';
import { type DocumentClock, ownClock, sceneClock } from '../scenes/scene-clock.ts';
import { sceneStarts, timelineStep } from '../scenes/scene-spans.ts';
import { checkClip } from './check-media.ts';
import { type ClipTimes, clipTimes } from './clip-times.ts';
import { readGifFrames } from './decode-gif.ts';
import { mediaTypeOf } from './media-type.ts';
import { readMedia } from './open-media.ts';
import { packetTrack } from './open-sound-track.ts';
import { speakingSounds } from './sound-voice.ts';

/** A shorter freeze of the last picture is not reported. */
const MIN_FREEZE_SECONDS = 0.2;
/** A shorter end that is cut off is not reported. */
const MIN_CUT_SECONDS = 0.3;

/**
 * Finds clips and sounds that end too early or too late: truncated files, clips that end while a layer still shows them, so that
 * their last picture freezes, clips and sounds whose end is cut off, and sounds that are not heard. Reads only the structure of
 * the files.
 *
 * @throws RenderError asset_decode_failed for a file that is unreadable or trimmed to start after its end
 */
export async function examineMedia(video: VideoInput): Promise<MediaFinding[]> {
  const found = new Map<string, MediaFinding>();
  const keep = (finding: MediaFinding | undefined): void => {
    if (finding !== undefined && !found.has(finding.editable)) found.set(finding.editable, finding);
  };
  for (const { clips, animation, clock, first, end } of shownDocuments(video)) {
    for (const clip of clips) {
      keep(await examineClip(clip, clipTimes(clip, clock, animation), { ...fieldsOf(video), first, end }));
    }
  }
  const sounds = groupBy(video.sounds, ({ name }) => name);
  const speaking = speakingSounds(video.sounds);
  for (const uses of sounds.values()) {
    // A silent sound has a purpose if others are lowered under it.
    const isUsed = uses.some((use) => use.transform.volume !== 0 || !speaking.has(use));
    if (isUsed) keep(await examineSound(uses, video));
  }
  return [...found.values()];
}

/** A document with the frames of the video that show it. */
interface ShownDocument extends InputDocument, FrameRange {
  /** Its frames are counted from `first`. */
  readonly clock: DocumentClock;
}

function shownDocuments(video: VideoInput): ShownDocument[] {
  if (!('scenes' in video)) return [{ ...video, clock: ownClock(video), first: 0, end: video.frameCount }];
  const starts = sceneStarts(video);
  const [step, { fps }] = [rationalJson(timelineStep(video)), video];
  return video.scenes.map((scene, index) => {
    const [first, end] = [starts[index]!, starts[index + 1]!];
    return { ...scene, clock: sceneClock({ ...scene, frame: 0 }, { step, fps }), first, end };
  });
}

function fieldsOf({ stills, fps, frameCount }: VideoInput): ExaminedVideo {
  return { stills, fps, frameCount };
}

/** The fields of a video that say when something is seen or heard. */
type ExaminedVideo = Pick<VideoInput, 'stills' | 'fps' | 'frameCount'>;

async function examineClip(
  clip: InputClip,
  { timesAt, trimSeconds }: ClipTimes,
  renderInput: ExaminedVideo & FrameRange,
): Promise<MediaFinding | undefined> {
  const { name, bytes } = clip;
  const length = await mediaLength(bytes, name, 'video');
  rejectTrim('clip', name, trimSeconds, length);
  const shown: number[] = [];
  const frozen: number[] = [];
  let needed = 0;
  for (let frame = renderInput.first; frame < renderInput.end; frame++) {
    const seconds = Math.max(-1, ...timesAt(frame - renderInput.first).map((time) => time.seconds));
    if (seconds < 0) continue;
    shown.push(frame);
    if (seconds >= length.seconds - 1e-6) frozen.push(frame);
    needed = Math.max(needed, seconds + 1 / renderInput.fps);
  }
  if (shown.length === 0) return undefined;
  const freezes = length.isMoving && frozen.length / renderInput.fps >= MIN_FREEZE_SECONDS;
  const sighting = sightingOf(renderInput, freezes ? frozen : shown);
  if (length.announced !== undefined) return truncated(name, sighting, length);
  if (!freezes) {
    const [lengthSeconds, playedSeconds] = [length.seconds - trimSeconds, needed - trimSeconds];
    if (clip.isOwn || !length.isMoving || lengthSeconds - playedSeconds < MIN_CUT_SECONDS) return undefined;
    const last = momentAt(renderInput, shown.at(-1)!);
    return { code: 'clip_cut', editable: name, ...last, lengthSeconds, playedSeconds };
  }
  return {
    code: 'clip_ends_early',
    editable: name,
    ...sighting,
    freezesAtSeconds: frozen[0]! / renderInput.fps,
    lengthSeconds: length.seconds - trimSeconds,
    neededSeconds: needed - trimSeconds,
  };
}

/** @param uses of a single sound, for each time it is played */
async function examineSound(
  uses: readonly InputSound[],
  renderInput: ExaminedVideo,
): Promise<MediaFinding | undefined> {
  const sound = uses[0]!;
  // The length of a clip's sound is reported with the clip.
  if (sound.optional) return examineClipSound(sound, renderInput);
  const audible = uses.filter(({ transform }) => transform.volume !== 0);
  // Volume 0 is the only way to silence a sound of the template. A track can be left out.
  if (audible.length === 0) return isTrack(sound) ? unheard(sound, renderInput, 'volume') : undefined;
  for (const use of audible) {
    const finding = await examineUse(use, renderInput);
    if (finding !== undefined) return finding;
  }
  return cutOff(audible, renderInput);
}

/** The name of a track of a scene begins with the scene. */
function isTrack({ name }: InputSound): boolean {
  return /(?:^|\.)audio_tracks\./.test(name);
}

async function examineUse(sound: InputSound, renderInput: ExaminedVideo): Promise<MediaFinding | undefined> {
  const { name, bytes, transform, startSeconds, endSeconds, skipSeconds = 0, speech } = sound;
  const length = await mediaLength(bytes, name, 'audio');
  const { trim_start_time = 0 } = transform;
  rejectTrim('sound', name, trim_start_time - skipSeconds, length);
  const wordsEndSeconds = Math.max(0, ...(speech ?? []).map(([, to]) => to));
  if (length.announced === undefined) {
    if (wordsEndSeconds - length.seconds < MIN_CUT_SECONDS) return undefined;
    const silentSeconds = startSeconds + length.seconds - trim_start_time;
    const lengths = { lengthSeconds: length.seconds, wordsEndSeconds };
    return { code: 'words_unheard', editable: name, ...soundMoment(renderInput, silentSeconds), ...lengths };
  }
  const silentFrom = Math.min(endSeconds, startSeconds + Math.max(0, length.seconds - trim_start_time));
  return truncated(name, soundMoment(renderInput, silentFrom), length);
}

/** Returns a finding for a sound whose end is not heard in any of its uses. With a fade-out, the video ends it on purpose. */
async function cutOff(uses: readonly InputSound[], renderInput: ExaminedVideo): Promise<MediaFinding | undefined> {
  const { name, bytes, isOwn, transform } = uses[0]!;
  if (isOwn || transform.loop === true || (transform.fade_out ?? 0) > 0) return undefined;
  const { seconds } = await mediaLength(bytes, name, 'audio');
  const videoSeconds = renderInput.frameCount / renderInput.fps;
  const played = uses.map(({ startSeconds, endSeconds, transform: { trim_start_time: from = 0 } }) => {
    const to = from + Math.max(0, Math.min(endSeconds, videoSeconds) - startSeconds);
    return { from, to, endSeconds: Math.min(endSeconds, videoSeconds) };
  });
  if (played.every(({ from, to }) => to <= from)) return unheard(uses[0]!, renderInput, 'late');
  const longest = played.reduce((best, use) => (use.to > best.to ? use : best));
  if (seconds - longest.to < MIN_CUT_SECONDS) return undefined;
  const trim = transform.trim_start_time ?? 0;
  const lengths = { lengthSeconds: seconds - trim, playedSeconds: longest.to - trim };
  return { code: 'sound_cut', editable: name, ...soundMoment(renderInput, longest.endSeconds), ...lengths };
}

/** Reports a clip without sound. Called only if the video gives the clip a volume, because otherwise the clip has no `InputSound`. */
async function examineClipSound(
  { bytes, name }: InputSound,
  renderInput: ExaminedVideo,
): Promise<MediaFinding | undefined> {
  const hasSound = mediaTypeOf(bytes) !== 'gif' && (await checkClip(bytes, name)).hasSound;
  return hasSound
    ? undefined
    : { code: 'sound_unused', editable: name, ...soundMoment(renderInput, 0), reason: 'no_sound', lengthSeconds: null };
}

async function unheard(
  { name, bytes, isOwn }: InputSound,
  renderInput: ExaminedVideo,
  reason: 'volume' | 'late',
): Promise<MediaFinding | undefined> {
  if (isOwn) return undefined;
  const { seconds: lengthSeconds } = await mediaLength(bytes, name, 'audio');
  return { code: 'sound_unused', editable: name, ...soundMoment(renderInput, 0), reason, lengthSeconds };
}

/** @throws RenderError asset_decode_failed */
function rejectTrim(noun: string, imageName: string, trimSeconds: number, { seconds }: MediaLength): void {
  if (trimSeconds <= 0 || trimSeconds < seconds - 1e-6) return;
  const text = `It is trimmed to start at ${formatSeconds(trimSeconds)} s, and the ${noun} ends at ${formatSeconds(seconds)} s: nothing of it is left`;
  throw new RenderError('asset_decode_failed', text, { imageName });
}

function formatSeconds(seconds: number): string {
  return String(Number(seconds.toFixed(2)));
}

function truncated(editable: string, sighting: Sighting, { seconds, announced = null }: MediaLength): MediaFinding {
  const lengths = { presentSeconds: seconds, announcedSeconds: announced };
  return { code: 'media_truncated', editable, ...sighting, ...lengths };
}

type Sighting = Pick<MediaFinding, 'frame' | 'seconds' | 'still'>;

/** Returns the first still among some frames, or else the first frame. @param frames not empty, ascending */
function sightingOf({ stills, fps }: ExaminedVideo, frames: readonly number[]): Sighting {
  const among = new Set(frames);
  const [still] = stills.filter(({ frame }) => among.has(frame)).sort((a, b) => a.frame - b.frame);
  const frame = still?.frame ?? frames[0]!;
  return { frame, seconds: frame / fps, still: still?.name ?? null };
}

/** Durations in headers are rounded, and some include the encoder's delay. */
const TOLERANCE_SECONDS = 0.15;

/** Length of the readable part of a clip or sound. */
interface MediaLength {
  /** From the first picture or sample to the end of the last readable picture or sample. */
  readonly seconds: number;
  /** Announced length of a truncated file in seconds, null if unknown; undefined for a complete file. */
  readonly announced: number | null | undefined;
  /** The clip has several pictures. */
  readonly isMoving: boolean;
}

/**
 * Measures the readable part of a file, not its announced length. Decodes nothing.
 *
 * @param kind of the track to measure
 * @throws RenderError asset_type_unsupported, asset_decode_failed
 */
export async function mediaLength(bytes: SourceBytes, name: string, kind: 'video' | 'audio'): Promise<MediaLength> {
  const type = mediaTypeOf(bytes);
  if (type === undefined) {
    const noun = kind === 'video' ? 'clip' : 'sound';
    throw new RenderError('asset_type_unsupported', `The file is no ${noun} that can be used`, { imageName: name });
  }
  if (type === 'gif') {
    const { frames, isTruncated } = readGifFrames(bytes, name);
    const seconds = frames.reduce((sum, frame) => sum + frame.durationSeconds, 0);
    return { seconds, announced: isTruncated ? null : undefined, isMoving: frames.length > 1 };
  }
  const sound = viewed(bytes, (file) => packetTrack(file, type, name));
  if (sound !== undefined) {
    const { firstSeconds, endSeconds, announcedSeconds } = sound;
    return { seconds: endSeconds - Math.max(0, firstSeconds), announced: announcedSeconds, isMoving: false };
  }
  return readMedia(bytes, name, async (input) => {
    const tracks = await input.getTracks();
    const isMp4 = type === 'mp4' || type === 'mov';
    const announced = isMp4
      ? await longest(tracks)
      : (viewed(bytes, wavLength) ?? (await input.getDurationFromMetadata()));
    const ends = new Map<InputTrack, number>();
    for (const track of tracks) ends.set(track, await endOf(track, announced ?? Infinity));
    const track = await (kind === 'video' ? input.getPrimaryVideoTrack() : input.getPrimaryAudioTrack());
    if (track === null) throw new Error(`it has no ${kind === 'video' ? 'picture' : 'sound'}`);
    const first = await track.getFirstTimestamp();
    const end = ends.get(track) ?? (await endOf(track, announced ?? Infinity));
    const isTruncated = announced !== null && announced - Math.max(...ends.values(), end) > TOLERANCE_SECONDS;
    const { packetCount } = await track.computePacketStats(2);
    return {
      seconds: Math.max(0, end - Math.max(0, first)),
      announced: isTruncated ? announced : undefined,
      isMoving: packetCount > 1,
    };
  });
}

/** Returns the length of the longest track in seconds, from the tables of the file. */
async function longest(tracks: readonly InputTrack[]): Promise<number> {
  let seconds = 0;
  for (const track of tracks) seconds = Math.max(seconds, await track.computeDuration());
  return seconds;
}

/** Returns the end of the last complete packet, in seconds of the file. */
async function endOf(track: InputTrack, announced: number): Promise<number> {
  if (!(track.isVideoTrack() || track.isAudioTrack())) return 0;
  const sink = new EncodedPacketSink(track);
  const last = await sink.getPacket(announced);
  if (last !== null && last.timestamp + last.duration >= announced - TOLERANCE_SECONDS) {
    return last.timestamp + last.duration;
  }
  let end = 0;
  for await (const { timestamp, duration } of sink.packets()) end = Math.max(end, timestamp + duration);
  return end;
}

/** Streaming writers that do not know the length store 0 or nearly the maximum. */
const UNKNOWN_FROM = 0x7fff_0000;

/**
 * Returns the duration in seconds that the header of a WAV declares; null if it declares none or the file is not a WAV.
 *
 * @see https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html (`fmt `, `data`)
 */
function wavLength(file: ByteView): number | null {
  if (file.toString('latin1', 0, 4) !== 'RIFF') return null;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= file.length; ) {
    const type = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    if (type === 'data') {
      const isKnown = size > 0 && size < UNKNOWN_FROM && bytesPerSecond > 0;
      return isKnown ? size / bytesPerSecond : null;
    }
    if (type === 'fmt ' && at + 20 <= file.length) bytesPerSecond = file.readUInt32LE(at + 16);
    at += 8 + size + (size % 2);
  }
  return null;
}
