import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BufferSource, Input, MP4 } from 'mediabunny';
import { expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../../../src/kernel/digest.ts';
import { writeFileAtomic } from '../../../src/reconciler/project/write-file.ts';
import { createDirectoryOutputs } from '../../../src/service/sessions/directory-outputs.ts';
import { createEmbeddedService } from '../../../src/service/sessions/embedded-service.ts';
import { ALLOW_NOTHING } from '../../../src/service/sessions/sources/allow-list.ts';
import { describeSource } from '../../../src/service/sessions/sources/describe-source.ts';
import { createSources } from '../../../src/service/sessions/sources/sources.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import { testDestinations } from '../../support/destinations.ts';
import { renderFile } from '../../support/in-memory.ts';
import { CLIP, mediaPackage, VOICE } from '../../support/media-package.ts';
import { openPool } from '../../support/render-pools.ts';
import { sourceFile } from '../../support/source-file.ts';
import { toneWav } from '../../support/tone.ts';

const MEDIA = mediaPackage();

/** Opens the service as `apply` does, with real render processes. */
function openService() {
  const directory = mkdtempSync(join(tmpdir(), 'reelform-media-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const sources = createSources({
    directory: join(directory, 'sources'),
    allow: ALLOW_NOTHING,
    inspect: describeSource,
    mayRead: async () => true,
    isOneRun: true,
    now: Date.now,
  });
  const pool = openPool();
  let ids = 0;
  const service = createEmbeddedService({
    templates: { find: async () => MEDIA },
    sources: sources.reader,
    renderer: { render: async (renderInput, options) => [await pool.run('video', renderInput, options)] },
    outputs: createDirectoryOutputs(directory, 'renders', writeFileAtomic),
    destinations: testDestinations(),
    environment: {
      now: Date.now,
      monotonicNow: () => performance.now(),
      randomId: () => String(++ids),
      wait: async () => undefined,
      random: () => 0,
    },
    uploads: sources.uploads,
  });
  const upload = async (bytes: Uint8Array) => {
    const source = await service.uploadSource({ bytes, sha256: sha256(bytes), name: 'file' });
    return { source };
  };
  return { service, upload, directory };
}

it('renders a clip with its sound, a voice, a track, another font and another output', async () => {
  const { service, upload, directory } = openService();
  const clip = await renderFile(bindMapping(MEDIA, { resources: {} }, new Map()));
  const request = {
    title: 'Berlin',
    render: 'preview' as const,
    mapping: {
      template_style_version_id: MEDIA.spec.id,
      resources: {
        t_01: { source: { text: '漢' } },
        [CLIP]: { ...(await upload(clip.video)), transform: { trim_start_time: 0.2, volume: 1 } },
        [VOICE]: await upload(toneWav(0.3)),
        f_01: { source: { font: 'Spare-Italic' } },
      },
      audio_tracks: { main: { ...(await upload(toneWav(0.2, 330))), transform: { loop: true, fade_out: 0.1 } } },
    },
    output: { height: 72, fps: 20 },
  };
  const { signal } = new AbortController();
  const session = await service.render(request, { outputName: 'a', signal, onProgress: () => undefined });
  expect(session, JSON.stringify(session.errors)).toMatchObject({
    status: 'preview_rendered',
    fonts: ['Spare-Italic'],
    usage: { frames: 20 },
    errors: [{ code: 'glyph_missing', editable: 't_01', severity: 'warning' }],
    source_uploads: [
      { key: CLIP, content_type: 'video/mp4', width: 64, height: 36 },
      { key: VOICE, content_type: 'audio/wav' },
      { key: 'audio_tracks.main', content_type: 'audio/wav' },
    ],
  });
  const file = new Input({ source: new BufferSource(readFileSync(join(directory, 'a.mp4'))), formats: [MP4] });
  const [video, sound] = [await file.getPrimaryVideoTrack(), await file.getPrimaryAudioTrack()];
  expect([await video!.getDisplayWidth(), await video!.getDisplayHeight()]).toEqual([128, 72]);
  expect((await video!.computePacketStats()).packetCount).toBe(20);
  expect(await sound!.computeDuration()).toBeCloseTo(1, 1);
});

it('copies a file that it is given, and refuses one that changed since it was hashed', async () => {
  const { service, directory } = openService();
  const [bytes, changed] = [toneWav(15), toneWav(15, 300)];
  const source = sourceFile(bytes);
  const upload = { bytes: source, sha256: source.sha256, name: 'tone.wav' };
  expect(await service.uploadSource(upload)).toEqual({ remote_url: `urn:sha256:${source.sha256}` });
  const copy = join(directory, 'sources/uploads', source.sha256);
  expect(readFileSync(copy).equals(bytes)).toBe(true);
  writeFileSync(source.path, changed);
  expect(readFileSync(copy).equals(bytes)).toBe(true);
  const other = sourceFile(bytes.slice(0, 1_200_000));
  writeFileSync(other.path, changed);
  const refused = service.uploadSource({ bytes: other, sha256: other.sha256, name: 'tone.wav' });
  await expect(refused).rejects.toMatchObject({
    code: 'changed_since_plan',
    message: 'tone.wav changed after the plan was made',
  });
});
