import type { PreviewImage, PreviewStill, VideoPreview } from '../../preview/plan-preview.ts';
import { previewNote, shareWords, timeWords } from '../wording/preview-words.ts';
import { escapeHtml } from './escape-html.ts';

/**
 * What a change looks like: what was measured, and stills, before beside after.
 *
 * @param nameOf what a key of an editable is called
 */
export function cardStills(id: string, video: VideoPreview, nameOf: (key: string) => string): string {
  const words = previewNote(video);
  const note = words === '' ? '' : `<p class="note">${escapeHtml(words)}</p>`;
  const stills = video.stills.map((still) => ({ ...still, editables: still.editables.map(nameOf) }));
  const pairs = stills.filter(({ before }) => before !== null).map((still) => pairHtml(id, still));
  const alone = stills.filter(({ before }) => before === null).map((still) => newHtml(id, still));
  const fresh = alone.length === 0 ? '' : `<div class="still"><div class="pair">${alone.join('')}</div></div>`;
  return note + pairs.join('') + fresh;
}

/** A picture within the page itself. */
export function imageHtml(image: PreviewImage, alt: string): string {
  const { width, height } = image;
  return `<img src="${imageSource(image)}" width="${width}" height="${height}" loading="lazy" decoding="async" alt="${escapeHtml(alt)}">`;
}

/** The URL of a picture within the page itself. */
export function imageSource({ bytes, contentType }: PreviewImage): string {
  return `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`;
}

function newHtml(id: string, { timeSeconds, after, editables }: PreviewStill): string {
  const time = timeWords(timeSeconds);
  const about = [`New, ${time}`, ...(editables.length === 0 ? [] : [editables.join(', ')])].join(' · ');
  return `<figure>${imageHtml(after, `${id}, new, ${time}`)}<figcaption>${escapeHtml(about)}</figcaption></figure>`;
}

function pairHtml(id: string, { timeSeconds, editables, before, after, changedShare }: PreviewStill): string {
  const time = timeWords(timeSeconds);
  const share =
    changedShare === null ? [] : [changedShare === 0 ? shareWords(0) : `${shareWords(changedShare)} differs`];
  const about = [time, ...share, ...(editables.length === 0 ? [] : [editables.join(', ')])].join(' · ');
  const side = (image: PreviewImage, name: 'before' | 'after', caption: string): string =>
    `<figure class="${name}">${imageHtml(image, `${id} ${name}, ${time}`)}<figcaption>${caption}</figcaption></figure>`;
  const label = escapeHtml(`How much of ${id} before, ${time}`);
  const cut = `<label class="cut"><span class="hidden">${label}</span><input type="range" min="0" max="100" value="50"></label>`;
  const pair = `${side(before!, 'before', 'Before')}${side(after, 'after', 'After')}<span class="line"></span>`;
  return `<div class="still"><div class="pair both">${pair}</div>${cut}<p class="at">${escapeHtml(about)}</p></div>`;
}
