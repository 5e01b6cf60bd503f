import { defined, present } from '../../kernel/defined.ts';
import {
  type Drafts,
  mostChangedStill,
  type PlanPreview,
  type PreviewImage,
  type PreviewStill,
  type VideoPreview,
} from '../preview/plan-preview.ts';
import { escapeHtml } from '../wording/display-text.ts';
import { momentWords, newOrChangedShare, previewNote, shareWords } from '../wording/preview-words.ts';

interface Posters {
  readonly before: PreviewImage | null;
  readonly after: PreviewImage | null;
}

/** Chooses the still with the largest difference, or the draft's own poster without stills. */
export function postersOf(stills: VideoPreview['stills'], drafts: Drafts | undefined): Posters {
  const most = mostChangedStill(stills);
  const draftPoster = drafts?.poster ?? null;
  return { before: most?.before ?? draftPoster, after: most?.after ?? draftPoster };
}

/**
 * Renders the drafts of a video. Drafts that look different play in sync, muted until the reader selects a side to hear. If
 * only the sound differs, each side plays on its own with sound. Nothing is decoded before it is played. Without the script,
 * drafts have native controls.
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
    return `<div class="still heard"><div class="pair">${sides}</div><p class="at">The frames are unchanged. Play either side to hear its sound.</p></div>`;
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

/** Renders the selection of the audible draft, by index. */
function soundHtml(id: string, audible: readonly ('before' | 'after')[], isPair: boolean): string {
  const options = audible.map((name) => {
    const place = isPair && name === 'after' ? 1 : 0;
    return `<option value="${place}">${isPair ? `Sound of ${name}` : 'Sound on'}</option>`;
  });
  const label = `<span class="hidden">${escapeHtml(`Sound of the drafts of ${id}`)}</span>`;
  return `<label class="sound">${label}<select><option value="">Sound off</option>${options.join('')}</select></label>`;
}

/**
 * Renders what a change looks like: notes and stills, before beside after.
 *
 * @param nameOf returns the display name of an editable's key
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

export function imageHtml(image: PreviewImage, alt: string): string {
  const { width, height } = image;
  return `<img src="${imageSource(image)}" width="${width}" height="${height}" loading="lazy" decoding="async" alt="${escapeHtml(alt)}">`;
}

function imageSource({ bytes, contentType }: PreviewImage): string {
  return `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`;
}

function newHtml(id: string, { after, editables, ...moment }: PreviewStill): string {
  const time = momentWords(moment);
  const about = present([`New, ${time}`, editables.length > 0 && editables.join(', ')]).join(' · ');
  return `<figure>${imageHtml(after, `${id}, new, ${time}`)}<figcaption>${escapeHtml(about)}</figcaption></figure>`;
}

function pairHtml(id: string, { editables, before, after, changedShare, ...moment }: PreviewStill): string {
  const time = momentWords(moment);
  const share =
    changedShare === null ? [] : [changedShare === 0 ? shareWords(0) : `${shareWords(changedShare)} differs`];
  const about = present([time, ...share, editables.length > 0 && editables.join(', ')]).join(' · ');
  const side = (image: PreviewImage, name: 'before' | 'after', caption: string): string =>
    `<figure class="${name}">${imageHtml(image, `${id} ${name}, ${time}`)}<figcaption>${caption}</figcaption></figure>`;
  const label = escapeHtml(`How much of ${id} before, ${time}`);
  const cut = `<label class="cut"><span class="hidden">${label}</span><input type="range" min="0" max="100" value="50"></label>`;
  const pair = `${side(before!, 'before', 'Before')}${side(after, 'after', 'After')}<span class="line"></span>`;
  return `<div class="still"><div class="pair both">${pair}</div>${cut}<p class="at">${escapeHtml(about)}</p></div>`;
}

/** Maximum bytes of images and drafts in a page; base64 adds a third. */
const MOST = { stills: 16_000_000, drafts: 16_000_000 };

/** The part of a video's preview that is embedded in a page. */
export interface EmbeddedVideo extends VideoPreview {
  /** Largest share of differing pixels; 1 for a new video. */
  readonly share: number;
  readonly posters: Posters;
  /** Kinds of content omitted from the page. */
  readonly missing: readonly ('stills' | 'drafts')[];
}

/**
 * Selects the content of a preview that keeps the page loadable: images until the limit is reached, the largest difference
 * first, then drafts in the same order. Measurements are kept for all videos.
 */
export function embeddedPreview({ videos }: PlanPreview, most = MOST): ReadonlyMap<string, EmbeddedVideo> {
  const left = { ...most };
  const take = (kind: 'stills' | 'drafts', sizes: readonly { readonly byteLength: number }[]): boolean => {
    const size = sizes.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (size > left[kind]) return false;
    left[kind] -= size;
    return true;
  };
  const mostDifferentFirst = [...videos].sort(([, a], [, b]) => newOrChangedShare(b) - newOrChangedShare(a));
  return new Map(
    mostDifferentFirst.map(([id, { drafts, ...video }]): [string, EmbeddedVideo] => {
      const pictures = video.stills.flatMap(({ before, after }) => present([before?.bytes, after.bytes]));
      const hasStills = take('stills', pictures);
      const posters = postersOf(video.stills, drafts);
      const hasDrafts = drafts !== undefined && take('drafts', draftBytes(drafts, posters));
      const missing = present<EmbeddedVideo['missing'][number]>([
        !hasStills && 'stills',
        drafts !== undefined && !hasDrafts && 'drafts',
      ]);
      const stills = hasStills ? video.stills : [];
      return [
        id,
        {
          ...video,
          stills,
          ...defined({ drafts: hasDrafts ? drafts : undefined }),
          share: newOrChangedShare(video),
          posters,
          missing,
        },
      ];
    }),
  );
}

function draftBytes({ before, after }: NonNullable<VideoPreview['drafts']>, posters: Posters): Uint8Array[] {
  const videos = before === null || before === after ? [after] : [before, after];
  const pictures = videos.length === 1 ? [posters.after] : [posters.before, posters.after];
  return [...videos, ...pictures.flatMap((poster) => poster?.bytes ?? [])];
}
