const LONGEST_BYTES = 150;
/** Names that Windows keeps for devices, whatever their ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * A title as the name of a file that every system takes: without what separates paths, controls, or turns the direction of
 * text, none of which could hide another ending.
 *
 * @returns without an ending; `video` where nothing is left
 */
export function safeFileName(title: string): string {
  const clean = title
    .toWellFormed()
    .normalize('NFC')
    // Directions and other invisible marks, but for the joiners that scripts and emoji are written with.
    .replaceAll(/(?:(?![\u200c\u200d])\p{Cf}|[\p{Cc}\p{Zl}\p{Zp}\p{Co}\ufffd])+/gu, ' ')
    .replaceAll(/[<>:"/\\|?*]+/g, '-')
    .replaceAll(/\s+/g, ' ');
  const name = trimmed(shortened(trimmed(clean)));
  if (name === '') return 'video';
  return DEVICE.test(name.split('.')[0]!.trim()) ? `_${name}` : name;
}

/** Windows drops dots and spaces at the end, others hide what begins with a dot. */
function trimmed(text: string): string {
  return text.replace(/^[\s.]+/, '').replace(/[\s.]+$/, '');
}

/** Whole characters, as a reader sees them. */
function shortened(text: string): string {
  let name = '';
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    if (Buffer.byteLength(name + segment) > LONGEST_BYTES) break;
    name += segment;
  }
  return name;
}
