import { describe, expect, it } from 'vitest';
import { unpackRenderInput } from '../../../src/engine/packed-input.ts';
import { type BindInput, type BoundInput, bindHere } from '../../../src/service/sessions/bind-template.ts';
import { bindIn } from '../../../src/service/sessions/processes/bind-in.ts';
import type { TaskInput, TaskRunner } from '../../../src/service/sessions/processes/tasks.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import { CLIP, mediaPackage, VOICE } from '../../support/media-package.ts';
import { openPool } from '../../support/render-pools.ts';
import { scenesOfMapping } from '../../support/scenes-of-mapping.ts';
import { solidPng } from '../../support/small-package.ts';
import { toneWav } from '../../support/tone.ts';

const template = mediaPackage();
const request = {
  resources: {
    t_01: { source: { text: 'Berlin' } },
    [CLIP]: { source: { remote_url: 'https://example.com/clip' } },
    [VOICE]: { source: { remote_url: 'https://example.com/voice' } },
    f_01: { source: { font: 'Spare-Italic' } },
  },
  audio_tracks: { main: { source: { remote_url: 'https://example.com/track' } } },
};
const fetched = new Map<string, Uint8Array>([
  [CLIP, solidPng('#00ff00', 32, 18)],
  [VOICE, toneWav(0.3)],
  ['audio_tracks.main', toneWav(0.2, 330)],
]);
const input: BindInput = scenesOfMapping(template, request, fetched);

function oneTemplate(renderInput: BoundInput): Exclude<BoundInput, { readonly scenes: unknown }> {
  if ('scenes' in renderInput) throw new Error('It has scenes');
  return renderInput;
}

describe('bindIn()', () => {
  it('binds in another process to the same input as here, reusing the original files', async () => {
    const renderInput = oneTemplate(await bindIn(openPool())(input, { owner: 'acme' }));
    expect(renderInput).toEqual(bindHere(input));
    expect(unpackRenderInput(renderInput)).toMatchObject(bindMapping(template, request, fetched));
    expect(renderInput.usedFonts).toEqual(['Spare-Italic']);
    expect(renderInput.images.some(({ bytes }) => bytes === fetched.get(CLIP))).toBe(true);
    expect(renderInput.sounds.some(({ bytes }) => bytes === fetched.get(VOICE))).toBe(true);
  });

  it('recognises a clip', async () => {
    const movie = Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0');
    const scenes = scenesOfMapping(template, request, new Map([[CLIP, movie]]));
    const renderInput = oneTemplate(await bindIn(openPool())(scenes, { owner: 'acme' }));
    expect(renderInput.clips.map(({ bytes }) => bytes)).toEqual([movie]);
  });

  it('recognises an AVIF in place of a clip by any of its brands', async () => {
    const picture = Buffer.from('\0\0\0\x1cftypmif1\0\0\0\0mif1miafavif');
    const scenes = scenesOfMapping(template, request, new Map([[CLIP, picture]]));
    const renderInput = oneTemplate(await bindIn(openPool())(scenes, { owner: 'acme' }));
    expect(renderInput.images.some(({ bytes }) => bytes === picture)).toBe(true);
    expect(renderInput.clips).toEqual([]);
  });

  it('sends only the head of each file, and the animation as bytes', async () => {
    let sent: BindInput | undefined;
    const tasks = {
      async run(_kind: 'bind', given: TaskInput<'bind'>) {
        sent = given;
        return bindHere(given);
      },
    } as unknown as TaskRunner<'bind'>;
    await bindIn(tasks)(input, { owner: 'acme' });
    const { fonts, extraFonts, images, sounds, animation } = [...sent!.templates.values()][0]!;
    const files = [fonts, extraFonts, images, sounds].flatMap((map) => [...map.values()].map(({ bytes }) => bytes));
    expect(
      Math.max(
        ...[...files, ...sent!.sources.scenes[0]!.values(), ...sent!.sources.tracks.values()].map(
          ({ length }) => length,
        ),
      ),
    ).toBe(260);
    expect(animation).toBeInstanceOf(Uint8Array);
  });

  it.each([16, 260])('rejects a file that it did not send, of %d bytes', async (length) => {
    const tasks = {
      async run(_kind: 'bind', given: TaskInput<'bind'>) {
        const renderInput = oneTemplate(bindHere(given));
        return {
          ...renderInput,
          fonts: renderInput.fonts.map((font) => ({ ...font, bytes: new Uint8Array(length).fill(255) })),
        };
      },
    } as unknown as TaskRunner<'bind'>;
    await expect(bindIn(tasks)(input, { owner: 'acme' })).rejects.toThrow('Internal error');
  });
});
