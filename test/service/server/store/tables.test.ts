import { expect, it } from 'vitest';
import type { StyleVersionRow } from '../../../../src/service/server/ports.ts';
import { readSecret } from '../../../../src/service/server/storage/stored-outputs.ts';
import { createStyleVersionTable } from '../../../../src/service/server/store/style-version-table.ts';
import { createUploadTable } from '../../../../src/service/server/templates/source-uploads.ts';
import type { TenantId } from '../../../../src/service/sessions/ports.ts';
import { describeOnDatabases } from '../../../support/databases.ts';
import { ACME, makeInput, NOW, OTHER } from './sessions.ts';

function makeRow(id: string, tenant: TenantId | null, createdMs = 0, name = id): StyleVersionRow {
  return {
    tenant,
    details: {
      id,
      name,
      // Key order that differs from jsonb.
      editables: { t_02: { input_type: 'text', stillcut: 's' }, c_1: { input_type: 'color', stillcut: 's' } },
      fonts: [],
      status: 'processing',
      errors: [],
      digest: 'd',
      width: 640,
      height: 360,
      fps: 30,
      duration: 1.5,
      stillcuts: {},
      created_at: new Date(NOW + createdMs).toISOString(),
    },
  };
}

describeOnDatabases('createStyleVersionTable()', (databases) => {
  it('keeps the latest row of an id with its member order, and its status', async () => {
    const table = createStyleVersionTable((await databases.open()).database);
    const row = makeRow('tsv_1', ACME);
    expect(await table.put(row)).toEqual(row);
    expect(JSON.stringify(await table.get(ACME, 'tsv_1'))).toBe(JSON.stringify(row));
    await table.setStatus('tsv_1', { status: 'failed', errors: [], stillcuts: {} });
    const another = makeRow('tsv_1', ACME, 0, 'another');
    expect(await table.put(another)).toEqual({ ...another, details: { ...another.details, status: 'failed' } });
    expect(await table.get(OTHER, 'tsv_1')).toBeNull();
    expect(await table.put(makeRow('tsv_1', OTHER, 0, 'theirs'))).toMatchObject({ details: { name: 'theirs' } });
  });

  it("lists shared rows with the tenant's own taking precedence, newest first", async () => {
    const table = createStyleVersionTable((await databases.open()).database);
    const everybodys = makeRow('tsv_1', null, 1);
    const own = makeRow('tsv_1', ACME, 2);
    const newest = makeRow('tsv_2', null, 3);
    for (const row of [everybodys, own, newest, everybodys]) await table.put(row);
    expect(await table.list(ACME)).toEqual([newest, own]);
    expect(await table.list(OTHER)).toEqual([newest, everybodys]);
    expect(await table.get(ACME, 'tsv_1')).toEqual(own);
    expect(await table.get(OTHER, 'tsv_1')).toEqual(everybodys);
  });

  it('sets the status of all rows of an id', async () => {
    const table = createStyleVersionTable((await databases.open()).database);
    for (const row of [makeRow('tsv_1', null), makeRow('tsv_1', ACME), makeRow('tsv_2', ACME)]) await table.put(row);
    expect(await table.processing()).toEqual(['tsv_1', 'tsv_2']);
    const errors = [{ code: 'template_invalid', pointer: '#', detail: 'no' }];
    await table.setStatus('tsv_1', { status: 'failed', errors, stillcuts: {} });
    expect(await table.processing()).toEqual(['tsv_2']);
    for (const tenant of [ACME, OTHER]) {
      expect(await table.get(tenant, 'tsv_1')).toMatchObject({ details: { status: 'failed', errors } });
    }
  });

  it('reports each status change once within its transaction', async () => {
    const said: StyleVersionRow[] = [];
    const { database } = await databases.open();
    let refuses = false;
    const table = createStyleVersionTable(database, async (_tx, row) => {
      if (refuses) throw new Error('no');
      said.push(row);
    });
    for (const row of [makeRow('tsv_1', ACME), makeRow('tsv_1', OTHER), makeRow('tsv_1', ACME, 0, 'again')])
      await table.put(row);
    const state = { status: 'edit_ready' as const, errors: [], stillcuts: { s: 'https://example.com/s.png' } };
    refuses = true;
    await expect(table.setStatus('tsv_1', state)).rejects.toThrow('no');
    expect(await table.processing()).toEqual(['tsv_1']);
    refuses = false;
    for (let again = 0; again < 2; again++) await table.setStatus('tsv_1', state);
    expect(said.slice(0, 2)).toEqual([makeRow('tsv_1', ACME), makeRow('tsv_1', OTHER)]);
    expect(
      said
        .slice(2)
        .map(({ tenant, details }) => [tenant, details.status, details.stillcuts])
        .toSorted(),
    ).toEqual([
      [ACME, 'edit_ready', state.stillcuts],
      [OTHER, 'edit_ready', state.stillcuts],
    ]);
  });
});

describeOnDatabases('createUploadTable()', (databases) => {
  it('records the owners of bytes', async () => {
    const table = createUploadTable((await databases.open()).database);
    await table.add(ACME, makeInput('a'));
    await table.add(ACME, makeInput('a'));
    expect(await table.has(ACME, makeInput('a'))).toBe(true);
    expect(await table.has(OTHER, makeInput('a'))).toBe(false);
    expect(await table.has(ACME, makeInput('b'))).toBe(false);
  });
});

describeOnDatabases('readSecret()', (databases) => {
  it('creates a secret once for concurrent callers', async () => {
    const { database } = await databases.open();
    const asked = await Promise.all([1, 2, 3, 4].map(() => readSecret(database, 'download')));
    expect(new Set(asked).size).toBe(1);
    expect(Buffer.from(asked[0]!, 'base64url')).toHaveLength(32);
    expect(await readSecret(database, 'another')).not.toBe(asked[0]);
  });
});
