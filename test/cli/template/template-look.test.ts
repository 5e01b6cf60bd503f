import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readImageHeader } from '../../../src/engine/images/image-header.ts';
import { makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

describe('reelform template look', () => {
  it('writes a picture and a page with every sample of each template', async () => {
    const root = makeRepository();
    const { exitCode, stdout, stderr } = await reelform(root, ['template', 'look', '--json']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const samples = ['example', 'longest', 'empty', 'cjk', 'rtl', 'emoji', 'landscape', 'portrait'];
    const [image, page] = ['renders/looks/small.look.png', 'renders/looks/small.look.html'];
    expect(JSON.parse(stdout)).toEqual({
      format_version: '1.0',
      sheets: [{ template: 'small', image, page, samples }],
    });
    const sheet = readImageHeader(readFileSync(join(root, image)));
    expect(sheet?.type).toBe('png');
    expect(sheet?.width).toBeGreaterThan(1_000);
    const html = readFileSync(join(root, page), 'utf8');
    const pictures = [...html.matchAll(/data:image\/jpeg;base64,([\w+/=]+)"/g)].map(([, data]) => data!);
    expect(pictures).toHaveLength(samples.length);
    expect(new Set(pictures).size).toBeGreaterThan(3);
    const written = await reelform(root, ['template', 'look', 'small', '--out', 'sheets']);
    expect(written.stdout).toBe('sheets/small.look.png, sheets/small.look.html: 8 samples\n');
    expect(readFileSync(join(root, 'sheets/small.look.png')).equals(readFileSync(join(root, image)))).toBe(true);
  });

  it('refuses unknown templates and packages with errors', async () => {
    const root = makeRepository();
    const unknown = await reelform(root, ['template', 'look', 'smal']);
    expect(unknown.exitCode).toBe(1);
    expect(unknown.stderr).toContain('unknown_template');
    writeFileSync(join(root, 'templates/small/animation.json'), '{}');
    const broken = await reelform(root, ['template', 'look']);
    expect(broken.exitCode).toBe(1);
    expect(broken.stderr).toContain('template_invalid');
  });
});
