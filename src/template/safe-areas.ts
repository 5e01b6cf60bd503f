/** Margins that an app's interface or an old screen may cover, as shares of the picture's width and height. */
interface SafeMargins {
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly left: number;
}

/** Areas that stay visible on platforms. Sources and dates: docs/reference/lint.md. */
export const SAFE_AREAS = {
  broadcast: { top: 0.05, right: 0.05, bottom: 0.05, left: 0.05 },
  'instagram-reels': { top: 0.14, right: 0.06, bottom: 0.35, left: 0.06 },
  'instagram-stories': { top: 0.14, right: 0, bottom: 0.2, left: 0 },
  tiktok: { top: 150 / 1920, right: 150 / 1080, bottom: 440 / 1920, left: 120 / 1080 },
  'youtube-shorts': { top: 288 / 1920, right: 192 / 1080, bottom: 672 / 1920, left: 48 / 1080 },
} as const satisfies Readonly<Record<string, SafeMargins>>;

export type SafeAreaName = keyof typeof SAFE_AREAS;

export const SAFE_AREA_NAMES = Object.keys(SAFE_AREAS) as SafeAreaName[];
