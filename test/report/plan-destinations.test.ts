import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/reconciler/plan/plan.ts';
import { planMarkdown } from '../../src/report/markdown/plan-markdown.ts';
import { planText } from '../../src/report/terminal/plan-text.ts';
import { desired, lockOf, place, plan, text } from '../reconciler/plan/videos.ts';
import { documentOf } from './example-plans.ts';

/** One video for everything that a plan can do about places. */
function places(): Plan {
  const at = (...to: string[]) => ({ deliver: to.map(place) });
  const lock = lockOf(
    desired('berlin', at('s3://videos/')),
    desired('oslo', { ...at('s3://videos/old/', 'file:out/'), resources: { t_01: text('Oslo') } }),
    desired('rome', { ...at('s3://videos/'), resources: { t_01: text('Rome') } }),
    desired('wien', { ...at('s3://videos/'), resources: { t_01: text('Wien') } }),
  );
  const videos = [
    desired('berlin', at()),
    desired('lima', { ...at('s3://videos/'), resources: { t_01: text('Lima') } }),
    desired('oslo', { ...at('s3://videos/new/'), resources: { t_01: text('Oslo') } }),
    desired('rome', { ...at('s3://videos/'), resources: { t_01: text('Roma') } }),
    desired('vienna', { ...at('s3://videos/'), resources: { t_01: text('Wien') } }),
  ];
  return plan(videos, lock);
}

describe('a plan with destinations', () => {
  it('lists new and removed destinations of each video', () => {
    expect(planText(documentOf(places()), { color: false, trueColor: false, columns: 80 })).toMatchInlineSnapshot(`
      "Plan: 1 to create, 1 to update, 1 to move, 1 to relabel, 1 to deliver ·
            2 renders, 24 s of video, 4 deliveries

        ≈ berlin  The video berlin
          videos/berlin.yaml · not rendered again
            delivered to  s3://videos/berlin.mp4 removed; the delivered file remains

        + lima    The video lima
          videos/lima.yaml · new
            delivered to  s3://videos/lima.mp4

        ↑ oslo    The video oslo
          videos/oslo.yaml · destination changed, not rendered again
            delivered to  s3://videos/old/oslo.mp4 → s3://videos/new/oslo.mp4
            delivered to  file:out/oslo.mp4 removed; the delivered file remains

        ~ rome    The video rome
          videos/rome.yaml · a value changed
            Headline      Rome → Roma
            delivered to  s3://videos/rome.mp4

        → vienna  The video vienna
          videos/vienna.yaml · was wien, not rendered again
            title         The video wien → The video vienna
            delivered to  s3://videos/wien.mp4 → s3://videos/vienna.mp4
      "
    `);
  });

  it('lists them in Markdown', () => {
    expect(planMarkdown(documentOf(places()))).toMatchInlineSnapshot(`
      "### Reelform plan: 1 to create, 1 to update, 1 to move, 1 to relabel, 1 to deliver

      2 renders, 24 s of video, 4 deliveries.

      | | Video | Reason | Destination |
      |:--|:--|:--|:--|
      | <code>+</code>&nbsp;create | <code>lima</code><br>The video lima | new | <code>s3&#58;<!-- -->//videos/lima.mp4</code> |
      | <code>&#126;</code>&nbsp;update | <code>rome</code><br>The video rome | a value changed: Headline | <code>s3&#58;<!-- -->//videos/rome.mp4</code> |
      | <code>→</code>&nbsp;move | <code>vienna</code><br>The video vienna | was wien, not rendered again; changed: title | <code>s3&#58;<!-- -->//videos/vienna.mp4</code> |
      | <code>≈</code>&nbsp;relabel | <code>berlin</code><br>The video berlin | not rendered again | <code>s3&#58;<!-- -->//videos/berlin.mp4</code> removed; the delivered file remains |
      | <code>↑</code>&nbsp;deliver | <code>oslo</code><br>The video oslo | destination changed, not rendered again | <code>s3&#58;<!-- -->//videos/new/oslo.mp4</code><br><code>file&#58;out/oslo.mp4</code> removed; the delivered file remains |

      <details><summary>What changes about 2 videos</summary>

      **<code>rome</code>**

      | | Before | After |
      |:--|:--|:--|
      | Headline | Rome | Roma |

      **<code>vienna</code>**

      | | Before | After |
      |:--|:--|:--|
      | title | The video wien | The video vienna |

      </details>
      "
    `);
  });

  it('names the buckets for a group of videos', () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      desired(`shop-${index}`, { deliver: [place('s3://videos/')], resources: { t_01: text(`${index}`) } }),
    );
    expect(
      planText(documentOf(plan(many, lockOf())), { color: false, trueColor: false, columns: 80 }),
    ).toMatchInlineSnapshot(`
      "Plan: 60 to create · 60 renders, 12:00 min of video, 60 deliveries

        + 60 videos
          new · shop-0, shop-1, shop-10 and 57 more
            delivered to  s3://videos/…

      This plan is shortened: 57 videos not listed. Use --verbose for all details.
      "
    `);
  });
});
