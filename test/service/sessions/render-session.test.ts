import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CreateRenderSession } from '../../../src/contract/wire/render-session.ts';
import type { Sha256 } from '../../../src/kernel/digest.ts';
import { renderingOf } from '../../../src/reconciler/apply/watch-session.ts';
import {
  canceledSession,
  createdSession,
  failedSession,
  progressedSession,
  queuedSession,
  renderedSession,
} from '../../../src/service/sessions/render-session.ts';

const request: CreateRenderSession = {
  title: 'Berlin',
  render: 'preview',
  mapping: { template_style_version_id: 'tsv_1', resources: { t_01: { source: { text: 'Hi' } } } },
};
const started = createdSession(request, { session: 'rs_1', mapping: 'map_1' }, 0);

const OUTPUT = { video_url: 'a.mp4', thumbnails: ['a.jpg'], bytes: 5, sha256: '0'.repeat(64) as Sha256 };
const FINISHED = {
  fonts: [],
  usage: { queue_seconds: 0, render_seconds: 1, frames: 10, bytes: 5 },
};

describe('createdSession()', () => {
  it('has the fields of the interface document and our additions', () => {
    expect(started).toEqual({
      id: 'rs_1',
      title: 'Berlin',
      status: 'preview_rendering',
      render_progress: 0,
      thumbnails: [],
      video_url: null,
      errors: [],
      created_at: '1970-01-01T00:00:00.000Z',
      updated_at: '1970-01-01T00:00:00.000Z',
      mapping: { id: 'map_1', template_style_version_id: 'tsv_1', resources: { t_01: { source: { text: 'Hi' } } } },
      audio_tracks: {},
      font_changes: {},
      source_uploads: [],
      fonts: [],
      phase: 'queued',
      terminal: false,
      expires_at: null,
    });
  });

  it('is a draft without `render` until it is queued', () => {
    const { render, ...rest } = request;
    const draft = createdSession(rest, { session: 'rs_1', mapping: 'map_1' }, 0);
    expect(draft).toMatchObject({ status: 'draft', terminal: false });
    expect(draft.phase).toBeUndefined();
    expect(queuedSession(draft, 3)).toMatchObject({
      status: 'preview_rendering',
      phase: 'queued',
      updated_at: '1970-01-01T00:00:00.003Z',
    });
  });
});

describe('progressedSession()', () => {
  it('never decreases and stays below 100', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (shares) => {
        let session = started;
        for (const share of shares) {
          const next = progressedSession(session, share, 1);
          expect(next.render_progress).toBeGreaterThanOrEqual(session.render_progress);
          expect(next.render_progress).toBeLessThan(100);
          session = next;
        }
      }),
    );
  });
});

describe('progressedSession() of segments', () => {
  it('counts finished segments, also when the percentage stays', () => {
    const segments = { done: 1, total: 300, reused: 1 };
    const first = progressedSession(started, 0.001, 1, segments);
    expect(first).toMatchObject({ render_progress: 0, render_segments: segments });
    expect(progressedSession(first, 0.001, 2, segments)).toBe(first);
    expect(progressedSession(first, 0.5, 2).render_segments).toEqual(segments);
  });
});

describe('renderedSession()', () => {
  it('has progress 100, the video URL and the thumbnails', () => {
    expect(renderedSession(started, [OUTPUT], { ...FINISHED, nowMs: 5, retentionMs: 1000 })).toMatchObject({
      status: 'preview_rendered',
      render_progress: 100,
      video_url: 'a.mp4',
      thumbnails: ['a.jpg'],
      updated_at: '1970-01-01T00:00:00.005Z',
      expires_at: '1970-01-01T00:00:01.005Z',
      phase: 'done',
      terminal: true,
    });
  });
});

describe('the measured loudness of a session', () => {
  const loudness = { integrated: -14.02, true_peak: -1.2 };
  const end = { ...FINISHED, nowMs: 5, retentionMs: null };

  it('is that of the first file with sound, and absent without any', () => {
    const finished = renderedSession(started, [OUTPUT, { ...OUTPUT, loudness }], end);
    expect(finished.measured_loudness).toEqual(loudness);
    expect(renderedSession(started, [OUTPUT], end)).not.toHaveProperty('measured_loudness');
  });

  it('is recorded for every file that has one', () => {
    const named = {
      ...started,
      outputs: ['main', 'web', 'loop'].map((name) => ({ name, format: 'mp4', video_url: null })),
    };
    const web = { integrated: -13.9, true_peak: -1.4 };
    const files = [{ ...OUTPUT, loudness }, { ...OUTPUT, loudness: web }, OUTPUT];
    const finished = renderedSession(named as never, files, end);
    expect(finished.outputs!.map(({ measured_loudness }) => measured_loudness)).toEqual([loudness, web, undefined]);
    const { outputs, ...main } = renderingOf(finished)!;
    expect(main.loudness).toEqual(loudness);
    expect(outputs).toMatchObject([{ name: 'web', loudness: web }, { name: 'loop' }]);
    expect(outputs![1]).not.toHaveProperty('loudness');
  });

  it('is recorded, unless a service uses the name for something else', () => {
    const finished = renderedSession(started, [{ ...OUTPUT, loudness }], end);
    expect(renderingOf(finished)?.loudness).toEqual(loudness);
    for (const other of ['loud', { integrated: '-14' }, null]) {
      expect(renderingOf({ ...finished, measured_loudness: other as never })).not.toHaveProperty('loudness');
    }
  });
});

describe('failedSession()', () => {
  it('keeps its progress, has no URL and adds the time to its errors', () => {
    const failed = failedSession(
      progressedSession(started, 0.5, 1),
      [{ code: 'internal', title: 'Internal error', severity: 'error', retryable: false }],
      { nowMs: 7, retentionMs: null },
    );
    expect(failed).toMatchObject({
      status: 'preview_failed',
      render_progress: 50,
      video_url: null,
      errors: [{ code: 'internal', occurred_at: '1970-01-01T00:00:00.007Z' }],
    });
  });
});

describe('canceledSession()', () => {
  it('has a status of its own and a canceled error', () => {
    expect(canceledSession(started, { nowMs: 7, retentionMs: null })).toMatchObject({
      status: 'preview_canceled',
      terminal: true,
      video_url: null,
      errors: [{ code: 'canceled' }],
    });
  });
});
