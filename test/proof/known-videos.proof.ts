import { expect, test } from 'vitest';
import type { CreateRenderSession, RenderSession } from '../../src/contract/wire/render-session.ts';
import { type Sha256, sha256 } from '../../src/kernel/digest.ts';
import { mappingDifferences } from '../../src/reconciler/apply/mapping-differences.ts';
import { sessionRequest } from '../../src/reconciler/apply/session-request.ts';
import type { Video } from '../../src/reconciler/definition/video.ts';
import { desiredVideo } from '../../src/reconciler/plan/desired-video.ts';
import { bareSession } from '../../src/reconciler/service-client/read-answer.ts';
import { videoFiles } from '../../src/service/sessions/input-digest.ts';
import { videoMeasures } from '../../src/template/video-measures.ts';
import { RANDOM_EDITABLES, RandomVideos } from '../support/random-videos.ts';
import { scenesOfMapping } from '../support/scenes-of-mapping.ts';

const COUNT = 2_000;
const template = {
  spec: { id: 'tsv_1', editables: {}, fonts: [] },
  digest: sha256('template'),
  width: 64,
  height: 36,
  fps: 10,
  frameCount: 20,
  stills: [],
  sounds: new Map(),
  manifest: { editables: new Map(Object.entries(RANDOM_EDITABLES).map(([key, kind]) => [key, { kind }])) },
};

/** Returns everything that is derived from the content of a video, and how the session of another video differs from it. */
function derived(video: Video, session: RenderSession): unknown[] {
  const desired = desiredVideo(video, {
    service: 'embedded',
    styleVersions: { launch: 'tsv_1' },
    renderEpoch: 2,
    measures: videoMeasures(template),
    assetDigest: (path) => sha256(path),
  });
  const request = sessionRequest(
    video,
    { styleVersions: { launch: 'tsv_1' }, scenes: null },
    (path) => `urn:sha256:${sha256(path)}`,
  );
  const digests = new Map<string, Sha256>();
  for (const [key, value] of video.scenes[0]!.resources)
    if ('source' in value) digests.set(key, sha256(JSON.stringify(value)));
  for (const [name, value] of video.audio) digests.set(`audio_tracks.${name}`, sha256(JSON.stringify(value)));
  const digested = {
    ...scenesOfMapping(template as never, (request as CreateRenderSession).mapping, digests),
    output: video.output ?? undefined,
  };
  const files = videoFiles(digested, (video.outputs ?? []).slice(1));
  const { fingerprint, formerFingerprint, inputs: recorded } = desired;
  return [
    fingerprint,
    formerFingerprint,
    Object.entries(recorded()),
    request,
    [files.digest, files.fingerprint],
    mappingDifferences(desired, session),
  ];
}

function sessionOf(video: Video): RenderSession {
  const request = sessionRequest(
    video,
    { styleVersions: { launch: 'tsv_1' }, scenes: null },
    (path) => `urn:sha256:${sha256(path)}`,
  );
  return { ...bareSession('rs_1', 0), ...request } as unknown as RenderSession;
}

/**
 * The digests are those of commit e836898d, which had one canonical form for each of these values. They change only with
 * RENDER_EPOCH, or if an upgrade would render videos again.
 */
test('derives the same values from random videos as earlier versions', () => {
  const videos = new RandomVideos(35);
  const list = Array.from({ length: COUNT }, () => videos.next());
  const values = list.map((video, index) => derived(video, sessionOf(list[Math.max(0, index - 1)]!)));
  const digests = [0, 1, 2, 3, 4, 5].map((at) => sha256(JSON.stringify(values.map((value) => value[at] ?? null))));
  expect(digests).toEqual([
    // fingerprint
    '48b012990e8e21d1b9e1e781535f1d8803ca10afb32fd27bc1a8c67c3ddfa5ef',
    // former fingerprint
    'd286f9bfe883eb39d660faf1fc7a73760ab8551662fac4fd8ca7ddb173c51c7e',
    // lock inputs
    '467bf11307e16264ad48fc6bfa3c71fbf99df850b4ec28016b231e3c74499b3e',
    // request
    '2596e032155d20ce482a85f9a91daa1fb5c8947a962dfd800bed4dd282035df4',
    // digests of the files
    '0f4d645cb4609e286eaad69739c5d11d1a0c0780b3b512cbd7d25f783854758e',
    // differences of a session
    'afb97c21e6d7175df9fd60e78b59f0610cb441c47e06137f3a6fa72ff5cd4bae',
  ]);
});
