import { expect, it } from 'vitest';
import type { PackedTemplate } from '../../../../src/engine/packed-input.ts';
import { bindHere } from '../../../../src/service/sessions/bind-template.ts';
import { mediaPackage, VOICE } from '../../../support/media-package.ts';
import { openPool } from '../../../support/render-pools.ts';
import { scenesOfMapping } from '../../../support/scenes-of-mapping.ts';
import { toneWav } from '../../../support/tone.ts';

it('findings about media and texts pass the check of what a render process answers', async () => {
  const values = {
    resources: {
      t_01: { source: { text: '{{name}}' } },
      [VOICE]: { source: { remote_url: 'https://example.com/voice' } },
    },
    audio_tracks: {
      main: { source: { remote_url: 'https://example.com/track' }, transform: { volume: 0 } },
    },
  };
  const sources = new Map([
    [VOICE, toneWav(9)],
    ['audio_tracks.main', toneWav(0.2, 330)],
  ]);
  const renderInput = bindHere(scenesOfMapping(mediaPackage(), values, sources));
  const pool = openPool();
  const { findings } = await pool.run('sound', { renderInput, codec: null });
  expect(findings.map(({ code }) => code).sort()).toEqual(['sound_cut', 'sound_unused']);
  const linted = await pool.run('lint', { renderInput: renderInput as PackedTemplate, safeAreas: [null] });
  expect(linted.findings.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['text_leftover', 'sound_cut', 'sound_unused']),
  );
});
