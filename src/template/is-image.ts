/**
 * Whether bytes are a still image: PNG, JPEG, WebP or AVIF, told by how they begin. What fills the area of a video is one
 * of these, or else a clip; a GIF is a clip.
 */
export function isImage(bytes: Uint8Array): boolean {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  return (
    head.startsWith('\x89PNG\r\n\x1a\n') ||
    head.startsWith('\xff\xd8\xff') ||
    /^RIFF.{4}WEBP/s.test(head) ||
    /^ftyp(?:avif|avis|mif1|msf1)/.test(head.slice(4))
  );
}
