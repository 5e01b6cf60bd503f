import type { PreviewImage, PreviewStill, VideoPreview } from '../../preview/plan-preview.ts';
import { previewNote, shareWords, timeWords } from '../preview-words.ts';
import { escapeHtml } from './escape-html.ts';

/** What a change looks like: what was measured, stills, before beside after, and the drafts. */
export function cardStills(id: string, video: VideoPreview): string {
  const words = previewNote(video);
  const note = words === '' ? '' : `<p class="note">${escapeHtml(words)}</p>`;
  return note + video.stills.map((still) => stillHtml(id, still)).join('') + draftsHtml(id, video.drafts);
}

/** A picture within the page itself. */
export function imageHtml({ bytes, contentType, width, height }: PreviewImage, alt: string): string {
  const source = `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`;
  return `<img src="${source}" width="${width}" height="${height}" loading="lazy" decoding="async" alt="${escapeHtml(alt)}">`;
}

function stillHtml(id: string, { timeSeconds, editables, before, after, changedShare }: PreviewStill): string {
  const time = timeWords(timeSeconds);
  const share =
    changedShare === null
      ? []
      : [`${shareWords(changedShare)} differs`.replace(/^the same picture differs$/, 'the same picture')];
  const about = [time, ...share, ...(editables.length === 0 ? [] : [editables.join(', ')])].join(' · ');
  const side = (image: PreviewImage, name: 'before' | 'after', caption: string): string =>
    `<figure class="${name}">${imageHtml(image, `${id} ${name}, ${time}`)}<figcaption>${caption}</figcaption></figure>`;
  const line = `<p class="at">${escapeHtml(about)}</p>`;
  if (before === null)
    return `<div class="still"><div class="pair alone">${side(after, 'after', 'New')}</div>${line}</div>`;
  const cut = `<label class="cut"><span class="hidden">${escapeHtml(`How much of ${id} before, ${time}`)}</span><input type="range" min="0" max="100" value="50"></label>`;
  const pair = `${side(before, 'before', 'Before')}${side(after, 'after', 'After')}<span class="line"></span>`;
  return `<div class="still"><div class="pair both">${pair}</div>${cut}${line}</div>`;
}

function draftsHtml(id: string, drafts: VideoPreview['drafts']): string {
  if (drafts === undefined) return '';
  const side = (bytes: Uint8Array, name: string): string => {
    const source = `data:video/mp4;base64,${Buffer.from(bytes).toString('base64')}`;
    const label = escapeHtml(`Draft of ${id}, ${name.toLowerCase()}`);
    return `<figure><video src="${source}" muted playsinline preload="metadata" aria-label="${label}"></video><figcaption>${name}</figcaption></figure>`;
  };
  const { before, after } = drafts;
  const videos = before === null ? side(after, 'New') : side(before, 'Before') + side(after, 'After');
  const words = before === null ? 'Play the draft' : 'Play both drafts';
  const seek = `<label class="hidden" for="seek-${hash(id)}">${escapeHtml(`Time in the drafts of ${id}`)}</label><input id="seek-${hash(id)}" type="range" min="0" max="1000" value="0">`;
  return `<div class="still drafts"><div class="pair${before === null ? ' alone' : ''}">${videos}</div><div class="controls"><button type="button" data-play="${words}">${words}</button>${seek}</div></div>`;
}

/** An id of an element for an id of a video. */
function hash(id: string): string {
  return Buffer.from(id).toString('hex');
}
