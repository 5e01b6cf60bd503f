import { TRANSFORM_DEFAULTS } from '../../contract/wire/defaults.ts';
import { sha256 } from '../../kernel/digest.ts';
import { sourceSha256 } from '../../kernel/source-file.ts';
import type { InputSound, LoudnessTarget, VideoInput } from '../../template/render-input.ts';
import { MIX_RATE } from '../codec/resampler.ts';
import { loudnessFindings, soundMeasures } from '../input-media.ts';
import { type FindingMoment, type LintFinding, MAX_LEVEL_GAIN, momentAt, soundMoment } from '../lint-finding.ts';
import { predictLoudness } from '../media/encode-at-loudness.ts';
import { type Mix, openInputSound, openMix } from '../media/mix-sounds.ts';
import { soundKey } from '../segments/segment.ts';
import { fromDecibels, toDecibels } from '../sound/decibels.ts';
import { SoundFile } from '../sound/sound-file.ts';
import { finiteOrNull, type HeardSound, SoundListener } from '../sound/sound-listener.ts';
import type { HeardSounds } from './heard-sounds.ts';

/** No peak above it, in dBTP, is silence: background noise is louder. */
const SILENCE = -60;
/** A single clipped peak is not heard. */
const CLIPPED_PLACES = 10;
/** Below this correlation, a sound loses more than 6 dB in mono. */
const OUT_OF_PHASE = -0.5;
/** The limiter lowers peaks that exceed full scale by so many decibels without being heard. */
const MAX_EXCESS = 3;

/**
 * Finds what a listener would notice: sounds that are silent, clipped, out of phase or too quiet for their level, a mix that is much too
 * loud, and one that cannot have the loudness of its video. Decodes each sound, as far as it is heard. Sounds of templates are not
 * judged alone.
 *
 * @param heardSounds receives what was measured
 * @throws RenderError as `openMix`
 */
export async function lintSound(video: VideoInput, heardSounds: HeardSounds): Promise<LintFinding[]> {
  const found: LintFinding[] = [];
  const named = new Set<string>();
  let mostPeak = 0;
  for (const sound of video.sounds) {
    const { transform, name, isOwn } = sound;
    if (transform.volume === 0) continue;
    const heard = await heardSounds.of(keyOf(sound, video), () => listenTo(sound, video));
    mostPeak += peakInMix(sound, heard);
    if (isOwn || named.has(name)) continue;
    const findings = findingsOf(sound, heard, momentOf(sound, video));
    if (findings.length > 0) named.add(name);
    found.push(...findings);
  }
  return [...found, ...(await lintMix(video, mostPeak, heardSounds))];
}

function findingsOf(
  { name: editable, transform }: InputSound,
  heard: HeardSound,
  moment: FindingMoment,
): LintFinding[] {
  const { integrated, truePeak, clippedPlaces, correlation } = heard;
  const place = { editable, ...moment, box: null };
  if (truePeak === null || truePeak < SILENCE) return [{ code: 'sound_silent', ...place, peak: truePeak }];
  const { level } = transform;
  const isQuiet = level !== undefined && integrated !== null && level - integrated > MAX_LEVEL_GAIN;
  return [
    ...(clippedPlaces < CLIPPED_PLACES ? [] : [{ code: 'sound_clipped', ...place, places: clippedPlaces } as const]),
    ...(correlation === null || correlation > OUT_OF_PHASE
      ? []
      : [{ code: 'sound_out_of_phase', ...place, correlation } as const]),
    ...(isQuiet ? [{ code: 'level_missed', ...place, loudness: integrated, level } as const] : []),
  ];
}

/** Mixes the sounds of a video if it has a loudness, or if the mix may be much too loud. */
async function lintMix(video: VideoInput, mostPeak: number, heardSounds: HeardSounds): Promise<LintFinding[]> {
  const { loudness } = video;
  if (loudness === undefined && toDecibels(mostPeak) <= MAX_EXCESS) return [];
  // The name of the build distinguishes it from the key of an encoded sound.
  const key = soundKey(video, 'pcm', 'lint');
  const measure = async (): Promise<HeardSound> => {
    const mix = await openMix(video);
    if (mix === null) return new SoundListener().result();
    return listenToMix(mix, loudness).finally(() => mix.close());
  };
  const heard = await (key === null ? measure() : heardSounds.of(key, measure));
  const start = { ...momentAt(video, 0), box: null };
  if (loudness !== undefined) {
    heardSounds.mix = soundMeasures(heard) ?? null;
    return loudnessFindings(video, heard.integrated ?? Number.NEGATIVE_INFINITY).map((finding) => ({
      ...finding,
      ...start,
    }));
  }
  const excess = heard.truePeak ?? Number.NEGATIVE_INFINITY;
  return excess > MAX_EXCESS ? [{ code: 'mix_too_loud', editable: null, ...start, excess }] : [];
}

/** Returns the largest peak that a sound can have in the mix, as a factor: without fades, and without being lowered. */
function peakInMix(
  { transform: { level, volume = TRANSFORM_DEFAULTS.audio.volume } }: InputSound,
  heard: HeardSound,
): number {
  const { integrated, truePeak } = heard;
  if (truePeak === null) return 0;
  const isLeveled = level !== undefined && integrated !== null;
  const gain = isLeveled ? fromDecibels(Math.min(MAX_LEVEL_GAIN, level - integrated)) : volume;
  return fromDecibels(truePeak) * gain;
}

function momentOf({ startSeconds }: InputSound, video: VideoInput): FindingMoment {
  return soundMoment(video, startSeconds);
}

/** Names a sound and the part of it that is heard. */
function keyOf(sound: InputSound, video: VideoInput): string {
  const { from, seconds } = heardPart(sound, video);
  return sha256(`${sourceSha256(sound.bytes)} ${from} ${seconds}`);
}

function heardPart({ startSeconds, endSeconds, transform }: InputSound, { frameCount, fps }: VideoInput) {
  const { trim_start_time: from } = { ...TRANSFORM_DEFAULTS.audio, ...transform };
  return { from, seconds: Math.max(0, Math.min(endSeconds, frameCount / fps) - Math.max(0, startSeconds)) };
}

/** Measures a sound as far as it is heard once; that of a clip without sound is silent. */
async function listenTo(sound: InputSound, video: VideoInput): Promise<HeardSound> {
  const listener = new SoundListener();
  const { from, seconds } = heardPart(sound, video);
  const source = await openInputSound(sound);
  try {
    let missing = Math.round(seconds * MIX_RATE);
    const samples = source?.samples(from, (channels) => listener.addDecoded(channels)) ?? [];
    for await (const { left, right } of samples) {
      listener.add(left.subarray(0, missing), right.subarray(0, missing));
      missing -= left.length;
      if (missing <= 0) break;
    }
    return listener.result();
  } finally {
    source?.close();
  }
}

/** Measures a mix, with the gain and the limiter of its loudness. */
async function listenToMix(mix: Mix, loudness: LoudnessTarget | undefined): Promise<HeardSound> {
  const listener = new SoundListener();
  const file = loudness === undefined ? null : new SoundFile();
  try {
    for await (const block of mix.blocks()) {
      if (file === null) listener.add(block.left, block.right);
      else await file.append(block);
    }
    if (file === null || loudness === undefined) return listener.result();
    const { integrated, truePeak } = await predictLoudness(file, loudness);
    return { ...listener.result(), integrated: finiteOrNull(integrated), truePeak: finiteOrNull(truePeak) };
  } finally {
    file?.close();
  }
}
