import { describe, expect, it } from 'vitest';
import { lintInput } from '../../../src/engine/lint/lint-input.ts';
import { boxed, onNavy, text } from './case-inputs.ts';

const BOX = boxed(760, 90, { rs: 2 });
const headline = (words: string) => text({ text: words, x: 100, y: 80, style: BOX });
const line = (key: string | null, size: number, y: number) => text({ key, text: `${size} pixels`, size, x: 100, y });

describe('lintInput() for shrunk texts', () => {
  it('reports the sizes in a picture of 1080 pixels, and no other text if none is larger', async () => {
    expect(await lintInput(onNavy(headline('W'.repeat(30)), line('t_02', 20, 300)))).toMatchObject([
      { code: 'text_shrunk', editable: 't_01', designed: 128, size: expect.closeTo(47.2, 1), larger: null },
    ]);
  });

  it('names the largest of the texts that the design has smaller', async () => {
    const renderInput = onNavy(
      headline('W'.repeat(30)),
      line('t_02', 40, 250),
      line(null, 50, 350),
      line('t_03', 80, 470),
    );
    expect(await lintInput(renderInput)).toMatchObject([
      { code: 'text_shrunk', larger: { editable: null, text: '50 pixels', size: 100 } },
    ]);
  });
});
