import { describe, expect, it } from 'vitest';
import { embeddedPreview } from '../../../src/report/html/embedded-preview.ts';
import { planHtml } from '../../../src/report/html/plan-html.ts';
import { documentOf, everyAction, largePlan } from '../example-plans.ts';
import { examplePreview } from './preview.ts';

describe('embeddedPreview()', () => {
  it('keeps the pictures of the most different videos, and says of the others what is missing', () => {
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
  it('says what changes alike and where folders begin, of a large plan alone', () => {
    const page = planHtml(documentOf(largePlan(100)));
    expect(page).toMatch(
      /<a href="#video-\d+">100 videos<\/a> <span class="why">a value changed: Accent colour<\/span>/,
    );
    expect(page).toMatch(/<nav class="folders" aria-label="Folders">.*<bdi>stores\/<\/bdi><\/a> 100</);
    expect(planHtml(documentOf(everyAction()))).not.toMatch(/<nav|class="alike"/);
  });
});
