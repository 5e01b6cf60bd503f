import { wrongKind } from '../kernel/file-kind.ts';

/** Signatures: the first four bytes of a file. */
const SFNT = new Set(['\0\x01\0\0', 'OTTO', 'true', 'ttcf']);
const WOFF = new Set(['wOFF', 'wOF2']);
/** Tables that drawing requires. */
const REQUIRED_TABLES = ['cmap', 'head', 'hhea', 'hmtx', 'maxp'];

/**
 * Returns the problem of a font file, or null. Detects files that are not fonts and truncated fonts, for which Skia would
 * silently draw nothing. Does not check outlines.
 *
 * @see OpenType 1.9, "Table Directory"; WOFF 1.0 and 2.0, "Header": the length of the file is at offset 8
 */
export function fontProblem(bytes: Uint8Array): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const signature = bytes.length < 12 ? '' : String.fromCharCode(...bytes.subarray(0, 4));
  if (WOFF.has(signature)) return view.getUint32(8) === bytes.length ? null : 'is truncated';
  if (!SFNT.has(signature)) return wrongKind(bytes, 'a TrueType, OpenType or WOFF font');
  return signature === 'ttcf' ? 'is a font collection; a package needs single fonts' : sfntProblem(view);
}

function sfntProblem(view: DataView): string | null {
  const tableCount = view.getUint16(4);
  if (12 + tableCount * 16 > view.byteLength) return 'is truncated';
  const names = new Set<string>();
  for (let table = 0; table < tableCount; table++) {
    const at = 12 + table * 16;
    names.add(String.fromCharCode(...new Uint8Array(view.buffer, view.byteOffset + at, 4)));
    if (view.getUint32(at + 8) + view.getUint32(at + 12) > view.byteLength) return 'is truncated';
  }
  const missing = REQUIRED_TABLES.filter((name) => !names.has(name));
  return missing.length === 0 ? null : `lacks the tables ${missing.join(', ')}`;
}
