import { describe, expect, test } from 'vitest';
import { ServiceError, serviceError } from '../../../../src/contract/service-error.ts';
import type { StyleVersionTable } from '../../../../src/service/server/store/style-version-table.ts';
import { createStyleVersionTable } from '../../../../src/service/server/store/style-version-table.ts';
import type { TenantId } from '../../../../src/service/sessions/ports.ts';
import { anyDatabases } from '../../../support/databases.ts';
import { createMemoryStyleVersions } from '../../../support/memory-tables.ts';
import { openPool } from '../../../support/render-pools.ts';
import { SMALL_MANIFEST, smallAnimation, smallPackage } from '../../../support/small-package.ts';
import { NEVER, openStyleVersions, smallZip } from './open-style-versions.ts';

const ACME = 'acme' as TenantId;
const OTHER = 'other' as TenantId;
const { id: ID } = smallPackage().spec;

async function problemOf(work: Promise<unknown>): Promise<ServiceError> {
  const error = await work.catch((reason: unknown) => reason);
  if (!(error instanceof ServiceError)) throw new Error(`no ServiceError: ${String(error)}`);
  return error;
}

async function openDatabaseTable(): Promise<StyleVersionTable> {
  return createStyleVersionTable((await anyDatabases.open()).database);
}

describe('StyleVersions.upload()', () => {
  test.each([
    ['in the database', openDatabaseTable],
    ['in memory', async () => createMemoryStyleVersions()],
  ])('stores a package, which is processing until its job has drawn it: %s', async (_title, openTable) => {
    const { versions, queued } = await openStyleVersions(await openTable());
    const { details, isNew } = await versions.upload(ACME, smallZip());
    const { editables, fonts } = smallPackage().spec;
    expect(isNew).toBe(true);
    expect(details).toEqual({
      id: ID,
      editables,
      fonts,
      name: 'Small',
      status: 'processing',
      errors: [],
      digest: smallPackage().digest,
      width: 64,
      height: 36,
      fps: 10,
      duration: 1,
      stillcuts: {},
      created_at: '2026-01-02T00:00:00.000Z',
    });
    expect(queued).toEqual([ID]);
    expect(await problemOf(versions.find(ACME, ID))).toMatchObject({ status: 409, code: 'style_version_processing' });

    await versions.process(ID, NEVER);
    const url = `https://videos.example/v2/template_style_versions/${ID}/stillcuts/stillcut_01.png`;
    expect(await versions.details(ACME, ID)).toEqual({
      ...details,
      status: 'edit_ready',
      stillcuts: { stillcut_01: url },
    });
    const found = await versions.find(ACME, ID);
    expect(found?.spec).toEqual(smallPackage().spec);
    expect(found?.digest).toBe(smallPackage().digest);
    const png = await versions.stillcut(ACME, ID, 'stillcut_01');
    expect(Buffer.from(png!).subarray(1, 4).toString()).toBe('PNG');
  });

  test('keeps the timing of a package', async () => {
    const { versions } = await openStyleVersions(await openDatabaseTable());
    const timing = [{ hold: 9, max: 20 }, { loop: [0, 4] }];
    const manifest = `${SMALL_MANIFEST}timing:\n  - { hold: 0.9, max: 2 }\n  - { loop: [0, 0.4] }\n`;
    const { details } = await versions.upload(ACME, smallZip({ 'template.yaml': manifest }));
    expect(details).toMatchObject({ id: ID, timing });
    await versions.process(ID, NEVER);
    expect((await versions.find(ACME, ID))?.spec).toEqual({ ...smallPackage().spec, timing });
  });

  test('does not call a package invalid that could not be checked in time', async () => {
    const { again } = await openStyleVersions();
    const versions = again({ inspections: openPool({ stallMs: 1, totalMs: 1 }) });
    expect(await problemOf(versions.upload(ACME, smallZip()))).toMatchObject({ status: 503, code: 'unavailable' });
  });

  test('returns the same style version for the same package and queues nothing', async () => {
    const { versions, queued } = await openStyleVersions();
    const first = await versions.upload(ACME, smallZip());
    const second = await versions.upload(ACME, smallZip({ 'notes.txt': 'of no effect' }));
    expect(second).toEqual({ details: first.details, isNew: false });
    expect(queued).toEqual([ID]);
  });

  test('keeps the latest labels and limits per tenant', async () => {
    const { versions } = await openStyleVersions(await openDatabaseTable());
    const relabelled = SMALL_MANIFEST.replace('Headline', 'Claim').replace('max_length: 20', 'max_length: 5');
    await versions.upload(ACME, smallZip());
    const { details } = await versions.upload(ACME, smallZip({ 'template.yaml': relabelled }));
    expect(details).toMatchObject({ id: ID, editables: { t_01: { label: 'Claim', max_length: 5 } } });
    await versions.upload(ACME, smallZip());
    await versions.upload(OTHER, smallZip({ 'template.yaml': relabelled.replace('name: Small', 'name: Theirs') }));
    await versions.process(ID, NEVER);
    expect((await versions.find(ACME, ID))?.spec.editables.t_01).toMatchObject({ label: 'Headline', max_length: 20 });
    const theirs = await versions.find(OTHER, ID);
    expect(theirs?.spec.editables.t_01).toMatchObject({ label: 'Claim', max_length: 5 });
    expect(theirs?.manifest.name).toBe('Theirs');
  });

  test('reports every problem at once with file and line', async () => {
    const { versions, queued } = await openStyleVersions();
    const manifest = `${SMALL_MANIFEST.replace('kind: color', 'kind: colour')}extra: 1\n`;
    const broken = smallZip({ 'template.yaml': manifest, 'animation.json': '{"fr":0}' });
    const error = await problemOf(versions.upload(ACME, broken));
    expect(error).toMatchObject({ status: 422, code: 'template_invalid' });
    const told = error.problems.map(({ code, pointer, detail }) => [code, pointer, detail.split(':')[0]]);
    expect(told).toContainEqual(['template_invalid', '#/template.yaml', 'Line 6']);
    expect(told).toContainEqual(['template_invalid', '#/template.yaml', 'Line 8']);
    expect(told).toContainEqual(['template_invalid', '#/animation.json', '/fr']);
    expect(queued).toEqual([]);
  });

  test('names a file by its JSON pointer', async () => {
    const { versions } = await openStyleVersions();
    const error = await problemOf(versions.upload(ACME, smallZip({ 'fonts/Test-Regular.ttf': 'no font' })));
    expect(error.problems.map(({ pointer }) => pointer)).toEqual(['#/fonts~1Test-Regular.ttf']);
  });

  test('rejects files that are not a zip', async () => {
    const { versions } = await openStyleVersions();
    expect(await problemOf(versions.upload(ACME, new Uint8Array(100)))).toMatchObject({ code: 'template_invalid' });
  });

  test('rejects more editables and still cuts than the limit', async () => {
    const { versions } = await openStyleVersions();
    const stills = Array.from({ length: 51 }, (_, index) => `  extra_${index}: 0.1\n`).join('');
    const manifest = SMALL_MANIFEST.replace('editables:', `${stills}editables:`);
    const error = await problemOf(versions.upload(ACME, smallZip({ 'template.yaml': manifest })));
    expect(error.problems).toEqual([
      {
        code: 'template_invalid',
        pointer: '#/template.yaml',
        detail: 'The package has 52 stillcuts; the limit of the service is 50',
      },
    ]);
  });

  test('rejects a package whose description is larger than 1 MB', async () => {
    const { versions } = await openStyleVersions();
    const words = Array.from({ length: 180_000 }, (_, index) => index).join(' ');
    const animation = JSON.stringify(smallAnimation()).replace('Hello', words);
    const error = await problemOf(versions.upload(ACME, smallZip({ 'animation.json': animation })));
    expect(error.problems).toEqual([
      {
        code: 'template_invalid',
        pointer: '#/template.yaml',
        detail: 'The labels and examples of the editables take 1.1 MB; the limit of the service is 1.0 MB',
      },
    ]);
  });
});

