import { type Diagnostic, errorAt, ReelformError, type Span } from './diagnostic.ts';
import { knownSha256, type Sha256 } from './digest.ts';

/** A file as Git LFS stores it in a repository: a short text in place of the bytes. */
export interface LfsPointer {
  /** SHA-256 of the bytes that it stands for, which is the digest that the lockfile records for them. */
  readonly oid: Sha256;
  /** Size of these bytes. */
  readonly sizeBytes: number;
}

/** Pointer files are smaller than 1024 bytes. */
export const MAX_POINTER_BYTES = 1023;

const POINTER_LINE = /^[a-z0-9.-]+ [^\r\n]+$/;

/**
 * Parses a Git LFS pointer: `key value` lines, `version` first and the rest sorted by key.
 *
 * @returns null for any other file, and for a pointer without a SHA-256
 * @see https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
 */
export function parseLfsPointer(bytes: Uint8Array): LfsPointer | null {
  if (bytes.length === 0 || bytes.length > MAX_POINTER_BYTES || bytes[0] !== 0x76) return null;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  if (!text.startsWith('version https://git-lfs.github.com/spec/v1\n') || !text.endsWith('\n')) return null;
  const lines = text.slice(0, -1).split('\n');
  if (!lines.every((line) => POINTER_LINE.test(line))) return null;
  const [, ...keys] = lines.map((line) => line.slice(0, line.indexOf(' ')));
  if (keys.some((key, index) => index > 0 && key <= keys[index - 1]!)) return null;
  const values = new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
  const oid = /^sha256:([0-9a-f]{64})$/.exec(values.get('oid') ?? '')?.[1];
  const size = values.get('size') ?? '';
  return oid === undefined || !/^\d{1,15}$/.test(size) ? null : { oid: oid as Sha256, sizeBytes: Number(size) };
}

/** Returns the SHA-256 of a file's content: of a Git LFS pointer, that of the bytes that it stands for. */
export function contentSha256(bytes: Uint8Array): Sha256 {
  return parseLfsPointer(bytes)?.oid ?? knownSha256(bytes);
}

/** Fetches the bytes of Git LFS pointers, on a machine and in CI. */
const FETCH_LFS = 'Run git lfs pull; in a GitHub workflow, set lfs: true for actions/checkout';

/** Creates the diagnostic for a pointer whose bytes are needed. */
export function pointerError(path: string, at: Span | undefined): Diagnostic {
  return errorAt(
    'lfs_pointer',
    at,
    `${JSON.stringify(path)} is a Git LFS pointer; its content was not fetched`,
    FETCH_LFS,
  );
}

/** @throws ReelformError `lfs_pointer` for a pointer, which must never be drawn or sent in place of its content */
export function requireContent(path: string, bytes: Uint8Array): void {
  if (parseLfsPointer(bytes) === null) return;
  const { message, hint } = pointerError(path, undefined);
  throw new ReelformError('lfs_pointer', message, { hint });
}

interface FileKind {
  /** With its article, such as `a PDF document`. */
  readonly name: string;
  /** Follows a semicolon: `export it as PNG or JPEG`. */
  readonly remedy?: string;
}

/**
 * Returns the predicate of a sentence about a file of another kind than expected: `is a web page, not an image; use a
 * direct link to the file`. Uses the first bytes only. Names only the expected kind for bytes that it does not recognize.
 *
 * @param wanted the expected kind, such as `a PNG or JPEG image`
 * @param remedy for kinds without a more specific remedy
 */
export function wrongKind(bytes: Uint8Array, wanted: string, remedy?: string): string {
  const kind = kindOf(bytes);
  const advice = kind?.remedy ?? remedy;
  return `is ${kind === null ? '' : `${kind.name}, `}not ${wanted}${advice === undefined ? '' : `; ${advice}`}`;
}

function kindOf(bytes: Uint8Array): FileKind | null {
  if (bytes.length === 0) return { name: 'empty' };
  if (parseLfsPointer(bytes) !== null) {
    return { name: 'a Git LFS pointer', remedy: 'git lfs pull fetches the file that it stands for' };
  }
  if (isAvif(bytes)) return { name: 'an AVIF image' };
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
  const start = head.toString('latin1', 0, 64);
  return BINARY_KINDS.find(([signature]) => signature.test(start))?.[1] ?? textKind(head);
}

/**
 * Returns whether a file is an AVIF image. HEIC and AVIF share the major brands `mif1` and `msf1`, which name only the
 * container; the compatible brands name the codec.
 *
 * @see ISO/IEC 23008-12, 10.2 (`mif1`); AV1 Image File Format, 8 (`avif`, `avis`)
 */
export function isAvif(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
  const [, major] = /^.{4}ftyp(.{4})/s.exec(head.toString('latin1', 0, 12)) ?? [];
  if (major === 'avif' || major === 'avis') return true;
  if (major !== 'mif1' && major !== 'msf1') return false;
  const compatible = head.toString('latin1', 16, head.readUInt32BE(0));
  return (compatible.match(/.{4}/gs) ?? []).some((brand) => brand === 'avif' || brand === 'avis');
}

/** Major brands of still pictures in the container of MP4: HEIC and Canon's raw photographs. */
const PICTURE_BRANDS = /^.{4}ftyp(?:hei[cmsx]|he[vc][cmsx]|mif1|msf1|crx )/s;

/** Returns whether a file with the container of MP4 is a HEIC image or a raw photograph, and not a clip or a sound. */
export function isUnsupportedPicture(bytes: Uint8Array): boolean {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 12)).toString('latin1');
  return PICTURE_BRANDS.test(start) && !isAvif(bytes);
}

