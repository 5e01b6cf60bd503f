import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import type { LottieDocument } from '../../src/template/render-input.ts';
import type { TemplatePackage } from '../../src/template/template-package.ts';
import { SMALL_MANIFEST, smallAnimation, smallPackageFiles, solidPng } from './small-package.ts';
import { toneWav } from './tone.ts';

export const CLIP = '(Footage)/USER/clip.mp4';
export const VOICE = '(Footage)/USER/voice.mp3';

/**
 * The small package with every other kind of editable: a video, a sound, fonts to choose and to fall back on, its own
 * music.
 */
export const MEDIA_MANIFEST = `${SMALL_MANIFEST.replace('kind: text, stillcut: stillcut_01, max_length: 20', 'kind: text, stillcut: stillcut_01, required: false').replace('kind: color, stillcut: stillcut_01', 'kind: color, stillcut: stillcut_01, required: false')}  ${CLIP}: { label: Clip, kind: video, stillcut: stillcut_01, required: false }
  ${VOICE}: { label: Voice, kind: audio, stillcut: stillcut_01, required: false }
  f_01: { label: Font, kind: font, stillcut: stillcut_01, required: false, replaces: Test-Regular, allowed_fonts: [Test-Regular, Spare-Italic] }
fallback_fonts: [Wide-Regular]
`;

/** The clip is on the left from 0.2 s to 0.9 s, and its own time starts at 0.3 s; the voice plays from 0.4 s on. */
export function mediaAnimation(): LottieDocument {
  const animation = smallAnimation();
  const [, photo] = animation.layers as Record<string, unknown>[];
  animation.assets!.push(
    { id: 'clip', w: 32, h: 18, u: 'images/', p: 'poster.png', e: 0, sid: CLIP },
    { id: 'voice', u: '', p: '', e: 0, sid: VOICE },
    { id: 'music', u: 'audio/', p: 'music.wav', e: 0 },
  );
  const place = { ...(photo!.ks as object), p: { a: 0, k: [4, 14, 0] } };
  animation.layers.unshift({ ...photo, ind: 4, nm: 'clip', refId: 'clip', ip: 2, op: 9, st: 3, ks: place });
  animation.layers.push(
    { ty: 6, ind: 5, nm: 'voice', refId: 'voice', ip: 4, op: 10, st: 2, au: { lv: { a: 0, k: [50, 50] } } },
    { ty: 6, ind: 6, nm: 'music', refId: 'music', ip: 0, op: 10, st: 0 },
  );
  return animation;
}

export function mediaPackageFiles(
  changes: Readonly<Record<string, Uint8Array | string | null>> = {},
): Map<string, Uint8Array> {
  const fonts = join(import.meta.dirname, '../../templates/story/fonts');
  return smallPackageFiles({
    'template.yaml': MEDIA_MANIFEST,
    'animation.json': JSON.stringify(mediaAnimation()),
    'images/poster.png': solidPng('#ff00ff', 32, 18),
    'audio/music.wav': toneWav(1, 220),
    'fonts/Spare-Italic.ttf': readFileSync(join(fonts, 'InstrumentSerif-Italic.ttf')),
    'fonts/Wide-Regular.ttf': readFileSync(join(fonts, 'InstrumentSerif-Regular.ttf')),
    ...changes,
  });
}

export function mediaPackage(): TemplatePackage {
  const result = parseTemplatePackage('templates/media', mediaPackageFiles());
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.value;
}
