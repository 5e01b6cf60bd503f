import { describe, expect, it } from 'vitest';
import { parseCredentials } from '../../../src/contract/destinations/parse-credentials.ts';
import { ServiceError } from '../../../src/contract/service-error.ts';
import type { ExternalUploadRequest } from '../../../src/contract/wire/render-session.ts';
import { defined } from '../../../src/kernel/defined.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import type { SessionQuery, TenantId } from '../../../src/service/sessions/ports.ts';
import { testDestinations } from '../../support/destinations.ts';
import {
  ACME,
  heldRenderer,
  instantRenderer,
  openSmallSessions,
  SMALL,
  smallRequest,
} from '../../support/small-sessions.ts';

const PHOTO = '(Footage)/USER/photo.png';
const FOREIGN = 'other' as TenantId;
const ALL: SessionQuery = {
  limit: 100,
  cursor: null,
  status: null,
  styleVersionId: null,
  createdSince: null,
  createdBefore: null,
  metadata: {},
};

function claim(key: string, body: string) {
  return { key, request: sha256(body), expiresAt: 1e15 };
}

describe('Sessions.create()', () => {
  it('returns preview_rendering, and the session ends as preview_rendered', async () => {
    const { sessions, ended } = openSmallSessions();
    const { session, isReplay } = await sessions.create(ACME, smallRequest());
    expect(session).toMatchObject({ status: 'preview_rendering', render_progress: 0, video_url: null, errors: [] });
    expect(isReplay).toBe(false);
    expect(await ended(session.id)).toMatchObject({
      status: 'preview_rendered',
      render_progress: 100,
      phase: 'done',
      terminal: true,
      fonts: ['Test-Regular'],
      usage: { frames: 10, bytes: 5 },
    });
  });

  it('stores colours without #', async () => {
    const { sessions } = openSmallSessions();
    const { session } = await sessions.create(ACME, smallRequest());
    expect(session.mapping.resources.c_01).toEqual({ source: { text: 'FF0000' } });
  });

  it('rejects a mapping with all of its mistakes at once and renders nothing', async () => {
    const renderer = instantRenderer();
    const { sessions } = openSmallSessions(renderer);
    const request = smallRequest({ c_01: { source: { text: 'red' } }, t_02: { source: { text: 'x' } } });
    const error = await sessions.create(ACME, request).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      status: 422,
      code: 'mapping_invalid',
      problems: [{ code: 'invalid_color' }, { code: 'unknown_editable' }],
    });
    expect(String(error)).toMatch(
      /: c_01: "red" is not 6 or 8 hexadecimal digits; the template has no editable t_02; did/,
    );
    expect(renderer.renders).toBe(0);
  });

  it('rejects invalid deliveries together with mistakes of the mapping, also in a dry run', async () => {
    const { sessions } = openSmallSessions();
    const external_uploads = [
      { to: 'file:delivered/{titl}.mp4', credential: 'local' },
      { to: 'file:elsewhere/a.mp4', credential: 'local' },
      { to: 'file:delivered/a.mp4', credential: 'lokal' },
      { to: 'file:delivered/other/a.mp4', credential: 'others' },
      { to: 'file:delivered/b.mp4' },
      { to: 'file:delivered/c.mp4', credential: 'local' },
      { to: 'file:delivered/c.{extension}', credential: 'local' },
    ];
    const request = { ...smallRequest({ c_01: { source: { text: 'red' } } }), external_uploads };
    const error = (await sessions.create(ACME, request).catch((thrown: unknown) => thrown)) as ServiceError;
    expect(error).toMatchObject({ status: 422, code: 'mapping_invalid' });
    expect(error.problems.map(({ code, pointer, detail }) => `${code} ${pointer} ${detail}`)).toEqual([
      expect.stringContaining('invalid_color'),
      'target_invalid #/external_uploads/0/to there is no placeholder {titl}; did you mean {title}?',
      expect.stringContaining(
        'target_forbidden #/external_uploads/1/to the credential local does not allow this destination',
      ),
      'unknown_credential #/external_uploads/2/credential there is no credential "lokal"; did you mean local?',
      'unknown_credential #/external_uploads/3/credential there is no credential "others"',
      'missing_credential #/external_uploads/4/credential a credential is missing: one of local',
      'duplicate_target #/external_uploads/6/to file:delivered/c.mp4 is requested twice',
    ]);
    expect((await sessions.dryRun(ACME, request)).errors).toEqual(error.problems);
    await expect(sessions.create(ACME, { ...smallRequest(), external_uploads })).rejects.toMatchObject({
      code: 'upload_invalid',
    });
  });

  it("uses the tenant's default credential for destinations without one", async () => {
    const azure = { kind: 'azblob', account_key_env: 'KEY', allow: ['azblob://acme/videos/'], default: true };
    const written = {
      all: { kind: 'file', allow: ['file:delivered/'], default: true },
      own: { kind: 'file', allow: ['file:own/'], default: true, tenants: ['acme'] },
      azure,
    };
    const { credentials } = parseCredentials(written, { isServer: true, directory: '/srv' });
    const { sessions } = openSmallSessions(instantRenderer(), { destinations: testDestinations({ credentials }) });
    const ask = async (tenant: TenantId, ...places: string[]) => {
      const external_uploads = places.map((to) => ({ to }));
      return (await sessions.create(tenant, { ...smallRequest(), external_uploads })).session.external_uploads!;
    };
    const wasbs = 'wasbs://videos@acme.blob.core.windows.net/{title}.{extension}';
    expect(await ask(ACME, 'file:own/', wasbs)).toMatchObject([
      { to: expect.stringMatching(/^file:own\/rs_/), credential: 'own' },
      { to: 'wasbs://videos@acme.blob.core.windows.net/Berlin.mp4', credential: 'azure' },
    ]);
    expect(await ask(FOREIGN, 'file:delivered/')).toMatchObject([{ credential: 'all' }]);
    const mistakes = async (...places: string[]) => {
      const error = (await ask(ACME, ...places).catch((thrown: unknown) => thrown)) as ServiceError;
      return error.problems.map(({ code }) => code);
    };
    expect(await mistakes('file:delivered/')).toEqual(['target_forbidden']);
    expect(await mistakes('s3://videos/')).toEqual(['missing_credential']);
    expect(await mistakes('wasbs://other@acme.blob.core.windows.net/')).toEqual(['target_forbidden']);
    expect(await mistakes('azblob://acme/videos/Berlin.mp4', wasbs)).toEqual(['duplicate_target']);
  });

  it('adds default destinations unless the request opts out or already has the destination', async () => {
    const own = { to: 'file:delivered/acme/{session_id}.mp4', credential: 'local' };
    const all = { to: 'file:delivered/all/{title}/', credential: 'local' };
    const destinations = testDestinations({
      defaults: new Map([
        ['acme', [own]],
        ['*', [all, own]],
      ]),
    });
    const { sessions } = openSmallSessions(instantRenderer(), { destinations });
    const told = async (external_uploads?: ExternalUploadRequest[], tenant = ACME): Promise<string[]> => {
      const request = { ...smallRequest(), ...defined({ external_uploads }) };
      const { session } = await sessions.create(tenant, request);
      return session.external_uploads!.map(({ to }) => to.replace(session.id, 'ID'));
    };
    const [ofOwn, ofAll] = ['file:delivered/acme/ID.mp4', 'file:delivered/all/Berlin/ID.mp4'];
    expect(await told()).toEqual([ofOwn, ofAll]);
    expect(await told([])).toEqual([]);
    expect(await told([{ to: 'file:delivered/x.mp4', credential: 'local' }, own])).toEqual([
      'file:delivered/x.mp4',
      ofOwn,
      ofAll,
    ]);
    expect(await told(undefined, FOREIGN)).toEqual([ofAll, ofOwn]);
  });

  it('returns tracks, fonts and the output as requested', async () => {
    const { sessions } = openSmallSessions();
    const audio_tracks = { main: { source: { remote_url: 'https://example.com/a.mp3' } } };
    const font_changes = { 'Test-Regular': { source: { font: 'Test-Regular' } } };
    const { mapping, ...rest } = smallRequest();
    const request = {
      ...rest,
      mapping: { ...mapping, audio_tracks, font_changes },
      output: { format: 'gif' } as const,
    };
    const { session } = await sessions.create(ACME, request);
    expect(session).toMatchObject({
      audio_tracks,
      font_changes,
      mapping: { audio_tracks, font_changes },
      output: { format: 'gif' },
    });
  });

  it('rejects invalid tracks, fonts and outputs, each with its pointer', async () => {
    const { sessions } = openSmallSessions();
    const { mapping, ...rest } = smallRequest();
    const request = {
      ...rest,
      mapping: {
        ...mapping,
        audio_tracks: { main: { source: { remote_url: 'ftp://example.com' } } },
        font_changes: { 'Test-Regular': { source: { font: 'Comic-Sans' } } },
      },
      output: { height: 35, fps: 30 },
    };
    await expect(sessions.create(ACME, request)).rejects.toMatchObject({
      status: 422,
      code: 'mapping_invalid',
      problems: [
        { code: 'invalid_url', pointer: '#/mapping/audio_tracks/main/source/remote_url' },
        { code: 'font_missing', pointer: '#/mapping/font_changes/Test-Regular/source/font' },
        { code: 'definition_invalid', pointer: '#/output/height' },
      ],
    });
  });

  it('returns 404 for an unknown style version', async () => {
    const { sessions } = openSmallSessions();
    await expect(sessions.styleVersion(ACME, 'tsv_none')).rejects.toMatchObject({ status: 404, code: 'not_found' });
  });

  it('creates one session per key and body and rejects the key with another body', async () => {
    const renderer = instantRenderer();
    const { sessions, ended } = openSmallSessions(renderer);
    const first = await sessions.create(ACME, smallRequest(), claim('k', 'a'));
    await ended(first.session.id);
    const again = await sessions.create(ACME, smallRequest(), claim('k', 'a'));
    expect(again).toEqual({ session: first.session, isReplay: true });
    expect(renderer.renders).toBe(1);
    await expect(sessions.create(ACME, smallRequest(), claim('k', 'b'))).rejects.toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    });
    const other = await sessions.create(FOREIGN, smallRequest(), claim('k', 'b'));
    expect(other.isReplay).toBe(false);
  });
});

