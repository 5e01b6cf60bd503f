import { graphemeClusters } from './graphemes.ts';

const MAX_BYTES = 150;
/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * Converts a title to a file name that every system accepts. Removes path separators, control characters and direction
 * marks, so that none of them can hide another extension.
 *
 * @returns the name without an extension; `video` if nothing is left
 */
export function safeFileName(title: string): string {
  const clean = title
    .toWellFormed()
    .normalize('NFC')
    // Direction and other invisible marks, except the joiners that scripts and emoji need.
    .replaceAll(/(?:(?![\u200c\u200d])\p{Cf}|[\p{Cc}\p{Zl}\p{Zp}\p{Co}\ufffd])+/gu, ' ')
    .replaceAll(/[<>:"/\\|?*]+/g, '-')
    .replaceAll(/\s+/g, ' ');
  const name = trimmed(shortened(trimmed(clean)));
  if (name === '') return 'video';
  return DEVICE.test(name.split('.')[0]!.trim()) ? `_${name}` : name;
}

/** Windows drops trailing dots and spaces; other systems hide files that start with a dot. */
function trimmed(text: string): string {
  return text.replace(/^[\s.]+/, '').replace(/[\s.]+$/, '');
}

/** Cuts at a grapheme cluster. */
function shortened(text: string): string {
  let name = '';
  for (const { segment } of graphemeClusters(text)) {
    if (Buffer.byteLength(name + segment) > MAX_BYTES) break;
    name += segment;
  }
  return name;
}
