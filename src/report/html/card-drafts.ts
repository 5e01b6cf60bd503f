import type { Drafts, PreviewImage, VideoPreview } from '../../preview/plan-preview.ts';
import { imageSource } from './card-stills.ts';
import { escapeHtml } from './escape-html.ts';

/** Pictures that drafts show before they are played. */
export interface Posters {
  readonly before: PreviewImage | null;
  readonly after: PreviewImage | null;
}

/** The stills on which most changes, of either side; the draft's own picture where there are no stills. */
export function postersOf(stills: VideoPreview['stills'], drafts: Drafts | undefined): Posters {
  const [most] = [...stills].sort((a, b) => (b.changedShare ?? 0) - (a.changedShare ?? 0));
  const own = drafts?.poster ?? null;
  return { before: most?.before ?? own, after: most?.after ?? own };
}

/**
 * The drafts of a video. Pictures that differ play together, silent until somebody chooses a side to hear. Where only the
 * sound differs, each side plays by itself and is heard. Nothing of a draft is decoded before it is played. Without the
 * page's script all drafts have the controls of the browser.
 */
export function draftsHtml(
  id: string,
  { drafts, isVisible, unseen }: Pick<VideoPreview, 'drafts' | 'isVisible' | 'unseen'>,
  posters: Posters,
): string {
  if (drafts === undefined) return '';
  const { before, after, audible = [] } = drafts;
  const side = (
    bytes: Uint8Array,
    name: string,
    poster: PreviewImage | null,
    caption = '',
    sound = ' muted',
  ): string => {
    const source = `data:video/mp4;base64,${Buffer.from(bytes).toString('base64')}`;
    const picture = poster === null ? '' : ` poster="${imageSource(poster)}"`;
    const label = escapeHtml(`Draft of ${id}, ${name.toLowerCase()}`);
    return `<figure><video src="${source}"${picture} controls${sound} playsinline preload="none" aria-label="${label}"></video><figcaption>${name}, as a draft${caption}</figcaption></figure>`;
  };
  if (before !== null && isVisible === false && unseen.includes('sound')) {
    const captionOf = (name: 'before' | 'after') => (audible.includes(name) ? '' : ': no sound');
    const sides = `${side(before, 'Before', posters.before, captionOf('before'), '')}${side(after, 'After', posters.after, captionOf('after'), '')}`;
    return `<div class="still heard"><div class="pair">${sides}</div><p class="at">The picture stays the same. Play either side to hear its sound.</p></div>`;
  }
  const isPair = before !== null && before !== after;
  const alone = before === null ? 'New' : 'Before and after';
  const sides = isPair
    ? side(before, 'Before', posters.before) + side(after, 'After', posters.after)
    : side(after, alone, posters.after);
  const words = isPair ? 'Play both drafts' : 'Play the draft';
  const seek = `<label><span class="hidden">${escapeHtml(`Time in the drafts of ${id}`)}</span><input type="range" min="0" max="1000" value="0"></label>`;
  const heard = isPair ? audible : audible.filter((name) => name === 'after');
  const sound = heard.length === 0 ? '' : soundHtml(id, heard, isPair);
  const controls = `<button type="button" data-play="${words}">${words}</button>${sound}${seek}`;
  return `<div class="still drafts"><div class="pair">${sides}</div><div class="controls">${controls}</div></div>`;
}

/** Chooses which of the drafts is heard, by its place among them. */
function soundHtml(id: string, audible: readonly ('before' | 'after')[], isPair: boolean): string {
  const options = audible.map((name) => {
    const place = isPair && name === 'after' ? 1 : 0;
    return `<option value="${place}">${isPair ? `Sound of ${name}` : 'Sound on'}</option>`;
  });
  const label = `<span class="hidden">${escapeHtml(`Sound of the drafts of ${id}`)}</span>`;
  return `<label class="sound">${label}<select><option value="">Sound off</option>${options.join('')}</select></label>`;
}