describe('Sessions.start()', () => {
  it('renders a draft and rejects other sessions', async () => {
    const { sessions, ended } = openSmallSessions();
    const { render, ...draft } = smallRequest();
    const { session } = await sessions.create(ACME, draft);
    expect(session).toMatchObject({ status: 'draft', terminal: false });
    expect((await sessions.start(ACME, session.id)).session.status).toBe('preview_rendering');
    expect((await ended(session.id)).status).toBe('preview_rendered');
    await expect(sessions.start(ACME, session.id)).rejects.toMatchObject({ status: 409, code: 'wrong_state' });
  });

  it('replays its answer to the same key', async () => {
    const { sessions, ended } = openSmallSessions();
    const { render, ...draft } = smallRequest();
    const { session } = await sessions.create(ACME, draft);
    const first = await sessions.start(ACME, session.id, claim('k', 'start'));
    await ended(session.id);
    expect(await sessions.start(ACME, session.id, claim('k', 'start'))).toEqual({ ...first, isReplay: true });
  });
});

describe('Sessions.changeMapping()', () => {
  const { render: _render, ...complete } = smallRequest();
  const empty = { ...complete, mapping: { ...complete.mapping, resources: {} } };
  const text = { source: { text: 'Hi' } };

  it('fills a draft key by key and removes keys set to null', async () => {
    const { sessions } = openSmallSessions();
    const { session } = await sessions.create(ACME, empty);
    expect(session.missing_editables).toEqual(['t_01', 'c_01']);
    const first = await sessions.changeMapping(ACME, session.id, {
      mapping: { resources: { t_01: text, c_01: { source: { text: '#00FF00' } } } },
    });
    expect(first.missing_editables).toEqual([]);
    expect(first.mapping).toMatchObject({
      id: session.mapping.id,
      resources: { c_01: { source: { text: '00FF00' } } },
    });
    const track = { source: { remote_url: 'https://example.com/a.mp3' } };
    const second = await sessions.changeMapping(ACME, session.id, {
      mapping: { resources: { c_01: null }, audio_tracks: { main: track, other: null } },
    });
    expect(second).toMatchObject({
      missing_editables: ['c_01'],
      audio_tracks: { main: track },
      mapping: { resources: { t_01: text }, audio_tracks: { main: track } },
    });
    expect(second.mapping.resources).not.toHaveProperty('c_01');
  });

  it('rejects all mistakes at once without changing the draft', async () => {
    const { sessions } = openSmallSessions();
    const { session } = await sessions.create(ACME, empty);
    const wrong = sessions.changeMapping(ACME, session.id, {
      mapping: {
        template_style_version_id: 'tsv_other',
        resources: { t_99: null, t_98: text, t_01: { source: { text: 'x'.repeat(21) } } },
        font_changes: { None: null },
      },
    });
    const error = (await wrong.catch((thrown: unknown) => thrown)) as ServiceError;
    expect(error).toMatchObject({ status: 422, code: 'mapping_invalid' });
    expect(error.problems.map(({ code }) => code).sort()).toEqual(
      ['style_version_fixed', 'unknown_editable', 'unknown_editable', 'text_too_long', 'font_missing'].sort(),
    );
    expect(await sessions.get(ACME, session.id)).toEqual(session);
  });

  it('changes only drafts of the same tenant', async () => {
    const { sessions } = openSmallSessions();
    const { session } = await sessions.create(ACME, smallRequest());
    const draft = (await sessions.create(ACME, empty)).session;
    const change = { mapping: { resources: { t_01: text } } };
    await expect(sessions.changeMapping(ACME, session.id, change)).rejects.toMatchObject({ code: 'wrong_state' });
    await expect(sessions.changeMapping(FOREIGN, draft.id, change)).rejects.toMatchObject({ status: 404 });
  });

  it('rejects the start of an incomplete draft and leaves it unchanged', async () => {
    const { sessions, ended } = openSmallSessions();
    const { session } = await sessions.create(ACME, empty);
    const error = (await sessions.start(ACME, session.id).catch((thrown: unknown) => thrown)) as ServiceError;
    expect(error).toMatchObject({ status: 422, code: 'mapping_invalid' });
    expect(error.problems.map(({ code }) => code)).toEqual(['missing_editable', 'missing_editable']);
    expect((await sessions.get(ACME, session.id)).status).toBe('draft');
    await sessions.changeMapping(ACME, session.id, { mapping: complete.mapping });
    expect((await sessions.start(ACME, session.id)).session.missing_editables).toBeUndefined();
    expect((await ended(session.id)).status).toBe('preview_rendered');
  });

  it('rejects a new draft with any other mistake', async () => {
    const { sessions } = openSmallSessions();
    for (const resources of [{ t_99: text }, { t_01: { source: { text: 'x'.repeat(21) } } }]) {
      const request = { ...complete, mapping: { ...complete.mapping, resources } };
      await expect(sessions.create(ACME, request)).rejects.toMatchObject({ code: 'mapping_invalid' });
      expect((await sessions.dryRun(ACME, request)).errors.map(({ code }) => code)).not.toContain('missing_editable');
    }
  });
});

