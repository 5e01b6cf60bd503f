import { describe, expect, it } from 'vitest';
import { planHtml } from '../../../src/report/html/plan-html.ts';
import { draftsHtml, embeddedPreview, postersOf } from '../../../src/report/html/preview-html.ts';
import type { PreviewStill, VideoPreview } from '../../../src/report/preview/plan-preview.ts';
import { documentOf, everyAction, largePlan } from '../example-plans.ts';
import { examplePreview, image } from './preview.ts';

const RED = image('#ff0000');
const GREEN = image('#00ff00');
const BLUE = image('#0000ff');
const BEFORE = new Uint8Array([1]);
const AFTER = new Uint8Array([2]);

function still(changedShare: number | null, before: PreviewStill['before'], after = GREEN): PreviewStill {
  return { timeSeconds: 1, editables: [], before, after, changedShare };
}

function page(changes: Partial<VideoPreview> & Pick<VideoPreview, 'drafts'>): string {
  const video = { stills: [], isVisible: true, unseen: [], ...changes };
  return draftsHtml('berlin', video, postersOf(video.stills, video.drafts));
}

const count = (html: string, part: string): number => html.split(part).length - 1;
const base64 = ({ bytes }: ReturnType<typeof image>): string => Buffer.from(bytes).toString('base64');

describe('postersOf()', () => {
  it('takes the stills with the largest difference, one for each side', () => {
    const stills = [still(0.1, BLUE, BLUE), still(0.3, RED, GREEN), still(0.2, BLUE, BLUE)];
    expect(postersOf(stills, undefined)).toEqual({ before: RED, after: GREEN });
  });

  it('takes the poster of the draft without stills', () => {
    const drafts = { before: BEFORE, after: AFTER, poster: BLUE };
    expect(postersOf([], drafts)).toEqual({ before: BLUE, after: BLUE });
  });
});

describe('draftsHtml()', () => {
  it('shows the poster of each side before it plays, muted', () => {
    const html = page({ stills: [still(0.3, RED, GREEN)], drafts: { before: BEFORE, after: AFTER } });
    expect(html.indexOf(base64(RED))).toBeLessThan(html.indexOf('Before, as a draft'));
    expect(html.indexOf(base64(GREEN))).toBeGreaterThan(html.indexOf('Before, as a draft'));
    expect(count(html, ' muted ')).toBe(2);
    expect(html).not.toContain('<select>');
  });

  it('offers the sound of either side', () => {
    const options = (before: Uint8Array | null, ...audible: ('before' | 'after')[]) => {
      const html = page({ isVisible: before && true, drafts: { before, after: AFTER, audible } });
      return [...html.matchAll(/<option value="(.*?)">(.*?)</g)].map(([, value, words]) => `${value} ${words}`);
    };
    expect(options(BEFORE, 'before', 'after')).toEqual([' Sound off', '0 Sound of before', '1 Sound of after']);
    expect(options(BEFORE, 'after')).toEqual([' Sound off', '1 Sound of after']);
    expect(options(null, 'after')).toEqual([' Sound off', '0 Sound on']);
    expect(options(BEFORE)).toEqual([]);
  });

  it('plays each side on its own with sound if only the sound differs', () => {
    const drafts = { before: BEFORE, after: AFTER, poster: BLUE, audible: ['after'] as const };
    const html = page({ isVisible: false, unseen: ['sound'], drafts });
    expect([count(html, '<video'), count(html, ' controls'), count(html, ' muted'), count(html, base64(BLUE))]).toEqual(
      [2, 2, 0, 2],
    );
    expect(html).toContain('The frames are unchanged. Play either side to hear its sound.');
    expect(html).toMatch(/Before, as a draft: no sound<.*After, as a draft</);
    expect(html).not.toContain('data-play');
  });

  it('shows one draft if both sides are identical', () => {
    const html = page({ isVisible: false, unseen: ['output'], drafts: { before: AFTER, after: AFTER, poster: BLUE } });
    expect([count(html, '<video'), count(html, 'Before and after, as a draft')]).toEqual([1, 1]);
  });
});

describe('embeddedPreview()', () => {
  it('embeds images of the most different videos and lists the omissions of the others', () => {
    const preview = examplePreview();
    const sizeOf = (id: string): number =>
      preview.videos
        .get(id)!
        .stills.reduce((sum, { before, after }) => sum + (before?.bytes.length ?? 0) + after.bytes.length, 0);
    const kept = embeddedPreview(preview, { stills: sizeOf('paris'), drafts: 3 });
    expect(
      [...kept].map(([id, { stills, share, missing }]) => ({ id, stills: stills.length, share, missing })),
    ).toEqual([
      { id: 'paris', stills: 1, share: 1, missing: [] },
      { id: 'berlin', stills: 0, share: 0.25, missing: ['stills', 'drafts'] },
      { id: 'vienna', stills: 0, share: 0, missing: ['stills'] },
    ]);
    expect(kept.get('berlin')).not.toHaveProperty('drafts');
    expect([...embeddedPreview(preview).values()].flatMap(({ missing }) => missing)).toEqual([]);
  });
});

describe('planHtml()', () => {
  it('shows groups and folders only for a large plan', () => {
    const page = planHtml(documentOf(largePlan(100)));
    expect(page).toMatch(
      /<a href="#video-\d+">100 videos<\/a> <span class="why">a value changed: Accent colour<\/span>/,
    );
    expect(page).toMatch(/<nav class="folders" aria-label="Folders">.*<bdi>stores\/<\/bdi><\/a> 100</);
    expect(planHtml(documentOf(everyAction()))).not.toMatch(/<nav|class="alike"/);
  });
});
