import { describe, expect, test } from 'vitest';
import type { SceneSpec } from '../../src/contract/video-spec.ts';
import type { Source, Video } from '../../src/reconciler/definition/video.ts';
import type { DesiredVideo } from '../../src/reconciler/plan/desired-video.ts';
import { type PlanDocument, planDocument } from '../../src/reconciler/plan/plan-document.ts';
import { planHtml } from '../../src/report/html/plan-html.ts';
import { planMarkdown } from '../../src/report/markdown/plan-markdown.ts';
import { explainText } from '../../src/report/terminal/explain-text.ts';
import { planText } from '../../src/report/terminal/plan-text.ts';
import { desiredScenes, type SceneParts, scene, sceneVideo } from '../reconciler/plan/scene-videos.ts';
import { lockOf, plan, text, track } from '../reconciler/plan/videos.ts';

const lamp = (voice: string, parts: SceneParts = {}): SceneSpec<Source> =>
  scene('card', { id: 'product/lamp', duration: 'content', audio: { voice: track(`voice/${voice}.mp3`) }, ...parts });
const spring = (scenes: readonly SceneSpec<Source>[], parts: Partial<Video> = {}): DesiredVideo =>
  desiredScenes(sceneVideo('spring', scenes, { title: 'Spring at Olune', ...parts }));

const before = spring([scene('intro'), lamp('3.5'), scene('loop'), scene('outro')]);
const after = spring(
  [
    scene('loop', { duration: 8 }),
    scene('intro', { resources: { t_01: text('Autumn') } }),
    lamp('6.3', { transition: { type: 'slide', duration: 0.4, direction: 'up' } }),
    scene('cinema'),
  ],
  {
    leftOut: [
      { scene: 'outro', reason: 'offer is empty' },
      { scene: null, name: 'music', reason: 'song is "no"' },
    ],
  },
);
const change = plan([after], lockOf(before)).changes[0]!;
const document: PlanDocument = planDocument(plan([after], lockOf(before)), '1.0.0', []);

describe('the changes of scenes', () => {
  test('are groups in the terminal', () => {
    expect(planText(document, { color: false, trueColor: false, columns: 90 })).toMatchInlineSnapshot(`
      "Plan: 1 to update · 1 render, 24 s of video

        ~ spring  Spring at Olune
          videos/spring.yaml · scenes changed
            loop           5.0 s → 8.0 s, moved
              duration     none → 8
            intro
              t_01         intro → Autumn
            product/lamp   4.0 s → 6.8 s, its voice is longer
              audio voice  voice/6.3.mp3 (9e0ab285 → 6a0319e8)
              transition   none → slide direction=up duration=0.4
            cinema         added, 4.17 s
            outro          left out: offer is empty
            music          left out: song is "no"
      "
    `);
  });

  test('are groups in Markdown', () => {
    expect(planMarkdown(document)).toMatchInlineSnapshot(`
      "### Reelform plan: 1 to update

      1 render, 24 s of video.

      | | Video | Why |
      |:--|:--|:--|
      | <code>&#126;</code>&nbsp;update | <code>spring</code><br>Spring at Olune | scenes changed: loop, loop duration, intro t&#95;01, product/lamp, product/lamp audio voice, product/lamp transition, cinema, outro, 1 more |

      <details><summary>What changes about <code>spring</code></summary>

      | | Before | After |
      |:--|:--|:--|
      | **loop** | | 5.0 s → 8.0 s, moved |
      | &emsp;duration | _none_ | <code>8</code> |
      | **intro** | |  |
      | &emsp;t&#95;01 | intro | Autumn |
      | **product/lamp** | | 4.0 s → 6.8 s, its voice is longer |
      | &emsp;audio voice<br><code>voice/6.3.mp3</code> | <code>9e0ab285</code> | <code>6a0319e8</code> |
      | &emsp;transition | _none_ | <code>slide direction=up duration=0.4</code> |
      | **cinema** | | added, 4.17 s |
      | **outro** | | left out&#58; offer is empty |
      | **music** | | left out&#58; song is "no" |

      </details>
      "
    `);
  });

  test('are groups on the page', () => {
    const rows = planHtml(document)
      .match(/<tr.*?<\/tr>/g)!
      .slice(1);
    expect(
      rows.map((row) => row.replaceAll(/<\/t[hd]>/g, ' | ').replaceAll(/<(?!tr)[^>]*>/g, '')).join('\n'),
    ).toMatchInlineSnapshot(`
      "<tr class="scene">loop | 5.0 s → 8.0 s, moved | 
      <tr class="in-scene">duration | none | 8 | 
      <tr class="scene">intro |  | 
      <tr class="in-scene">t_01 | intro | Autumn | 
      <tr class="scene">product/lamp | 4.0 s → 6.8 s, its voice is longer | 
      <tr class="in-scene">audio voicevoice/6.3.mp3 | 9e0ab285 | 6a0319e8 | 
      <tr class="in-scene">transition | none | slide direction=up duration=0.4 | 
      <tr class="scene">cinema | added, 4.17 s | 
      <tr class="scene">outro | left out: offer is empty | 
      <tr class="scene">music | left out: song is &#34;no&#34; | "
    `);
  });

  test('are explained with the rule and the file that decided each length', () => {
    const options = { color: false, trueColor: false, columns: 90 };
    expect(explainText({ change, attempt: null }, options)).toMatchInlineSnapshot(`
      "spring  Spring at Olune
        videos/spring.yaml
        v1:6fa82be44c13c08676c05e1e1718e4dc87bd4e3d6c9f1fd741bddb8b14bac3e0
        ~ It would be rendered: scenes changed.

            loop           5.0 s → 8.0 s, moved
              duration     none → 8
            intro
              t_01         intro → Autumn
            product/lamp   4.0 s → 6.8 s, its voice is longer
              audio voice  voice/6.3.mp3 (9e0ab285 → 6a0319e8)
              transition   none → slide direction=up duration=0.4
            cinema         added, 4.17 s
            outro          left out: offer is empty
            music          left out: song is "no"

      Last rendered
        fingerprint  v1:2fce305f41ed4ef26ec30769cabdc4b6dc1abace4972f71fb447a2df27100b81
        by           embedded
        at           2026-01-01 00:00:00 UTC
        session      rs_spring
        video        renders/spring.mp4

      Scenes
        loop  from 0.0 s for 8.0 s
          set to 8 s (videos/spring.yaml); plays 1 s to 3 s 2 times, 3 s longer
        intro  from 8.0 s for 5.0 s
          as designed (template intro)
        product/lamp  from 13.0 s for 6.8 s
          as long as its voice, 6.3 s, and 0.5 s after it (voice/6.3.mp3); holds its picture at
          3.1 s for 2.8 s
        cinema  from 19.8 s for 4.17 s
          as designed (template cinema)

      Inputs
        service                   embedded
        template                  loop (tsv_loop)
        template                  intro (tsv_intro)
        template                  card (tsv_card)
        template                  cinema (tsv_cinema)
        loop t_01                 loop
        loop duration             8
        loop timing               loop 30-90
        intro t_01                Autumn
        product/lamp t_01         card
        product/lamp audio voice  voice/6.3.mp3 (6a0319e8)
        product/lamp duration     content tail=0.5
        product/lamp transition   slide direction=up duration=0.4
        product/lamp timing       hold 93
        cinema t_01               cinema

        Ignored, so a change does not render the video: id, name and location of the file,
        comments, order of keys, title, description, labels, protection and destinations.
      "
    `);
  });
});