describe('Sessions.cancel()', () => {
  it('stops the render and leaves the session canceled', async () => {
    const renderer = heldRenderer();
    const { sessions, ended } = openSmallSessions(renderer);
    const { session } = await sessions.create(ACME, smallRequest());
    await expect.poll(() => renderer.held.length).toBe(1);
    const canceled = await sessions.cancel(ACME, session.id);
    expect(canceled.session).toMatchObject({ status: 'preview_canceled', errors: [{ code: 'canceled' }] });
    expect(renderer.held[0]?.signal.aborted).toBe(true);
    renderer.held[0]?.finish();
    expect((await ended(session.id)).status).toBe('preview_canceled');
    expect((await sessions.cancel(ACME, session.id)).session.status).toBe('preview_canceled');
  });

  it('rejects a session that has already ended', async () => {
    const { sessions, ended } = openSmallSessions();
    const { session } = await sessions.create(ACME, smallRequest());
    await ended(session.id);
    await expect(sessions.cancel(ACME, session.id)).rejects.toMatchObject({ status: 409, code: 'wrong_state' });
  });
});

describe('Sessions.remove()', () => {
  it('stops the render and removes the session', async () => {
    const renderer = heldRenderer();
    const { sessions } = openSmallSessions(renderer);
    const { session } = await sessions.create(ACME, smallRequest());
    await expect.poll(() => renderer.held.length).toBe(1);
    await sessions.remove(ACME, session.id);
    expect(renderer.held[0]?.signal.aborted).toBe(true);
    await expect(sessions.get(ACME, session.id)).rejects.toMatchObject({ status: 404 });
    await expect(sessions.remove(ACME, session.id)).rejects.toMatchObject({ status: 404 });
  });
});

