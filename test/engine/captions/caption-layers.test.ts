import { describe, expect, it } from 'vitest';
import type { SpecCaptions } from '../../../src/contract/captions/caption-style.ts';
import { resolveTimeline } from '../../../src/contract/timeline/resolve-timeline.ts';
import type { SceneInput } from '../../../src/contract/timeline/timeline.ts';
import { exportLottie } from '../../../src/engine/export/lottie-file.ts';
import { lintVideo } from '../../../src/engine/lint/lint-video.ts';
import { renderSegmentStills } from '../../../src/engine/render-segments.ts';
import { segmentKeysOf } from '../../../src/engine/segments/drawings.ts';
import { segmentRanges } from '../../../src/engine/segments/segment.ts';
import { bindScenes } from '../../../src/template/bind/bind-scenes.ts';
import { parseTemplatePackage } from '../../../src/template/parse-template-package.ts';
import type { LottieDocument, VideoInput } from '../../../src/template/render-input.ts';
import type { TemplatePackage } from '../../../src/template/template-package.ts';
import { SMALL_MANIFEST, smallAnimation, smallPackage, smallPackageFiles } from '../../support/small-package.ts';

/** The small animation with its headline inside the picture. */
function lowered(): LottieDocument {
  const animation = smallAnimation();
  const [headline, ...layers] = animation.layers as { ks: object }[];
  const ks = { ...headline!.ks, p: { a: 0, k: [2, 12, 0] } };
  return { ...animation, layers: [{ ...headline, ks }, ...layers] };
}

/** The small template, 10 frames at 10 frames per second, whose headline shows captions. */
function template(): TemplatePackage {
  const files = new Map(smallPackageFiles());
  const manifest = SMALL_MANIFEST.replace(
    /^ {2}t_01: .*/m,
    '  s_01: { label: Captions, kind: captions, stillcut: stillcut_01 }',
  );
  files.set('template.yaml', Buffer.from(manifest));
  files.set('animation.json', Buffer.from(JSON.stringify(lowered()).replaceAll('"t_01"', '"s_01"')));
  const parsed = parseTemplatePackage('', files);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  return parsed.value;
}

type Scene = Omit<SceneInput, 'template'> & { readonly captions?: SpecCaptions };

function bind(scenes: readonly Scene[], captions?: SpecCaptions): VideoInput {
  const used = template();
  const { width, height, fps, frameCount } = used;
  const small = { width, height, rate: fps, frames: frameCount, stillcuts: { stillcut_01: 5 } };
  const listed = scenes.map(({ captions: _, ...scene }) => ({ ...scene, template: 'small' }));
  const { timeline, findings } = resolveTimeline({ templates: { small }, scenes: listed });
  if (timeline === null) throw new Error(JSON.stringify(findings));
  const values = scenes.map((scene) => {
    return { template: used, resources: {}, fetched: new Map(), captions: scene.captions };
  });
  return bindScenes({ timeline, scenes: values, fetched: new Map(), ...(captions && { captions }) });
}

function cues(...list: readonly [start: number, end: number, text: string][]): SpecCaptions {
  return { layer: true, cues: list.map(([start, end, text]) => ({ start, end, text })) };
}

/** Returns a letter for each frame: equal pictures have the same. */
async function pictures(video: VideoInput, frames: readonly number[]): Promise<string> {
  const drawn = await renderSegmentStills(video, frames);
  const seen: string[] = [];
  return drawn
    .map(({ bytes }) => {
      const picture = Buffer.from(bytes).toString('base64');
      if (!seen.includes(picture)) seen.push(picture);
      return 'abcdefgh'[seen.indexOf(picture)];
    })
    .join('');
}