describe('StyleVersions.process()', () => {
  test('fails packages that cannot be drawn, with the reason, and retries after the next upload', async () => {
    const { versions, again, queued } = await openStyleVersions();
    await versions.upload(ACME, smallZip());
    await again({ renderer: openPool({ totalMs: 1 }) }).process(ID, NEVER);
    const failed = await versions.details(ACME, ID);
    expect(failed).toMatchObject({ status: 'failed', stillcuts: {} });
    expect(failed?.errors).toMatchObject([{ code: 'render_timeout', pointer: '#/animation.json' }]);
    const error = await problemOf(versions.find(ACME, ID));
    expect(error).toMatchObject({ status: 422, code: 'style_version_failed', problems: failed!.errors });

    const second = await versions.upload(ACME, smallZip());
    expect(second).toMatchObject({ isNew: false, details: { status: 'processing', errors: [] } });
    expect(queued).toEqual([ID, ID]);
    await versions.process(ID, NEVER);
    expect(await versions.details(ACME, ID)).toMatchObject({ status: 'edit_ready' });
  });

  test('leaves files that could not be stored to a later attempt', async () => {
    const { versions, again, storage } = await openStyleVersions();
    await versions.upload(ACME, smallZip());
    const put = (): Promise<never> => Promise.reject(serviceError('unavailable'));
    const processed = again({ storage: { ...storage, put } }).process(ID, NEVER);
    await expect(processed).rejects.toMatchObject({ code: 'unavailable' });
    expect(await versions.details(ACME, ID)).toMatchObject({ status: 'processing', errors: [] });
  });

  test('leaves work interrupted by a stopping worker to the next worker', async () => {
    const { versions, again, renderer, queued } = await openStyleVersions(createMemoryStyleVersions(), openPool());
    await versions.upload(ACME, smallZip());
    const stop = new AbortController();
    const work = versions.process(ID, stop.signal);
    stop.abort(new Error('stopping'));
    await expect(work).rejects.toThrow('stopping');
    await renderer.close();
    await expect(versions.process(ID, stop.signal)).rejects.toThrow('stopping');
    expect(await versions.details(ACME, ID)).toMatchObject({ status: 'processing' });
    await again().resume();
    expect(queued).toEqual([ID, ID]);
  });

  test('fails a package that is no longer stored', async () => {
    const { versions, storage } = await openStyleVersions();
    await versions.upload(ACME, smallZip());
    await storage.remove('packages/');
    await versions.process(ID, NEVER);
    expect(await versions.details(ACME, ID)).toMatchObject({ status: 'failed' });
  });

  test('fail() ends a style version after its last attempt', async () => {
    const { versions } = await openStyleVersions();
    await versions.upload(ACME, smallZip());
    await versions.fail(ID);
    expect(await versions.details(ACME, ID)).toMatchObject({ status: 'failed', errors: [{ code: 'internal' }] });
  });
});

