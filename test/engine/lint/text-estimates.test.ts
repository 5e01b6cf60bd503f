import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fg from 'fast-glob';
import { describe, expect, it } from 'vitest';
import { lintable } from '../../../src/engine/lint/lint-input.ts';
import { MeasuredFrames, type TextVisibility } from '../../../src/engine/lint/measured-frames.ts';
import { MIN_CUT_SHARE } from '../../../src/engine/lint/text-cuts.ts';
import { trackTexts } from '../../../src/engine/lint/text-tracks.ts';
import { TextMeasurer } from '../../../src/engine/lint/text-visibility.ts';
import { filledTextLayers } from '../../../src/engine/text/text-layers.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import { parseTemplatePackage } from '../../../src/template/parse-template-package.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { some } from '../../support/full-run.ts';

const FOLDERS = fg
  .sync(['templates/*/template.yaml', 'starter/templates/*/template.yaml', 'gallery/*/template.yaml'])
  .map((path) => path.replace('/template.yaml', ''))
  .sort();

/** Colours of every brightness, and texts that are short, long, in another script or with emoji. */
const ROWS: readonly Readonly<Record<string, string>>[] = [
  {},
  { t_01: 'Ä.', t_02: 'A text that is much longer than the design expects of it, over several lines', c_01: '#808080' },
  { t_01: 'こんにちは', t_02: 'Shown 🎉 today', t_03: '.', c_02: '#606060', c_04: '#f4f4f4', c_05: '#2040c0' },
];

function inputOf(folder: string, values: Readonly<Record<string, string>>): RenderInput {
  const names = fg.sync('**/*', { cwd: folder });
  const files = new Map(names.map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
  const parsed = parseTemplatePackage(folder, files);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  const known = Object.entries(values).filter(([key]) => parsed.value.manifest.editables.has(key));
  const resources = Object.fromEntries(known.map(([key, text]) => [key, { source: { text } }]));
  return bindMapping(parsed.value, { resources }, new Map());
}

/** Measures texts on frames of the whole video that show them, while they move too. */
async function measuredTexts(
  renderInput: RenderInput,
  isEstimated: boolean,
): Promise<Map<string, readonly TextVisibility[]>> {
  const tracks = await trackTexts(renderInput);
  const frames = [...new Set(tracks.flatMap(({ samples }) => samples.map(({ frame }) => frame)))].sort((a, b) => a - b);
  const some = new Set(frames.filter((_, index) => index % Math.ceil(frames.length / 8) === 0));
  const editables = filledTextLayers(renderInput.animation).map(({ editable }) => editable);
  const shown = editables.map((key): [string, number[]] => {
    const samples = tracks.filter(({ editable }) => editable === key).flatMap((track) => track.samples);
    return [key, [...new Set(samples.map(({ frame }) => frame))].filter((frame) => some.has(frame))];
  });
  const measurer = new TextMeasurer(renderInput, new MeasuredFrames(), tracks);
  const texts = await measurer.measure(new Map(shown), new Set(editables), isEstimated);
  measurer.close();
  return texts;
}

describe('TextMeasurer.measure() with estimates', () => {
  // Each row with a third of the templates.
  const cases = FOLDERS.map((folder, at) => ({ folder, values: ROWS[at % ROWS.length]!, row: at % ROWS.length }));
  it.each(some(cases))('estimates the texts of $folder in row $row on the safe side', async ({ folder, values }) => {
    const renderInput = await lintable(inputOf(folder, values));
    // First, because measured frames are never estimated.
    const estimated = await measuredTexts(renderInput, true);
    const measured = await measuredTexts(renderInput, false);
    for (const [editable, results] of measured) {
      for (const [index, { frame, ratio, coverage, cutShare }] of results.entries()) {
        const estimate = estimated.get(editable)![index]!;
        const name = `${editable} on frame ${frame}: ${JSON.stringify([results[index], estimate])}`;
        expect(estimate.ratio === null, name).toBe(ratio === null);
        if (ratio === null) continue;
        for (const needed of [3, 4.5]) if (ratio < needed) expect(estimate.ratio!, name).toBeLessThan(needed);
        if (ratio < 4.5) expect(Math.abs(estimate.coverage - coverage), name).toBeLessThan(0.05);
        if (estimate.cutShare === null || cutShare === null) continue;
        if (cutShare >= MIN_CUT_SHARE) expect(estimate.cutShare, name).toBeGreaterThanOrEqual(MIN_CUT_SHARE);
      }
    }
  });
});
