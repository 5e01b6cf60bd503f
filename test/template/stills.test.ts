import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fg from 'fast-glob';
import { describe, it } from 'vitest';
import { bindMapping } from '../../src/template/bind/bind-mapping.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import type { RenderInput } from '../../src/template/render-input.ts';
import type { TemplatePackage } from '../../src/template/template-package.ts';
import { testPicture } from '../engine/pictures.ts';
import { expectFrame } from '../engine/stored-frame.ts';
import { CLIP, mediaPackage } from '../support/media-package.ts';

const TEMPLATES = join(import.meta.dirname, '../../templates');

function readTemplate(name: string): TemplatePackage {
  const cwd = join(TEMPLATES, name);
  const files = fg.sync('**/*', { cwd }).map((path): [string, Uint8Array] => [path, readFileSync(join(cwd, path))]);
  const parsed = parseTemplatePackage(`templates/${name}`, new Map(files));
  if (!parsed.ok) throw new Error(parsed.diagnostics.map(({ message }) => message).join('\n'));
  return parsed.value;
}

/** Renders at a quarter of the width to keep the reference files small. */
function small(renderInput: RenderInput): RenderInput {
  return { ...renderInput, width: renderInput.width / 4, height: Math.round(renderInput.height / 8) * 2 };
}

describe('stills of the example templates', () => {
  it.each(['launch', 'story'])('%s matches its reference frames', async (name) => {
    const template = readTemplate(name);
    const renderInput = small(bindMapping(template, { resources: {} }, new Map()));
    for (const still of renderInput.stills) await expectFrame(renderInput, still.frame, `${name}-${still.name}`);
  });
});

describe('a template with every kind of editable', () => {
  it('shows the chosen font and colour, the cropped image and the moving image', async () => {
    const bytes = await testPicture(64, 32).encode('png');
    const photo = '(Footage)/USER/photo.png';
    const source = { remote_url: 'https://example.com/a.png' };
    const resources = {
      t_01: { source: { text: 'Every' } },
      c_01: { source: { text: '204060' } },
      f_01: { source: { font: 'Spare-Italic' } },
      [photo]: {
        source,
        transform: { crop_strategy: 'manual', crop_x: 20, crop_y: 0, crop_width: 24, crop_height: 24 },
      },
      [CLIP]: { source, transform: { crop_strategy: 'cover', animate_strategy: 'zoom-in', animate_speed: 'fast' } },
    } as const;
    const fetched = new Map([
      [photo, bytes],
      [CLIP, bytes],
    ]);
    const renderInput = bindMapping(mediaPackage(), { resources }, fetched);
    // Moves the headline into the picture; the small template places it above.
    const [headline] = (renderInput.animation.layers as { ty: number; ks: object }[]).filter(({ ty }) => ty === 5);
    headline!.ks = { ...headline!.ks, p: { a: 0, k: [4, 10, 0] } };
    await expectFrame({ ...renderInput, width: 256, height: 144 }, 6, 'every-kind');
  });
});
