import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mediaPackageFiles } from '../../support/media-package.ts';
import { makeFolder } from '../../support/repository.ts';
import { solidPng, TEST_FONT } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';
import { toneWav } from '../../support/tone.ts';

const EVERYTHING = `template: media
title: A
resources:
  t_01: Hi
  (Footage)/USER/clip.mp4: {source: {remote_url: images/one.png}, transform: {animate_strategy: zoom-in}}
  (Footage)/USER/voice.mp3: {source: sounds/tone.wav, volume: 0.5, fade_out: 0.2}
  f_01: Spare-Italic
audio: {main: {source: sounds/tone.wav, volume: 0.3, loop: true}}
fonts: {Test-Regular: Brand-Regular}
`;

interface LockJson {
  readonly videos: Record<string, { readonly video_url: string; readonly inputs: Record<string, string> }>;
}

it('renders clips, sounds, fonts and outputs of definitions once', async () => {
  const files: Record<string, Uint8Array | string> = {
    'reelform.yaml': 'templates: {media: ./templates/media}\nfonts: ./fonts\noutput: {quality: medium}\n',
    'fonts/Brand-Regular.ttf': TEST_FONT,
    'sounds/tone.wav': toneWav(1, 440),
    'images/one.png': solidPng('#ff0000', 64, 64),
    'videos/a.yaml': EVERYTHING,
    'videos/b.yaml': 'template: media\ntitle: B\noutput: {format: gif, height: 18, fps: 5}\n',
  };
  for (const [path, bytes] of mediaPackageFiles()) files[`templates/media/${path}`] = bytes;
  const root = makeFolder(files);
  const applied = await reelform(root, ['apply', '--auto-approve']);
  expect(applied.exitCode, applied.stderr).toBe(0);
  const { videos } = JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')) as LockJson;
  expect(videos.a!.video_url).toMatch(/^renders\/a-[0-9a-f]{8}\.mp4$/);
  expect(videos.b!.video_url).toMatch(/^renders\/b-[0-9a-f]{8}\.gif$/);
  for (const { video_url } of Object.values(videos)) expect(existsSync(join(root, video_url))).toBe(true);
  expect(videos.a!.inputs).toMatchObject({
    f_01: 'Spare-Italic',
    'audio.main': expect.stringMatching(/^sha256:[0-9a-f]{64} loop=true volume=0\.3$/),
    'fonts.Test-Regular': 'Brand-Regular',
    output: 'quality=medium',
  });
  // The handler type of a sound track shows that the file has sound.
  expect(readFileSync(join(root, videos.a!.video_url)).includes('soun')).toBe(true);
  const again = await reelform(root, ['plan', '--detailed-exitcode']);
  expect(again.exitCode, again.stdout).toBe(0);
});