describe('StyleVersions.register()', () => {
  test('makes a package available to all tenants at once, before its still cuts', async () => {
    const { versions, again, queued } = await openStyleVersions();
    await versions.register(smallZip());
    expect((await versions.find(ACME, ID))?.spec.id).toBe(ID);
    expect(await versions.details(OTHER, ID)).toMatchObject({ status: 'edit_ready', stillcuts: {} });
    expect(queued).toEqual([ID]);
    await versions.process(ID, NEVER);
    expect(Object.keys((await versions.details(OTHER, ID))!.stillcuts)).toEqual(['stillcut_01']);
    // The next start finds it unchanged.
    await again().register(smallZip());
    expect(queued).toEqual([ID]);
    expect(await versions.upload(ACME, smallZip())).toMatchObject({ isNew: false, details: { status: 'edit_ready' } });
    expect(await versions.list(ACME)).toHaveLength(1);
  });

  test('makes a package usable that a tenant had uploaded', async () => {
    const { versions } = await openStyleVersions();
    await versions.upload(ACME, smallZip());
    await versions.register(smallZip());
    expect(await versions.find(ACME, ID)).not.toBeNull();
    expect(await versions.find(OTHER, ID)).not.toBeNull();
  });
});

describe('StyleVersions for another tenant', () => {
  test('hides uploads of other tenants', async () => {
    const { versions } = await openStyleVersions();
    await versions.upload(ACME, smallZip());
    await versions.process(ID, NEVER);
    expect(await versions.find(OTHER, ID)).toBeNull();
    expect(await versions.details(OTHER, ID)).toBeNull();
    expect(await versions.stillcut(OTHER, ID, 'stillcut_01')).toBeNull();
    expect(await versions.list(OTHER)).toEqual([]);
    expect((await versions.list(ACME)).map(({ id }) => id)).toEqual([ID]);
  });

  test('loads its own upload although the same package of another tenant is in memory', async () => {
    const { again } = await openStyleVersions();
    const versions = again({ scopeOf: (tenant) => tenant });
    for (const tenant of [ACME, OTHER]) await versions.upload(tenant, smallZip());
    await versions.process(ID, NEVER);
    const acme = await versions.find(ACME, ID);
    expect((await versions.find(ACME, ID))?.fonts).toBe(acme?.fonts);
    expect((await versions.find(OTHER, ID))?.fonts).not.toBe(acme?.fonts);
  });

  test('serves only still cuts that were drawn, whatever their names', async () => {
    const { versions } = await openStyleVersions();
    await versions.register(smallZip());
    await versions.process(ID, NEVER);
    for (const name of ['nothing', '../../etc/passwd', '', '%2e%2e', '__proto__']) {
      expect(await versions.stillcut(ACME, ID, name)).toBeNull();
    }
  });
});

test('StyleVersions keeps a few packages in memory and reloads others', async () => {
  const { again } = await openStyleVersions();
  const versions = again({ cacheBytes: 1 });
  const other = smallAnimation();
  other.nm = 'another';
  await versions.register(smallZip());
  await versions.register(smallZip({ 'animation.json': JSON.stringify(other) }));
  const ids = (await versions.list(ACME)).map(({ id }) => id);
  expect(ids).toHaveLength(2);
  for (const id of [...ids, ...ids]) expect((await versions.find(ACME, id))?.spec.id).toBe(id);
  const [once, twice] = await Promise.all([versions.find(ACME, ids[0]!), versions.find(ACME, ids[0]!)]);
  expect(once?.fonts).toBe(twice?.fonts);
});
