import { isRecord } from '../../../kernel/json.ts';
import type { LottieNode } from '../lottie-layers.ts';
import { propertyValue } from '../property-value.ts';
import { STRAIGHT, timesBetween } from './shared-easing.ts';

type Angles = readonly [x: number, y: number, z: number];
type Quaternion = readonly [x: number, y: number, z: number, w: number];
type Keyframe = LottieNode & { readonly t: number; readonly s: Angles };

/**
 * Returns an orientation that turns the shortest way from keyframe to keyframe, as in After Effects, because the renderer moves each
 * angle independently. Adds a keyframe at each frame. Returns constant orientations, and those of old documents, unchanged.
 *
 * @see https://en.wikipedia.org/wiki/Slerp
 */
export function withShortestTurns(orientation: LottieNode): LottieNode {
  const { k } = orientation;
  if (!Array.isArray(k) || k.length < 2 || !k.every(isKeyframe)) return orientation;
  const frames: readonly Keyframe[] = k;
  let before = frames[0]!.s;
  const turned = frames.flatMap((frame, index): object[] => {
    const next = frames[index + 1];
    const { to: _, ti: __, ...withoutPath } = frame;
    const times = next === undefined || frame.h === 1 ? null : timesBetween(frame.t, next.t);
    if (next === undefined || times === null) return [withoutPath];
    const [from, to] = [quaternion(frame.s), quaternion(next.s)];
    return times.map((t) => {
      // The angles nearest to those of the previous frame, so that the renderer turns no full circle between them.
      before = t === frame.t ? frame.s : nearest(angles(between(from, to, easedShare(frame, next, t))), before);
      return { t, s: before, ...STRAIGHT };
    });
  });
  return { ...orientation, k: turned };
}

function isKeyframe(frame: unknown): frame is Keyframe {
  if (!isRecord(frame) || typeof frame.t !== 'number' || !Array.isArray(frame.s)) return false;
  return frame.s.length === 3 && frame.s.every((angle) => typeof angle === 'number');
}

/** Returns how far the first of two keyframes has become the second at a time, 0..1. */
function easedShare({ t, o, i }: Keyframe, next: Keyframe, time: number): number {
  const share = { k: [{ t, o, i, s: [0] }, { t: next.t, s: [1] }] }; // biome-ignore format: a property
  return propertyValue(share, time)![0]!;
}

function quaternion(degrees: Angles): Quaternion {
  const [x, y, z] = degrees.map((angle) => (angle * Math.PI) / 360) as unknown as Angles;
  const about = (axis: number, half: number): Quaternion =>
    [0, 1, 2, 3].map((at) => (at === axis ? Math.sin(half) : at === 3 ? Math.cos(half) : 0)) as unknown as Quaternion;
  return product(product(about(0, x), about(1, y)), about(2, z));
}

function product([a, b, c, d]: Quaternion, [e, f, g, h]: Quaternion): Quaternion {
  return [
    d * e + a * h + b * g - c * f,
    d * f - a * g + b * h + c * e,
    d * g + a * f - b * e + c * h,
    d * h - a * e - b * f - c * g,
  ];
}

/** Angle in radians between two orientations below which they are mixed along a line. */
const ALMOST_SAME = 1e-3;

function between(from: Quaternion, to: Quaternion, share: number): Quaternion {
  const dot = from.reduce((sum, value, at) => sum + value * to[at]!, 0);
  // A quaternion and its negative are the same orientation.
  const sign = dot < 0 ? -1 : 1;
  const angle = Math.acos(Math.min(1, Math.abs(dot)));
  const weight = (part: number): number => (angle < ALMOST_SAME ? part : Math.sin(part * angle) / Math.sin(angle));
  return from.map((value, at) => value * weight(1 - share) + to[at]! * sign * weight(share)) as unknown as Quaternion;
}

/** Returns the angles of an orientation, which is turned around x after y after z. */
function angles([x, y, z, w]: Quaternion): Angles {
  const sine = Math.max(-1, Math.min(1, 2 * (x * z + w * y)));
  const isUpright = Math.abs(sine) > 1 - 1e-9;
  const radians = isUpright
    ? [Math.sign(sine) * Math.atan2(2 * (x * y + w * z), 1 - 2 * (x * x + z * z)), Math.asin(sine), 0]
    : [
        Math.atan2(2 * (w * x - y * z), 1 - 2 * (x * x + y * y)),
        Math.asin(sine),
        Math.atan2(2 * (w * z - x * y), 1 - 2 * (y * y + z * z)),
      ];
  return radians.map((angle) => (angle * 180) / Math.PI) as unknown as Angles;
}

function nearest(found: Angles, before: Angles): Angles {
  return found.map((angle, axis) => angle + Math.round((before[axis]! - angle) / 360) * 360) as unknown as Angles;
}
