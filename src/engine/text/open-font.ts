import { sha256 } from '../../digest.ts';
import type { SceneFont } from '../../template/scene.ts';
import { SceneError } from '../scene-error.ts';
import { HarfBuzzFont, type OpenFont } from './harfbuzz-font.ts';
import { tableNames, unpackFont } from './unpack-font.ts';

/** Bytes of fonts that stay open between texts: some families of CJK files and an emoji font. */
const MAX_OPEN_BYTES = 96 * 1024 * 1024;

interface KnownFont {
  readonly font: Promise<OpenFont>;
  /** Unpacked, once it is. */
  sizeBytes: number;
}

const byBytes = new WeakMap<Uint8Array, Promise<OpenFont>>();
/** The least recently used one first. */
const byDigest = new Map<string, KnownFont>();

/**
 * Opens a font, once per process and content: the shaper is loaded with the first.
 *
 * @throws SceneError template_invalid with the font's name, as `unpackFont`
 */
export function openFont({ name, bytes }: Pick<SceneFont, 'name' | 'bytes'>): Promise<OpenFont> {
  const same = byBytes.get(bytes);
  if (same !== undefined) return same;
  const digest = sha256(bytes);
  const known = byDigest.get(digest) ?? { font: readFont(name, bytes, digest), sizeBytes: bytes.length };
  byDigest.delete(digest);
  byDigest.set(digest, known);
  byBytes.set(bytes, known.font);
  known.font.then(
    ({ sizeBytes }) => {
      known.sizeBytes = sizeBytes;
      forgetOldest();
    },
    () => {
      byBytes.delete(bytes);
      byDigest.delete(digest);
    },
  );
  return known.font;
}

function forgetOldest(): void {
  let total = [...byDigest.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  for (const [digest, { sizeBytes }] of byDigest) {
    if (total <= MAX_OPEN_BYTES || byDigest.size === 1) return;
    byDigest.delete(digest);
    total -= sizeBytes;
  }
}

async function readFont(name: string, bytes: Uint8Array, digest: string): Promise<OpenFont> {
  const sfnt = await unpackFont(name, bytes);
  const hb = await import('harfbuzzjs');
  const face = new hb.Face(new hb.Blob(new Uint8Array(sfnt).buffer));
  const font = new hb.Font(face);
  const { upem } = face;
  if (!(upem >= 16) || face.collectUnicodes().length === 0) {
    throw new SceneError('template_invalid', `The font ${name} has no characters`, { imageName: name });
  }
  const extents = font.hExtents();
  const tables = tableNames(sfnt);
  const hasColor = ['COLR', 'CBDT', 'sbix'].some((table) => tables.has(table));
  return new HarfBuzzFont({
    hb,
    face,
    font,
    digest,
    sizeBytes: sfnt.length,
    ascent: extents.ascender / upem || 0.8,
    descent: -extents.descender / upem,
    hasColor,
    drawsSvg: tables.has('SVG ') && !hasColor,
  });
}
