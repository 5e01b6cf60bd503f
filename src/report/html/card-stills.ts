import type { PreviewImage, PreviewStill, VideoPreview } from '../../preview/plan-preview.ts';
import { previewNote, shareWords, timeWords } from '../preview-words.ts';
import { escapeHtml } from './escape-html.ts';

/**
 * What a change looks like: what was measured, stills, before beside after, and the drafts.
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
  return note + pairs.join('') + fresh + draftsHtml(id, video.drafts);
}

/** A picture within the page itself. */
export function imageHtml({ bytes, contentType, width, height }: PreviewImage, alt: string): string {
  const source = `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`;
  return `<img src="${source}" width="${width}" height="${height}" loading="lazy" decoding="async" alt="${escapeHtml(alt)}">`;
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

/** Nothing of a draft is decoded before somebody plays it. Without the page's script it has the controls of the browser. */
function draftsHtml(id: string, drafts: VideoPreview['drafts']): string {
  if (drafts === undefined) return '';
  const side = (bytes: Uint8Array, name: string): string => {
    const source = `data:video/mp4;base64,${Buffer.from(bytes).toString('base64')}`;
    const label = escapeHtml(`Draft of ${id}, ${name.toLowerCase()}`);
    return `<figure><video src="${source}" controls muted playsinline preload="none" aria-label="${label}"></video><figcaption>${name}, as a draft</figcaption></figure>`;
  };
  const { before, after } = drafts;
  const videos = before === null ? side(after, 'New') : side(before, 'Before') + side(after, 'After');
  const words = before === null ? 'Play the draft' : 'Play both drafts';
  const seek = `<label><span class="hidden">${escapeHtml(`Time in the drafts of ${id}`)}</span><input type="range" min="0" max="1000" value="0"></label>`;
  return `<div class="still drafts"><div class="pair">${videos}</div><div class="controls"><button type="button" data-play="${words}">${words}</button>${seek}</div></div>`;
}
