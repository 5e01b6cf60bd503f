import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CreateRenderSession } from '../../src/service/wire.ts';
import { failedSession, progressedSession, renderedSession, startedSession } from '../../src/session/render-session.ts';

const request: CreateRenderSession = {
  title: 'Berlin',
  render: 'preview',
  mapping: { template_style_version_id: 'tsv_1', resources: { t_01: { source: { text: 'Hi' } } } },
};
const started = startedSession(request, { session: 'rs_1', mapping: 'map_1' }, 0);

describe('startedSession()', () => {
  it('is what the interface document answers to a POST', () => {
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
    });
  });
});

describe('progressedSession()', () => {
  it('never falls and never says 100', () => {
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

describe('renderedSession()', () => {
  it('has progress 100, the URL and the thumbnails', () => {
    expect(renderedSession(started, { video_url: 'a.mp4', thumbnails: ['a.jpg'], fonts: [] }, 5)).toMatchObject({
      status: 'preview_rendered',
      render_progress: 100,
      video_url: 'a.mp4',
      thumbnails: ['a.jpg'],
      updated_at: '1970-01-01T00:00:00.005Z',
    });
  });
});

describe('failedSession()', () => {
  it('keeps its progress, has no URL, and dates its errors', () => {
    const failed = failedSession(
      progressedSession(started, 0.5, 1),
      [{ code: 'internal', title: 'Internal error', severity: 'error', retryable: false }],
      7,
    );
    expect(failed).toMatchObject({
      status: 'preview_failed',
      render_progress: 50,
      video_url: null,
      errors: [{ code: 'internal', occurred_at: '1970-01-01T00:00:00.007Z' }],
    });
  });
});
