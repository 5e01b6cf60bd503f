import { describe, expect, it } from 'vitest';
import { planHtml } from '../../../src/report/html/plan-html.ts';
import { planMarkdown, stagedMarkdown } from '../../../src/report/markdown/plan-markdown.ts';
import type { PlanPreview, VideoPreview } from '../../../src/report/preview/plan-preview.ts';
import { documentOf, everyAction } from '../example-plans.ts';
import { examplePreview, image } from '../html/preview.ts';
import { brokenMarkdown } from '../well-formed.ts';

const document = documentOf(everyAction());

/** Returns a preview of one video whose picture has this URL. */
function previewAt(url: string | null, changes: Partial<VideoPreview> = {}): PlanPreview {
  const picture = { ...image('#ff8800'), url };
  const still = {
    timeSeconds: 2.5,
    editables: ['t_01', '<b>'],
    before: picture,
    after: picture,
    changedShare: 0.004,
  };
  const video = { stills: [still], isVisible: true, unseen: [], ...changes };
  return { ...examplePreview(), videos: new Map([['berlin', video]]), leftOut: [] };
}

describe('planMarkdown() with a preview', () => {
  it('shows images that have a URL, and measurements', () => {
    const shown = planMarkdown(document, {
      preview: previewAt('https://github.com/o/r/blob/looks/a.jpg?raw=true&x=1'),
    });
    const picture = (side: string): string =>
      `<img src="https://github.com/o/r/blob/looks/a.jpg?raw=true&amp;x=1" width="64" alt="${side}">`;
    expect(shown.split('\n').slice(-9).join('\n')).toBe(
      [
        ...['#### Before and after', '', '**<code>berlin</code>**', '', '| Before | After |', '|:--|:--|'],
        `| ${picture('before')} | ${picture('after')} |`,
        '| <sub>at 2.5 s · Headline, &#60;b&#62;</sub> | <sub>0.4 % of the frame differs</sub> |',
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
  ])('shows no picture at %s but says where it is', (url) => {
    const shown = planMarkdown(document, { preview: previewAt(url) });
    expect(shown).not.toContain('<img');
    expect(shown).toContain('The stills of 1 video are only in the plan page.');
  });

  it('lists videos without a visible change and omitted videos', () => {
    const shown = planMarkdown(document, {
      preview: previewAt(null, { isVisible: false, unseen: ['sound', 'output'] }),
    });
    expect(shown).toContain('No visible change; also changes: its sound, its file: <code>berlin</code>.');
    const example = planMarkdown(document, { preview: examplePreview() });
    expect(example).toContain('Not drawn (the time limit was reached): <code>bergen</code>.');
    // Their pictures have no URL.
    expect(example).toContain('| <code>berlin</code> | 25 % of the frame differs, at 2 s; also changes: its sound |');
    expect(example).toContain('The stills of 2 videos are only in the plan page.');
  });

  it('shows a new video alone, limits the height of images, and collapses all but the first three videos', () => {
    const tall = { ...image('#ff8800', 360, 640), url: 'https://example.com/a.jpg' };
    const still = { timeSeconds: 2, editables: [], before: null, after: tall, changedShare: null };
    const fresh = {
      stills: [still, { ...still, timeSeconds: 4 }, { ...still, timeSeconds: 6 }],
      isVisible: null,
      unseen: [],
    };
    const videos = new Map(Array.from({ length: 5 }, (_, at) => [`v${at}`, fresh]));
    const shown = planMarkdown(document, { preview: { ...examplePreview(), videos, leftOut: [] } });
    const picture = '<img src="https://example.com/a.jpg" width="129" alt="new">';
    const both = `| New, at 2 s | New, at 4 s |\n| :-- | :-- |\n| ${picture} | ${picture} |`;
    expect(shown).toContain(`**<code>v0</code>**\n\n${both}\n\n| New, at 6 s |\n| :-- |\n| ${picture} |\n\n**<code>v1`);
    expect(shown).toContain('<details><summary>2 more videos, before and after</summary>\n\n**<code>v3</code>**');
    expect(brokenMarkdown(shown)).toEqual([]);
  });

  it('starts with the contact sheet of an upgrade if it has a URL, and collapses its videos', () => {
    const sheet = { ...image('#888888', 1200, 200), url: 'https://example.com/sheet.jpg' };
    const shown = planMarkdown(document, {
      preview: { ...previewAt('https://example.com/a.jpg'), contactSheet: sheet },
    });
    expect(shown).toContain('<img src="https://example.com/sheet.jpg" width="740" alt="');
    expect(shown).toContain('<details><summary>1 video, before and after</summary>\n\n**<code>berlin</code>**');
    expect(brokenMarkdown(shown)).toEqual([]);
  });

  it('shows the table of a definition, collapses further tables, and names those without a picture', () => {
    const sheet = { ...image('#888888', 1000, 400), url: 'https://example.com/spring.jpg' };
    const matrices = [
      { definition: 'spring', hidden: 68, image: sheet },
      { definition: 'autumn', hidden: 0, image: { ...sheet, url: 'https://example.com/autumn.jpg' } },
      { definition: 'winter', hidden: 0, image: null },
    ];
    const shown = planMarkdown(document, { preview: { ...examplePreview(), matrices } });
    expect(shown).toContain('**<code>spring</code>** · 68 more videos not shown\n\n<img src="https://example.com/spring.jpg" width="740" alt="Contact sheet of spring: a picture for each locale, and for each variant or row">'); // biome-ignore format: one expectation
    expect(shown).toContain(
      '<details><summary>Contact sheets of 1 more definition</summary>\n\n**<code>autumn</code>**',
    );
    expect(shown).toContain('No contact sheet: <code>winter</code>.');
    expect(brokenMarkdown(shown)).toEqual([]);
    const page = planHtml(document, { preview: { ...examplePreview(), matrices } });
    expect(page).toContain('<summary>Contact sheet of spring · 68 more videos not shown</summary>');
    expect(page).toContain('No contact sheet: <code><bdi>winter</bdi></code>');
  });

  it('stays within the budget with too many stills, and counts the omitted ones', () => {
    const berlin = previewAt(`https://example.com/${'x'.repeat(900)}`).videos.get('berlin')!;
    const preview = {
      ...examplePreview(),
      videos: new Map(Array.from({ length: 200 }, (_, at) => [`v${at}`, berlin])),
    };
    const { text, stage } = stagedMarkdown(document, { preview });
    expect(stage).toBe('some');
    expect(text.length).toBeLessThanOrEqual(60_000);
    expect(brokenMarkdown(text)).toEqual([]);
    const left = 200 - text.match(/alt="after"/g)!.length;
    expect(text).toContain(`The stills of ${left} more videos are not shown.`);
  });
});
