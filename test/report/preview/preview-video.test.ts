import { describe, expect, it } from 'vitest';
import type { StillComparison } from '../../../src/engine/stills/compare-stills.ts';
import { compareStills } from '../../../src/engine/stills/compare-stills.ts';
import { TemporaryFile } from '../../../src/kernel/temporary-file.ts';
import { chooseMoments } from '../../../src/report/preview/choose-moments.ts';
import { contactSheet } from '../../../src/report/preview/contact-sheet.ts';
import { draftVideo, type PreviewRenderer, previewVideo } from '../../../src/report/preview/preview-video.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import { parseTemplatePackage } from '../../../src/template/parse-template-package.ts';
import type { LottieDocument, RenderInput } from '../../../src/template/render-input.ts';
import { SMALL_MANIFEST, smallAnimation, smallPackageFiles } from '../../support/small-package.ts';

/** Draws on this thread and counts the frames. */
function drawing(): PreviewRenderer & { frames: number } {
  const draw = {
    frames: 0,
    async compare(comparison: StillComparison) {
      return compareStills(comparison, () => {
        draw.frames += 1;
      });
    },
    video: () => Promise.reject(new Error('no videos here')),
  };
  return draw;
}

type Layer = Record<string, unknown>;

/** Returns the small package with its headline inside the picture, visible from frame `from` up to `to`. */
function renderInput({
  text = 'Hello',
  color = '#EEADA7',
  from = 0,
  to = 10,
  manifest = SMALL_MANIFEST,
} = {}): RenderInput {
  const animation: LottieDocument = smallAnimation();
  const [headline, ...rest] = animation.layers as Layer[];
  const ks = { ...(headline!.ks as Layer), p: { a: 0, k: [4, 20, 0] } };
  const layers = [{ ...headline, ks, ip: from, op: to }, ...rest];
  const files = smallPackageFiles({
    'animation.json': JSON.stringify({ ...animation, layers }),
    'template.yaml': manifest,
  });
  const parsed = parseTemplatePackage('templates/small', files);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  const resources = { t_01: { source: { text } }, c_01: { source: { text: color.slice(1) } } };
  return bindMapping(parsed.value, { resources: resources as never }, new Map());
}

describe('chooseMoments()', () => {
  it('prefers a still that shows the change, else the middle of the time in which it is visible', () => {
    expect(chooseMoments(renderInput(), { editables: ['t_01', 'c_01'], most: 3 })).toEqual([
      { timeSeconds: 0.5, editables: expect.arrayContaining(['t_01', 'c_01']) },
    ]);
    expect(chooseMoments(renderInput({ from: 6, to: 9 }), { editables: ['t_01', 'c_01'], most: 3 })).toEqual([
      { timeSeconds: 0.7, editables: ['t_01', 'c_01'] },
    ]);
  });

  it('takes the template’s stills if no editable changed, or the middle without stills', () => {
    expect(chooseMoments(renderInput(), { editables: [], most: 2 })).toEqual([{ timeSeconds: 0.5, editables: [] }]);
    const bare = { ...renderInput(), stills: [] };
    expect(chooseMoments(bare, { editables: ['gone'], most: 2 })).toEqual([{ timeSeconds: 0.5, editables: [] }]);
  });
});

describe('previewVideo()', () => {
  it('shows both sides at a moment that shows the change, with the share of differing pixels', async () => {
    const sides = { before: renderInput(), after: renderInput({ text: 'Howdy' }), editables: ['t_01'] };
    const { stills, isVisible, unseen } = await previewVideo(sides, drawing());
    expect({ isVisible, unseen, count: stills.length }).toEqual({ isVisible: true, unseen: [], count: 1 });
    expect(stills[0]).toMatchObject({ timeSeconds: 0.5, before: { width: 64, height: 36 }, editables: ['t_01'] });
    expect(stills[0]!.changedShare).toBeGreaterThan(0.01);
    expect(stills[0]!.changedShare).toBeLessThan(0.5);
  });

  it('treats an imperceptible shade as no visible change after sampling the whole video', async () => {
    const draw = drawing();
    const sides = { before: renderInput(), after: renderInput({ color: '#EEADA8' }), editables: ['c_01'] };
    expect(await previewVideo(sides, draw)).toMatchObject({ isVisible: false, unseen: [] });
    // One moment and all ten frames of each side.
    expect(draw.frames).toBe(22);
  });

  it('finds changes outside the chosen moments', async () => {
    // The headline is hidden in the still at 0.5 s.
    const sides = { before: renderInput({ from: 7 }), after: renderInput({ from: 8 }), editables: [] };
    const { stills, isVisible } = await previewVideo(sides, drawing());
    expect(isVisible).toBe(true);
    expect(stills.map(({ timeSeconds, changedShare }) => [timeSeconds, changedShare! > 0])).toEqual([
      [0.5, false],
      [0.7, true],
    ]);
  });

  it('draws nothing if all frames are equal, and lists other differences', async () => {
    const before = renderInput();
    const sound = {
      bytes: new Uint8Array(9),
      startSeconds: 0,
      endSeconds: 1,
      transform: {},
      name: 'music',
      optional: false,
    };
    const after: RenderInput = { ...before, sounds: [sound], output: { ...before.output, quality: 'low' } };
    const draw = drawing();
    const preview = await previewVideo({ before, after, editables: [] }, draw);
    expect(preview).toEqual({ stills: [], isVisible: false, unseen: ['sound', 'output'] });
    expect(draw.frames).toBe(0);
  });
});

describe('draftVideo()', () => {
  it('renders once if both sides look and sound the same', async () => {
    const rendered: string[] = [];
    const draw: PreviewRenderer = {
      compare: () => Promise.reject(new Error('no stills here')),
      video: async ({ width, height, output }) => {
        rendered.push(`${width}×${height} ${output.quality}`);
        const still = { name: 'poster', bytes: new Uint8Array(1), width, height };
        return { video: await TemporaryFile.of(new Uint8Array(rendered.length)), stills: [still] } as never;
      },
    };
    const before = renderInput();
    const changed = await draftVideo({ before, after: renderInput({ text: 'Howdy' }), editables: [] }, draw);
    expect([changed.before!.length, changed.after.length].sort()).toEqual([1, 2]);
    const after: RenderInput = { ...before, output: { ...before.output, quality: 'low' } };
    const same = await draftVideo({ before, after, editables: [] }, draw);
    expect([same.before === same.after, rendered]).toEqual([true, Array(3).fill('64×36 low')]);
    expect(same).toMatchObject({ poster: { contentType: 'image/jpeg', width: 64, height: 36 }, audible: [] });
  });
});

describe('contactSheet()', () => {
  it('puts pairs side by side with labels, the largest difference first', async () => {
    const draw = drawing();
    const previewText = (text: string) =>
      previewVideo({ before: renderInput(), after: renderInput({ text }), editables: ['t_01'] }, draw);
    const entries = [
      { id: 'little', preview: await previewText('Hellu') },
      { id: 'much', preview: await previewText('WWWWWW') },
    ];
    const labels: string[] = [];
    const sheet = await contactSheet(entries, {
      fonts: renderInput().fonts,
      draw,
      label: (id) => {
        labels.push(id);
        return id;
      },
    });
    expect(labels).toEqual(['much', 'little']);
    expect(sheet).toMatchObject({ contentType: 'image/jpeg', width: 1368, height: 256 });
    expect(await contactSheet(entries.slice(1), { fonts: [], draw, label: String })).toBeNull();
  });
});