describe('captions in a text of the template', () => {
  it('shows the cue of each frame, and nothing between cues', async () => {
    const video = bind([{ id: 'a' }], cues([0.2, 0.4, 'One'], [0.4, 0.6, 'Two'], [0.8, 5, 'One']));
    expect('scenes' in video).toBe(false);
    expect(await pictures(video, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])).toBe('aabbccaabb');
  });

  it('draws what a text of the template draws', async () => {
    const used = { ...smallPackage(), animation: lowered() };
    const { width, height, fps, frameCount } = used;
    const small = { width, height, rate: fps, frames: frameCount, stillcuts: {} };
    const { timeline } = resolveTimeline({ templates: { small }, scenes: [{ id: 'a', template: 'small' }] });
    const resources = { t_01: { source: { text: 'Two\nlines' } } };
    const scene = { template: used, resources, fetched: new Map() };
    const written = bindScenes({ timeline: timeline!, scenes: [scene], fetched: new Map() });
    const [expected] = await renderSegmentStills(written, [3]);
    const [shown] = await renderSegmentStills(bind([{ id: 'a' }], cues([0, 1, 'Two\nlines'])), [3]);
    expect(Buffer.from(shown!.bytes).equals(expected!.bytes)).toBe(true);
  });

  it('goes on while the template stands still', async () => {
    const video = bind([{ id: 'a', duration: 2 }], cues([0.6, 1, 'One'], [1, 1.2, 'Two'], [1.4, 2, 'One']));
    expect(await pictures(video, [5, 7, 9, 10, 12, 15, 19])).toBe('abbcabb');
  });

  it('moves with its scene, and keeps the last cue in a transition', async () => {
    const scenes: Scene[] = [
      { id: 'a', captions: cues([0.5, 1, 'One']) },
      { id: 'b', transition: { type: 'slide', duration: 0.4 }, captions: cues([0.6, 0.8, 'Two']) },
    ];
    const video = bind(scenes);
    const without = bind(
      [scenes[0]!, { ...scenes[1]!, captions: undefined }].map(({ captions: _, ...scene }) => scene as Scene),
    );
    expect(await pictures(video, [2, 5, 9, 14, 16, 18])).toBe('abbaca');
    const [during] = await renderSegmentStills(video, [11]);
    const [empty] = await renderSegmentStills(without, [11]);
    expect(Buffer.from(during!.bytes).equals(empty!.bytes)).toBe(false);
  });

  it('fills the text of the scene that is shown with the captions of the video', async () => {
    const video = bind([{ id: 'a' }, { id: 'b' }], cues([0.8, 1.2, 'One'], [1.5, 1.8, 'Two']));
    expect(video.captionLayers?.scenes).toEqual([
      [{ from: 8, to: 10, text: 'One' }],
      [
        { from: 0, to: 2, text: 'One' },
        { from: 5, to: 8, text: 'Two' },
      ],
    ]);
    expect(await pictures(video, [7, 9, 10, 12, 16])).toBe('abbac');
  });

  it('shows overlapping cues above each other', () => {
    const { captionLayers } = bind([{ id: 'a' }], cues([0, 0.5, 'One'], [0.3, 0.8, 'Two']));
    expect(captionLayers?.scenes).toEqual([
      [
        { from: 0, to: 3, text: 'One' },
        { from: 3, to: 5, text: 'Two\nOne' },
        { from: 5, to: 8, text: 'Two' },
      ],
    ]);
  });

  it('renders only the segments that show an edited cue', () => {
    const list = Array.from({ length: 20 }, (_, index) => [index * 3, index * 3 + 2, `Cue ${index}`] as const);
    const keysOf = (edited: number | null): (string | null)[] => {
      const given = list.map(([start, end, text], index) => [start, end, index === edited ? 'Other' : text] as const);
      const video = bind(
        [{ id: 'a', duration: 60 }],
        cues(...given.map(([...cue]) => cue as [number, number, string])),
      );
      const keys = segmentKeysOf(video, [video.output], 'build');
      return segmentRanges(video).map((range) => keys(range)[0]!);
    };
    const before = keysOf(null);
    expect(before).not.toContain(null);
    const ranges = segmentRanges(bind([{ id: 'a', duration: 60 }]));
    for (const index of [0, 7, 19]) {
      const after = keysOf(index);
      const shown = ranges.map(({ first, end }) => index * 30 < end && index * 30 + 20 > first);
      expect(before.map((key, at) => key !== after[at])).toEqual(shown);
    }
  });

  it('reports a cue that has characters without a glyph, also if it is not the longest', async () => {
    const video = bind([{ id: 'a' }], cues([0, 0.3, '\u{10FFFD}'], [0.3, 0.9, 'Longer']));
    const found = await lintVideo(video);
    expect(found.filter(({ code }) => code === 'glyph_missing')).toMatchObject([{ editable: 's_01' }]);
  });

  it('names captions that a Lottie document lacks', async () => {
    const { file, differences } = await exportLottie(bind([{ id: 'a' }], cues([0.3, 0.9, 'One'])));
    file.close();
    expect(differences).toEqual([{ part: 'captions', name: '', fromSeconds: 0.3 }]);
  });
});
