import { groupBy } from '../../kernel/group-by.ts';
import type { WaitingVideo } from '../../reconciler/definition/video.ts';
import type { Plan } from '../../reconciler/plan/plan.ts';
import type { PlanDocument } from '../../reconciler/plan/plan-document.ts';
import type { TextsDocument } from '../../reconciler/plan/texts-document.ts';
import type { VideoGroup } from './plan-words.ts';
import { countNoun } from './quantities.ts';

/**
 * Summarizes what locales lack: `12 videos wait for translation: de (40 texts), ja (2 texts, 1 stale)`; empty if they have everything.
 */
export function textWords({ texts = [] }: PlanDocument): string {
  const waiting = texts.reduce((sum, video) => sum + video.waiting, 0);
  const locales = [...groupBy(texts, ({ locale }) => locale)].map(
    ([locale, group]) => `${locale} (${countsOf(group)})`,
  );
  if (locales.length === 0) return '';
  const listed = locales.join(', ');
  if (waiting > 0)
    return `${countNoun(waiting, 'video')} ${waiting === 1 ? 'waits' : 'wait'} for translation: ${listed}`;
  return `Texts and files of other languages are used: ${listed}`;
}

/** Returns the videos that wait for translation. */
export function untranslatedVideos({ texts = [] }: Plan): WaitingVideo[] {
  return texts
    .filter(({ waits }) => waits)
    .map((video) => ({
      id: video.id,
      path: video.path,
      reason: `translation to ${video.locale} is missing (${missingCounts(video)})`,
      missing: [],
    }));
}

/** Counts what a video does not have in its locale: `2 texts, 1 stale`. */
export function missingCounts(video: Counts): string {
  return countsOf([video]);
}

/** Groups the definitions by what they lack, with the first place. */
export function textGroups({ texts = [] }: PlanDocument): VideoGroup[] {
  return [...groupBy(texts, ({ definition }) => definition)].map(([definition, group]) => {
    const waiting = group.filter((document) => document.waiting > 0);
    const others = group.filter((document) => document.waiting === 0);
    const part = (words: string, documents: readonly TextsDocument[]): string[] => {
      if (documents.length === 0) return [];
      return [`${words} ${documents.map((document) => `${document.locale} (${countsOf([document])})`).join(', ')}`];
    };
    const words = [...part('waits for translation:', waiting), ...part('uses other languages:', others)].join('; ');
    return { words: `${definition} ${words}`, ids: [...new Set(group.map(placeOf))].slice(0, 3) };
  });
}

type Counts = Pick<TextsDocument, 'untranslated' | 'stale' | 'fallbacks'>;

function countsOf(texts: readonly Counts[]): string {
  const sum = (field: 'untranslated' | 'stale' | 'fallbacks'): number =>
    texts.reduce((count, text) => count + text[field], 0);
  const [untranslated, stale, fallbacks] = [sum('untranslated'), sum('stale'), sum('fallbacks')];
  return [
    ...(untranslated + stale === 0 ? [] : [countNoun(untranslated + stale, 'text')]),
    ...(stale === 0 ? [] : [`${stale} stale`]),
    ...(fallbacks === 0 ? [] : [countNoun(fallbacks, 'fallback')]),
  ].join(', ');
}

/** Names the first text: `t_01 at videos/a.yaml:4`, and what is used instead for a fallback, unless it has the same name. */
function placeOf({ first: { state, name, used, file, line } }: TextsDocument): string {
  const instead = state === 'fallback' && used !== name ? ` (${used})` : '';
  return `${name}${instead} at ${file}${line === undefined ? '' : `:${line}`}`;
}
