import type { CaptionStyle } from './caption-style.ts';

/** The built-in styles by name. A style is hashed as its values, so that a change here changes the videos that use its name. */
export const CAPTION_STYLES = {
  clean: { size: 5, shadow: 4, shadow_blur: 14, shadow_color: '000000B3' },
  box: { weight: 500, size: 4.6, background: '000000CC', padding: 34, radius: 12, line_height: 134 },
} as const satisfies Readonly<Record<string, CaptionStyle>>;
