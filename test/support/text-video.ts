import type { Video, VideoId } from '../../src/reconciler/definition/video.ts';

/** Returns a video whose only editable is a text. */
export function textVideo(id: string, text = id): Video {
  return {
    id: id as VideoId,
    path: `videos/${id}.yaml`,
    title: id,
    description: null,
    labels: {},
    protect: false,
    scenes: [
      {
        id: 'small',
        template: 'small',
        resources: new Map([['t_01', { kind: 'text', text }]]),
        fonts: new Map(),
        audio: new Map(),
      },
    ],
    audio: new Map(),
    output: null,
    deliver: [],
  };
}
