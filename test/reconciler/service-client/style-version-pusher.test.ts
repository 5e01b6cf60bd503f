import { describe, expect, it } from 'vitest';
import { pushStyleVersion } from '../../../src/reconciler/service-client/style-version-pusher.ts';
import { json, openClient, spec, thrown } from '../../support/remote-client.ts';

describe('pushStyleVersion()', () => {
  const upload = { name: 'small', spec, zip: () => Uint8Array.of(1, 2, 3) };

  it('uploads a missing style version, waits until it is ready, and skips the next upload', async () => {
    const { server, service } = await openClient({ uploads: { styleVersion: spec } });
    const waits: number[] = [];
    const wait = async (milliseconds: number) => void waits.push(milliseconds);
    expect(await pushStyleVersion(service, upload, wait)).toEqual({ uploaded: true });
    expect(waits).toEqual([100, 200]);
    expect(await pushStyleVersion(service, upload, wait)).toEqual({ uploaded: false });
    expect(server.count('POST /v2/template_style_versions')).toBe(1);
  });

  it('uploads again when labels or limits differ', async () => {
    const { server, service } = await openClient({ uploads: { styleVersion: spec } });
    const wait = async () => undefined;
    await pushStyleVersion(service, upload, wait);
    const [key, editable] = Object.entries(spec.editables)[0]!;
    const relabelled = { ...spec, editables: { ...spec.editables, [key]: { ...editable, label: 'Another' } } };
    expect(await pushStyleVersion(service, { ...upload, spec: relabelled }, wait)).toEqual({ uploaded: true });
    expect(server.count('POST /v2/template_style_versions')).toBe(2);
  });

  it('reports why the service cannot use the template', async () => {
    const { server, service } = await openClient();
    const errors = [{ code: 'template_invalid', pointer: '#', detail: 'It has no frames' }];
    server.force(
      'GET /v2/template_style_versions/{id}',
      json({ style_version: { ...spec, status: 'failed', errors } }),
    );
    expect(await thrown(pushStyleVersion(service, upload, async () => undefined))).toMatchObject({
      code: 'template_invalid',
      message: `The service cannot use the template small (${spec.id}): It has no frames`,
    });
  });

  it('rejects a style version other than the one that was sent', async () => {
    const { service } = await openClient({ uploads: { styleVersion: { ...spec, id: 'tsv_other' } } });
    expect(await thrown(pushStyleVersion(service, upload, async () => undefined))).toMatchObject({
      code: 'template_invalid',
      message: `The service created tsv_other from the template small instead of ${spec.id}`,
    });
  });

  it('gives up waiting eventually', async () => {
    const { server, service } = await openClient();
    const processing = json({ style_version: { ...spec, status: 'processing', errors: [] } });
    server.force('GET /v2/template_style_versions/{id}', ...Array.from({ length: 400 }, () => processing));
    expect(await thrown(pushStyleVersion(service, upload, async () => undefined))).toMatchObject({
      code: 'service_unreachable',
    });
  });
});
