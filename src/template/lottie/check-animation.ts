import { isRecord } from '../../json.ts';
import { checkCompositions, MAX_DEPTH } from './check-compositions.ts';

export interface CheckAnimationOptions {
  /** Ids of image assets whose bytes come beside the animation, so that their own paths do not matter. */
  readonly suppliedAssets?: ReadonlySet<string>;
  /** Names (`fName`) of fonts whose bytes come beside the animation. */
  readonly suppliedFonts?: ReadonlySet<string>;
}

export const MAX_SIDE_PIXELS = 4096;
export const MAX_DURATION_SECONDS = 600;

/**
 * What would make an animation dangerous or meaningless to draw, each problem with its JSON pointer; empty when it can be
 * handed to the rasteriser. Depth and size are bounded because native code crashes or runs out of memory on them without
 * an error; paths because nothing outside the text may be read. Says nothing about how the picture looks. Takes any value.
 *
 * @see Lottie specification 1.0.1: "Animation", "Layers", "Assets"
 */
export function checkAnimation(animation: unknown, options: CheckAnimationOptions = {}): string[] {
  if (!isRecord(animation)) return ['/: an animation must be an object'];
  if (isTooDeep(animation)) return [`${findTooDeep(animation)}: nested deeper than ${MAX_DEPTH} levels`];
  return [
    ...checkTiming(animation),
    ...checkSize(animation),
    ...checkCompositions(animation),
    ...checkAssets(animation, options.suppliedAssets ?? new Set()),
    ...checkFonts(animation, options.suppliedFonts ?? new Set()),
  ];
}

/** Level by level, without a path for each of what may be hundreds of thousands of values. */
function isTooDeep(root: object): boolean {
  let level: object[] = [root];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    const next: object[] = [];
    for (const value of level) {
      for (const child of Array.isArray(value) ? value : Object.values(value)) {
        if (typeof child === 'object' && child !== null) next.push(child);
      }
    }
    level = next;
  }
  return false;
}

/** The first path that goes too deep. Walks without recursion: the stack is what such a file aims at. */
function findTooDeep(root: object): string | undefined {
  const open: { value: object; depth: number; path: string }[] = [{ value: root, depth: 1, path: '' }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (item.depth > MAX_DEPTH) return item.path;
    for (const [key, child] of Object.entries(item.value)) {
      if (typeof child === 'object' && child !== null) {
        open.push({ value: child, depth: item.depth + 1, path: `${item.path}/${key}` });
      }
    }
  }
  return undefined;
}

function checkTiming({ fr, ip, op }: Record<string, unknown>): string[] {
  const problems: string[] = [];
  if (!(isFiniteNumber(fr) && fr >= 1 && fr <= 240))
    problems.push(`/fr: ${show(fr)} frames per second is not in 1..240`);
  if (!isFiniteNumber(ip)) problems.push(`/ip: ${show(ip)} is not a frame`);
  if (!isFiniteNumber(op)) problems.push(`/op: ${show(op)} is not a frame`);
  if (problems.length > 0 || !isFiniteNumber(fr) || !isFiniteNumber(ip) || !isFiniteNumber(op)) return problems;
  if (op <= ip) return [`/op: the animation ends at ${op}, not after its start at ${ip}`];
  const seconds = (op - ip) / fr;
  return seconds > MAX_DURATION_SECONDS
    ? [`/op: ${Math.round(seconds)} s is longer than ${MAX_DURATION_SECONDS} s`]
    : [];
}

function checkSize(animation: Record<string, unknown>): string[] {
  return ['w', 'h']
    .filter((side) => !isSide(animation[side]))
    .map((side) => `/${side}: ${show(animation[side])} pixels is not in 1..${MAX_SIDE_PIXELS}`);
}

function isSide(value: unknown): boolean {
  return isFiniteNumber(value) && value >= 1 && value <= MAX_SIDE_PIXELS;
}

/** Every image must be in the text or come beside it. */
function checkAssets(animation: Record<string, unknown>, supplied: ReadonlySet<string>): string[] {
  if (!Array.isArray(animation.assets)) return animation.assets === undefined ? [] : ['/assets: not a list'];
  return animation.assets.flatMap((asset: unknown, index): string[] => {
    if (!isRecord(asset) || typeof asset.id !== 'string') return [`/assets/${index}: an asset must have an id`];
    if (asset.p === undefined || asset.layers !== undefined || supplied.has(asset.id)) return [];
    return isEmbedded(asset.p) ? [] : [`/assets/${index}/p: ${show(asset.p)} lies outside the animation`];
  });
}

function checkFonts(animation: Record<string, unknown>, supplied: ReadonlySet<string>): string[] {
  const list = isRecord(animation.fonts) ? animation.fonts.list : undefined;
  if (!Array.isArray(list)) return [];
  return list.flatMap((font: unknown, index): string[] => {
    if (!isRecord(font)) return [`/fonts/list/${index}: not a font`];
    if (font.fPath === undefined || font.fPath === '' || supplied.has(String(font.fName))) return [];
    return isEmbedded(font.fPath) ? [] : [`/fonts/list/${index}/fPath: ${show(font.fPath)} lies outside the animation`];
  });
}

function isEmbedded(path: unknown): boolean {
  return typeof path === 'string' && path.startsWith('data:');
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
