import type { PreviewState, VideoCard } from '../../../src/studio/protocol.ts';

/** A valid card with changed fields. */
export function previewCard(id: string, fields: Partial<VideoCard> = {}): VideoCard {
  return {
    id,
    title: id,
    labels: {},
    path: `videos/${id}.yaml`,
    template: 'launch',
    state: 'up_to_date',
    action: null,
    reason: null,
    fingerprint: `v1:${id}`,
    beforeFingerprint: null,
    picture: { width: 1920, height: 1080, fps: 30, frameCount: 330, durationSeconds: 11, hasSound: true },
    posterFrame: 84,
    progress: null,
    failures: [],
    problems: [],
    finished: null,
    ...fields,
  };
}

export function previewState(revision: number, videos: readonly VideoCard[]): PreviewState {
  return {
    revision,
    name: 'olune',
    version: '1.0.0',
    service: 'embedded',
    videos,
    templates: [],
    problems: [],
    plan: null,
    run: null,
    otherRun: null,
    isLive: true,
  };
}