const HEAD_BYTES = 2048;
const AS_IMAGE = 'export it as PNG, JPEG or WebP';
const AS_SOUND = 'convert it to WAV, MP3 or AAC';
const AS_VIDEO = 'convert it to MP4 with H.264';
const UNPACK = 'unpack it, and use the file inside';

/** Signature at the start of a file, as Latin-1 → its kind. The first match counts. */
const BINARY_KINDS: readonly (readonly [signature: RegExp, kind: FileKind])[] = [
  [/^\x89PNG\r\n\x1a\n/, { name: 'a PNG image' }],
  [/^\xff\xd8\xff/, { name: 'a JPEG image' }],
  [/^GIF8[79]a/, { name: 'a GIF image' }],
  [/^RIFF.{4}WEBP/s, { name: 'a WebP image' }],
  [/^RIFF.{4}AVI /s, { name: 'an AVI video', remedy: AS_VIDEO }],
  [/^(?:RIFF|RF64).{4}WAVE/s, { name: 'a WAV sound' }],
  [/^.{4}ftyp(?:hei[cmsx]|he[vc][cmsx]|mif1|msf1)/s, { name: 'a HEIC image', remedy: AS_IMAGE }],
  [/^.{4}ftypcrx /s, { name: 'a raw photograph (CR3)', remedy: AS_IMAGE }],
  [/^.{4}ftypqt {2}/s, { name: 'a QuickTime video' }],
  [/^.{4}ftypM4A /s, { name: 'an M4A sound' }],
  [/^.{4}ftyp/s, { name: 'an MP4 file' }],
  [/^\x1a\x45\xdf\xa3/, { name: 'a WebM or Matroska file' }],
  [/^\xff\x0a|^\0\0\0\x0cJXL /, { name: 'a JPEG XL image', remedy: AS_IMAGE }],
  [/^\0\0\0\x0cjP {2}/, { name: 'a JPEG 2000 image', remedy: AS_IMAGE }],
  [/^(?:II[*+]\0|MM\0[*+])/, { name: 'a TIFF image or raw photograph', remedy: AS_IMAGE }],
  [/^BM.{4}\0\0\0\0/s, { name: 'a BMP image', remedy: AS_IMAGE }],
  [/^8BPS\0[\x01\x02]/, { name: 'a Photoshop document', remedy: AS_IMAGE }],
  [/^\0\0\x01\0/, { name: 'a Windows icon', remedy: AS_IMAGE }],
  [/^%PDF-/, { name: 'a PDF document', remedy: AS_IMAGE }],
  [/^%!PS|^\xc5\xd0\xd3\xc6/, { name: 'a PostScript document', remedy: AS_IMAGE }],
  [/^fLaC/, { name: 'a FLAC sound' }],
  [/^OggS/, { name: 'an Ogg file' }],
  [/^ID3/, { name: 'an MP3 sound' }],
  [/^FORM.{4}AIF[FC]/s, { name: 'an AIFF sound' }],
  [/^caff/, { name: 'a CAF sound' }],
  [/^MThd/, { name: 'a MIDI file', remedy: AS_SOUND }],
  [/^\x30\x26\xb2\x75\x8e\x66\xcf\x11/, { name: 'a Windows Media file', remedy: 'convert it to MP4 or WAV' }],
  [/^FLV\x01/, { name: 'a Flash video', remedy: AS_VIDEO }],
  [/^\0\x01\0\0\0|^OTTO|^ttcf|^wOF[F2]/, { name: 'a font' }],
  [/^PK(?:\x03\x04|\x05\x06)/, { name: 'a zip archive', remedy: UNPACK }],
  [/^\x1f\x8b\x08/, { name: 'a gzip archive', remedy: UNPACK }],
  [/^7z\xbc\xaf\x27\x1c/, { name: 'a 7-Zip archive', remedy: UNPACK }],
  [/^Rar!\x1a\x07/, { name: 'a RAR archive', remedy: UNPACK }],
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, { name: 'a document of an older Office', remedy: 'save it in another format' }],
];

const WEB_PAGE = /^(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|script|title|meta)\b/is;

/** Recognizes texts: the remainder of the text is not read. */
function textKind(head: Buffer): FileKind | null {
  let text: string;
  try {
    // The end of the head may lie within a character.
    text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
  } catch {
    return null;
  }
  if (/[\x00-\x08\x0e-\x1f]/.test(text)) return null;
  const start = text.trimStart();
  if (WEB_PAGE.test(start)) return { name: 'a web page', remedy: 'use a direct link to the file' };
  if (/<svg[\s/>]/i.test(start) && start.startsWith('<')) return { name: 'an SVG drawing', remedy: AS_IMAGE };
  if (start.startsWith('<')) return { name: 'an XML document' };
  if (/^#EXTM3U/.test(start)) return { name: 'a playlist', remedy: 'use the video itself' };
  if (/^[{[]/.test(start)) return { name: 'a JSON document' };
  return start === '' ? { name: 'blank text' } : { name: 'a text' };
}

/** Content types of images, clips and sounds by extension. */
export const MEDIA_CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.avif': 'image/avif',
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.aac': 'audio/aac',
  '.flac': 'audio/flac',
  '.ogg': 'audio/ogg',
  '.m4a': 'audio/mp4',
  '.aif': 'audio/aiff',
  '.aiff': 'audio/aiff',
  '.aifc': 'audio/aiff',
  '.caf': 'audio/x-caf',
  '.ac3': 'audio/ac3',
  '.wma': 'audio/x-ms-wma',
};