describe('Sessions.list()', () => {
  it('returns pages, newest first, filtered by status and style version', async () => {
    const { sessions, ended } = openSmallSessions();
    const ids: string[] = [];
    for (const title of ['a', 'b', 'c']) ids.unshift((await sessions.create(ACME, smallRequest({}, title))).session.id);
    for (const id of ids) await ended(id);
    const first = await sessions.list(ACME, { ...ALL, limit: 2, status: 'preview_rendered' });
    expect(first.sessions.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const second = await sessions.list(ACME, { ...ALL, limit: 2, cursor: first.nextCursor });
    expect(second).toMatchObject({ sessions: [{ id: ids[2] }], nextCursor: null });
    expect((await sessions.list(ACME, { ...ALL, status: 'draft' })).sessions).toEqual([]);
    expect((await sessions.list(ACME, { ...ALL, styleVersionId: SMALL.spec.id })).sessions).toHaveLength(3);
    await expect(sessions.list(ACME, { ...ALL, cursor: 'none' })).rejects.toMatchObject({ status: 400 });
  });
});

describe('Sessions.dryRun()', () => {
  it('reports all mistakes and an estimate without storing anything', async () => {
    const { sessions } = openSmallSessions();
    expect(await sessions.dryRun(ACME, smallRequest())).toMatchObject({
      valid: true,
      errors: [],
      estimate: { frames: 10, render_seconds: expect.any(Number) },
    });
    expect(await sessions.dryRun(ACME, smallRequest({ t_09: { source: { text: '' } } }))).toMatchObject({
      valid: false,
      errors: [{ code: 'unknown_editable' }],
    });
    expect((await sessions.list(ACME, ALL)).sessions).toEqual([]);
  });
});

describe('another tenant’s session', () => {
  it('behaves as not found in every call', async () => {
    const { sessions, ended } = openSmallSessions();
    const { session } = await sessions.create(
      ACME,
      smallRequest({ [PHOTO]: { source: { remote_url: 'https://a.com/b' } } }),
    );
    await ended(session.id);
    const asked = [
      sessions.get(FOREIGN, session.id),
      sessions.start(FOREIGN, session.id),
      sessions.cancel(FOREIGN, session.id),
      sessions.remove(FOREIGN, session.id),
    ];
    for (const one of asked) await expect(one).rejects.toMatchObject({ status: 404, code: 'not_found' });
    expect((await sessions.list(FOREIGN, ALL)).sessions).toEqual([]);
  });

  it('estimates the requested output', async () => {
    const { sessions } = openSmallSessions();
    const outputs = [undefined, { fps: 20 }, { height: 720 }, { format: 'png' }] as const;
    const estimates = outputs.map(async (output) => {
      const { valid, estimate } = await sessions.dryRun(ACME, { ...smallRequest(), ...(output && { output }) });
      return valid ? estimate! : null;
    });
    const [own, faster, larger, picture] = await Promise.all(estimates);
    expect([own, faster, larger, picture].map((estimate) => estimate!.frames)).toEqual([10, 20, 10, 1]);
    expect(larger!.render_seconds).toBeGreaterThan(own!.render_seconds);
  });

  it('reports mistakes of an output', async () => {
    const { sessions } = openSmallSessions();
    const { valid, errors, estimate } = await sessions.dryRun(ACME, { ...smallRequest(), output: { fps: 1e9 } });
    expect({ valid, errors, frames: estimate!.frames }).toMatchObject({
      valid: false,
      errors: [{ pointer: '#/output/fps' }],
      frames: 10,
    });
  });
});
