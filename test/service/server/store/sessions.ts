import { randomUUID } from 'node:crypto';
import type { RenderSession } from '../../../../src/contract/wire/render-session.ts';
import { type Sha256, sha256 } from '../../../../src/kernel/digest.ts';
import type { IdempotencyClaim, StoredSession, TenantId } from '../../../../src/service/sessions/ports.ts';

export const ACME = 'acme' as TenantId;
export const OTHER = 'other' as TenantId;
export const NOW = Date.parse('2026-03-04T05:06:07.890Z');

export function makeSession(over: Partial<RenderSession> = {}): RenderSession {
  const id = over.id ?? `rs_${randomUUID()}`;
  return {
    id,
    title: 'Summer',
    status: 'preview_rendering',
    render_progress: 0,
    thumbnails: [],
    video_url: null,
    errors: [],
    created_at: new Date(NOW).toISOString(),
    updated_at: new Date(NOW).toISOString(),
    mapping: {
      id: `map_${id}`,
      template_style_version_id: 'tsv_1',
      resources: { t_01: { source: { text: 'Hello' } } },
    },
    audio_tracks: {},
    font_changes: {},
    source_uploads: [],
    fonts: [],
    ...over,
  };
}

export function makeStored(over: Partial<RenderSession> = {}, tenant = ACME): StoredSession {
  const session = makeSession(over);
  return { tenant, session, outputName: `out_${session.id}`, attempt: 0, inputDigest: null, videoSeconds: 2 };
}

export function makeClaim(key: string, body = 'body', expiresAt = NOW + 86_400_000): IdempotencyClaim {
  return { key, request: sha256(body), expiresAt };
}

export function makeInput(name: string): Sha256 {
  return sha256(name);
}
