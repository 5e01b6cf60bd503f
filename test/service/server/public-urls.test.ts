import { describe, expect, it } from 'vitest';
import type { RenderSession } from '../../../src/contract/wire/render-session.ts';
import { sessionAt, webhookBodyAt } from '../../../src/service/server/public-urls.ts';
import { createdSession } from '../../../src/service/sessions/render-session.ts';

const NOW = 'https://new.example.com/reels';
const mapping = {
  template_style_version_id: 'tsv_1',
  resources: { t_01: { source: { text: '/outputs/a/video.mp4' } } },
};
const SESSION: RenderSession = {
  ...createdSession({ title: 'Oslo', mapping }, { session: 'rs_1', mapping: 'm_1' }, 0),
  external_uploads: [
    {
      to: 's3://bucket/video.mp4',
      status: 'complete',
      remote_id: null,
      error: null,
      url: 'https://cdn.example.com/outputs/abc/video.mp4',
    },
  ],
};

describe('sessionAt()', () => {
  it.each(['', 'https://old.example.com', 'http://127.0.0.1:4400/prefix'])(
    'gives files recorded at "%s" the URL',
    (old) => {
      const files = {
        video_url: `${old}/outputs/aB_-9/video.mp4`,
        thumbnails: [`${old}/outputs/aB_-9/stillcut_01.jpg`],
        outputs: [{ name: 'web', video_url: `${old}/outputs/aB_-9/video.web.mp4` }],
      };
      expect(sessionAt(NOW, { ...SESSION, ...files })).toEqual({
        ...SESSION,
        video_url: `${NOW}/outputs/aB_-9/video.mp4`,
        thumbnails: [`${NOW}/outputs/aB_-9/stillcut_01.jpg`],
        outputs: [{ name: 'web', video_url: `${NOW}/outputs/aB_-9/video.web.mp4` }],
      });
    },
  );

  it('leaves everything else as it is: values, deliveries and files that do not exist yet', () => {
    expect(sessionAt(NOW, SESSION)).toEqual(SESSION);
    const outputs = [{ name: 'web', video_url: null }];
    expect(sessionAt(NOW, { ...SESSION, outputs })).toEqual({ ...SESSION, outputs });
  });
});

describe('webhookBodyAt()', () => {
  const sent = (body: object) => JSON.parse(webhookBodyAt(NOW, JSON.stringify(body)));

  it('gives the still cuts of a style version their URL', () => {
    const at = (base: string) => ({
      type: 'template_style_version.status.changed',
      timestamp: '2026-01-01T00:00:00.000Z',
      data: {
        style_version: { id: 'tsv_1', stillcuts: { a: `${base}/v2/template_style_versions/tsv_1/stillcuts/a.png` } },
      },
    });
    expect(sent(at(''))).toEqual(at(NOW));
    expect(sent(at('https://old.example.com'))).toEqual(at(NOW));
  });

  it('leaves other events as they are', () => {
    const upload = { render_session_id: 'rs_1', to: 's3://bucket/outputs/a/video.mp4', remote_id: null };
    const body = {
      type: 'render_session.external_upload.complete',
      timestamp: '2026-01-01T00:00:00.000Z',
      data: upload,
    };
    expect(sent(body)).toEqual(body);
    expect(sent({ video_id: null, event: 'test', output_url: null })).toMatchObject({ output_url: null });
  });
});
