import type { OutputQuality } from '../../wire/output.ts';
import { VideoStream } from '../codec/video-stream.ts';
import type { FrameFormat } from '../h264/encoder.ts';

/** Constant quality, lower is better. */
export const VP9_QUALITY: Readonly<Record<OutputQuality, number>> = { low: 43, medium: 33, high: 23 };

/**
 * Opens a stream of VP9: libvpx, real time, cpu-used 7, constant quality. Gives the frames in order.
 *
 * @param keyFrames frames from one key frame to the next
 * @throws ReelformError encoder_missing; SceneError encode_failed
 */
export function openVp9Stream(format: FrameFormat, quality: OutputQuality, keyFrames: number): Promise<VideoStream> {
  const options = {
    ...{ deadline: 'realtime', 'cpu-used': '7', crf: String(VP9_QUALITY[quality]), b: '0' },
    ...{ g: String(keyFrames), 'lag-in-frames': '0', flags: '+bitexact' },
  };
  return VideoStream.open({ format, encoder: 'libvpx-vp9', options });
}

/** Level → luma samples per second, luma samples per picture. @see VP9 Levels, WebM project */
const LEVELS: readonly (readonly [level: number, perSecond: number, perPicture: number])[] = [
  [10, 829_440, 36_864],
  [11, 2_764_800, 73_728],
  [20, 4_608_000, 122_880],
  [21, 9_216_000, 245_760],
  [30, 20_736_000, 552_960],
  [31, 36_864_000, 983_040],
  [40, 83_558_400, 2_228_224],
  [41, 160_432_128, 2_228_224],
  [50, 311_951_360, 8_912_896],
  [51, 588_251_136, 8_912_896],
  [52, 1_176_502_272, 8_912_896],
  [60, 1_176_502_272, 35_651_584],
  [61, 2_353_004_544, 35_651_584],
];

/** Profile 0, eight bits, and the level that size and rate need. @see VP Codec ISO Media File Format Binding, section 5 */
export function vp9Codec({ width, height, rate }: FrameFormat): string {
  const picture = width * height;
  const second = (picture * rate.numerator) / rate.denominator;
  const level = LEVELS.find(([, perSecond, perPicture]) => second <= perSecond && picture <= perPicture)?.[0] ?? 62;
  return `vp09.00.${level}.08`;
}
