import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fg from 'fast-glob';
import { describe, expect, it, vi } from 'vitest';
import { type KeptFrame, MeasuredFrames } from '../../../src/engine/lint/measured-frames.ts';
import { TextMeasurer } from '../../../src/engine/lint/text-visibility.ts';
import { openRasterizer } from '../../../src/engine/raster/rasterizer.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import { parseTemplatePackage } from '../../../src/template/parse-template-package.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { some } from '../../support/full-run.ts';

const FOLDERS = ['starter/templates/card', 'gallery/end-card', 'gallery/lower-third', 'templates/story'];

type Values = Readonly<Record<string, string>>;

/** Values that give findings of several kinds, so that rows share some of their frames and not others. */
const ROWS: readonly Values[] = [
  {},
  { t_01: 'A {{name}} that is longer than the design expects of it' },
  { c_01: '#808080' },
  { t_02: 'Other words', c_02: '#7f7f7f' },
  { t_01: 'A {{name}} that is longer than the design expects of it', c_03: '#303030' },
];

function rowsOf(folder: string): RenderInput[] {
  const names = fg.sync('**/*', { cwd: folder });
  const files = new Map(names.map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
  const parsed = parseTemplatePackage(folder, files);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  const template = parsed.value;
  return ROWS.map((values) => {
    const known = Object.entries(values).filter(([key]) => template.manifest.editables.has(key));
    const resources = Object.fromEntries(known.map(([key, text]) => [key, { source: { text } }]));
    return { ...bindMapping(template, { resources }, new Map()), sounds: [] };
  });
}

/** Returns lint without anything that earlier inputs have left. */
async function freshLint(): Promise<typeof import('../../../src/engine/lint/lint-input.ts').lintInput> {
  vi.resetModules();
  return (await import('../../../src/engine/lint/lint-input.ts')).lintInput;
}

describe('lintInput()', () => {
  it.each(some(FOLDERS))('finds the same in rows of %s that share frames as in each row alone', async (folder) => {
    const inputs = rowsOf(folder);
    const alone: unknown[] = [];
    for (const input of inputs) alone.push(await (await freshLint())(input));
    const lint = await freshLint();
    const shared: unknown[] = [];
    for (const input of [...inputs].reverse()) shared.unshift(await lint(input));
    expect(shared).toEqual(alone);
    // A second time, everything is shared.
    expect(await lint(inputs[0]!)).toEqual(alone[0]);
  });
});

describe('lintInput() of the last input', () => {
  it('finds the same without keeping pictures', async () => {
    const [first, edited] = rowsOf('starter/templates/card');
    for (const input of [edited!, first!]) {
      const alone = await (await freshLint())(input);
      const lint = await freshLint();
      const { MeasuredFrames: Frames } = await import('../../../src/engine/lint/measured-frames.ts');
      expect(await lint(input, null, 'all', new Frames([], true))).toEqual(alone);
    }
  });
});

describe('lintInput() in parts', () => {
  it('finds the same as at once', async () => {
    const [input] = rowsOf('starter/templates/card').slice(1);
    const lint = await freshLint();
    const parts = [...(await lint(input!, null, 'others')), ...(await lint(input!, null, 'flashes'))];
    expect(parts.length).toBeGreaterThan(0);
    expect(parts).toEqual(await lint(input!));
  });
});

describe('MeasuredFrames', () => {
  /** Lints without anything that earlier inputs have left, except some frames. */
  async function lintKnowing(input: RenderInput, kept: readonly KeptFrame[]) {
    const lint = await freshLint();
    const module = await import('../../../src/engine/lint/measured-frames.ts');
    const frames = new module.MeasuredFrames(JSON.parse(JSON.stringify(kept)) as KeptFrame[]);
    return { findings: await lint(input, null, 'others', frames), kept: frames.kept() };
  }

  it('takes the measurements of frames from another process', async () => {
    const [first, edited] = rowsOf('starter/templates/card');
    const { kept } = await lintKnowing(first!, []);
    expect(kept.length).toBeGreaterThan(0);
    const alone = await lintKnowing(edited!, []);
    const known = await lintKnowing(edited!, [...kept, ...alone.kept]);
    expect(known).toEqual(alone);
    expect(await lintKnowing(edited!, kept)).toEqual(alone);
    const illegible = (frames: readonly KeptFrame[]) =>
      frames.map((frame) => ({ ...frame, texts: frame.texts.map((text) => ({ ...text, ratio: 1 })) }));
    // An estimate gives no finding: the frames are measured.
    const doubted = await lintKnowing(edited!, illegible(alone.kept));
    expect(doubted.findings).toEqual(alone.findings);
    const measured = doubted.kept.filter(({ key }) => !alone.kept.some((frame) => frame.key === key));
    expect(measured.length).toBeGreaterThan(0);
    // A frame that was measured is not drawn again, so another measurement gives another finding.
    const { findings } = await lintKnowing(edited!, illegible(measured));
    expect(findings.filter(({ code }) => code === 'low_contrast')).toMatchObject([{ ratio: 1 }, { ratio: 1 }]);
  });
});

describe('TextMeasurer', () => {
  it('measures cuts on frames that were measured without them, until a frame shows the text whole', async () => {
    const [input] = rowsOf('gallery/end-card');
    const { frame: still } = input!.stills[0]!;
    const frames = [still - 4, still, still + 4];
    const texts = new Map([['t_01', frames]]);
    const measurer = new TextMeasurer(input!, new MeasuredFrames(), []);
    const measure = async (cuttable: readonly string[]) =>
      (await measurer.measure(texts, new Set(cuttable), false)).get('t_01')!;
    const without = await measure([]);
    expect(without.map(({ frame, cutShare }) => [frame, cutShare])).toEqual(frames.map((frame) => [frame, null]));
    const [first, ...others] = await measure(['t_01']);
    expect(first!.cutShare).toBeLessThan(0.02);
    expect(others.map(({ cutShare }) => cutShare)).toEqual([null, null]);
    expect([first, ...others]).toEqual(
      without.map((result) => ({ ...result, cutShare: expect.toSatisfy(() => true) })),
    );
    // What is known of cuts is not reported if nobody asks for it.
    expect(await measure([])).toEqual(without);
    measurer.close();
  });
});

describe('Rasterizer.drawPart()', () => {
  it.each(some(FOLDERS))('draws the pixels of the whole frame of %s', async (folder) => {
    const [input] = rowsOf(folder);
    for (const format of ['mp4', 'webm'] as const) {
      const output = { ...input!.output, format, ...(format === 'webm' && { alpha: true }) };
      const rasterizer = await openRasterizer({ ...input!, output });
      const { width } = input!;
      const box = { left: 37, top: 41, width: 301, height: 203 };
      for (const share of [0.1, 0.35, 0.6, 0.9]) {
        const frame = Math.floor(share * input!.frameCount);
        await rasterizer.prepare(frame);
        const part = Buffer.from(rasterizer.drawPart(frame, box));
        const whole = Buffer.from(rasterizer.draw(frame));
        for (let row = 0; row < box.height; row++) {
          const at = 4 * ((box.top + row) * width + box.left);
          const drawn = part.subarray(4 * row * box.width, 4 * (row + 1) * box.width);
          expect(drawn.equals(whole.subarray(at, at + 4 * box.width)), `frame ${frame}, row ${row}`).toBe(true);
        }
      }
      rasterizer.close();
    }
  });
});
