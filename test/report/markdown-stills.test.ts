import { describe, expect, it } from 'vitest';
import type { PlanPreview, VideoPreview } from '../../src/preview/plan-preview.ts';
import { planMarkdown, stagedMarkdown } from '../../src/report/plan-markdown.ts';
import { documentOf, everyAction } from './example-plans.ts';
import { examplePreview, image } from './html/preview.ts';

const document = documentOf(everyAction());

/** A preview of one video whose picture has this address. */
function previewAt(url: string | null, changes: Partial<VideoPreview> = {}): PlanPreview {
  const picture = { ...image('#ff8800'), url };
  const still = {
    timeSeconds: 2.5,
    editables: ['Headline', '<b>'],
    before: picture,
    after: picture,
    changedShare: 0.004,
  };
  const video = { stills: [still], isVisible: true, unseen: [], ...changes };
  return { ...examplePreview(), videos: new Map([['berlin', video]]), leftOut: [] };
}

describe('planMarkdown() with a preview', () => {
  it('shows pictures that have an address, and what was measured', () => {
    const shown = planMarkdown(document, {
      preview: previewAt('https://github.com/o/r/blob/looks/a.jpg?raw=true&x=1'),
    });
    const picture = (side: string): string =>
      `<img src="https://github.com/o/r/blob/looks/a.jpg?raw=true&amp;x=1" width="64" alt="${side}">`;
    expect(shown.split('\n').slice(-8).join('\n')).toBe(
      [
        ...['#### Before and after', '', '**<code>berlin</code>**', '', '| Before | After |', '|---|---|'],
        `| ${picture('before')} | ${picture('after')}<br><sub>at 2.5 s, 0.4 % of the picture: Headline, &#60;b&#62;</sub> |`,
        '',
      ].join('\n'),
    );
  });

  it.each([
    null,
    'http://example.com/a.jpg',
    'https://example.com/"onerror="x',
    'https://example.com/a|b',
    'javascript:alert(1)',
  ])('shows no picture at %s, and says where it is', (url) => {
    const shown = planMarkdown(document, { preview: previewAt(url) });
    expect(shown).not.toContain('<img');
    expect(shown).toContain('The stills of 1 video can be seen in the page of the plan alone.');
  });

  it('says what nobody would see, and what was not looked at', () => {
    const shown = planMarkdown(document, {
      preview: previewAt(null, { isVisible: false, unseen: ['sound', 'output'] }),
    });
    expect(shown).toContain('**<code>berlin</code>** · no visible change; also changes: its sound, its file');
    expect(planMarkdown(document, { preview: examplePreview() })).toContain('Not looked at: <code>bergen</code>.');
  });

  it('keeps to the budget with more stills than fit, and says how many are missing', () => {
    const one = previewAt(`https://example.com/${'x'.repeat(900)}`).videos.get('berlin')!;
    const preview = { ...examplePreview(), videos: new Map(Array.from({ length: 200 }, (_, at) => [`v${at}`, one])) };
    const { text, stage } = stagedMarkdown(document, { preview });
    expect(stage).toBe('some');
    expect(text.length).toBeLessThanOrEqual(60_000);
    const left = 200 - text.match(/alt="after"/g)!.length;
    expect(text).toContain(`The stills of ${left} more videos are not shown.`);
  });
});
