import { expect, test } from 'vitest';
import { createPlanCheck } from '../../src/kernel/json-schema/compile-schema.ts';
import type { LeftOutVideo, VideoId } from '../../src/reconciler/definition/video.ts';
import type { PlanDocument } from '../../src/reconciler/plan/plan-document.ts';
import { planVideos } from '../../src/reconciler/plan/plan-videos.ts';
import { planHtml } from '../../src/report/html/plan-html.ts';
import { planMarkdown } from '../../src/report/markdown/plan-markdown.ts';
import { planText } from '../../src/report/terminal/plan-text.ts';
import { desired, lockOf, text } from '../reconciler/plan/videos.ts';
import { documentOf } from './example-plans.ts';

const leftOut = (id: string, reason: string): LeftOutVideo => ({
  id: id as VideoId,
  path: `videos/${id.split('/')[0]}.yaml`,
  reason,
});
const kept = desired('berlin', { resources: { t_01: text('Berlin') } });
const gone = desired('oslo', { resources: { t_01: text('Oslo') } });

function planOf(videos: readonly LeftOutVideo[]): PlanDocument {
  const lock = lockOf(kept, gone);
  return documentOf(
    planVideos({ desired: [kept], leftOut: videos, lock, observations: { missingOutputs: new Set() } }),
  );
}

const document = planOf([
  leftOut('oslo', 'offer is empty'),
  leftOut('series/a', 'state is "<b>draft</b> @all"'),
  leftOut('series/b', 'state is "<b>draft</b> @all"'),
]);

test('a plan with videos that conditions leave out follows its schema', () => {
  expect(createPlanCheck()(document)).toBeNull();
});

test('Markdown shows why a video is removed, and lists the others by reason', () => {
  expect(planMarkdown(document)).toMatchInlineSnapshot(`
    "### Reelform plan: 1 to forget, 1 unchanged

    Nothing to render.

    | | Video | Why |
    |:--|:--|:--|
    | <code>-</code>&nbsp;forget | <code>oslo</code><br>The video oslo | left out&#58; offer is empty; the video is not deleted |

    <details><summary>2 videos are left out by "when"</summary>

    - state is "&#60;b&#62;draft&#60;/b&#62; &#64;&#8203;all": <code>series/a</code>, <code>series/b</code>

    </details>
    "
  `);
});

test('the page shows the same', () => {
  const html = planHtml(document);
  expect(html).toContain('videos/oslo.yaml · left out: offer is empty; the video is not deleted');
  expect(html).toContain(
    '<summary>2 videos are left out by &#34;when&#34;</summary><p>state is &#34;&#60;b&#62;draft&#60;/b&#62; @all&#34;: <code><bdi>series/a</bdi></code>, <code><bdi>series/b</bdi></code></p>',
  );
});

test('the terminal shortens long lists of ids and of reasons, and says so', () => {
  const many = planOf([
    ...Array.from({ length: 12 }, (_, index) => leftOut(`a/${index}`, 'offer is empty')),
    ...Array.from({ length: 7 }, (_, index) => leftOut(`b/${index}`, `state is "${index}"`)),
  ]);
  const options = { color: false, trueColor: false, columns: 120 };
  expect(planText(many, options).split('\n\n').at(-1)).toMatchInlineSnapshot(`
    "19 videos are left out by "when":
      ○ offer is empty: a/0, a/1, a/2, a/3, a/4, a/5, a/6, a/7, a/8, a/9 and 2 more
      ○ state is "0": b/0
      ○ state is "1": b/1
      ○ state is "2": b/2
      ○ state is "3": b/3
        and for 3 other reasons
    "
  `);
  expect(planText(many, { ...options, verbose: true })).toMatch(/a\/11(?:.|\n)*state is "6": b\/6/);
});
