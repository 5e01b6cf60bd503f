import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../support/http-server.ts';
import { startInterfaceService } from '../../support/interface-service.ts';
import { makeRepository } from '../../support/repository.ts';
import { smallPackage } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';

describe('reelform pull', () => {
  test('reports a service that accepts a request and stays silent, and waits for its answer', async () => {
    const { spec } = smallPackage();
    let report = (): void => {};
    const reported = new Promise<void>((resolve) => {
      report = resolve;
    });
    const server = await startServer(async (_, response) => {
      await reported;
      response.end(JSON.stringify({ style_version: spec }));
    });
    onTestFinished(() => server.close());
    const root = makeRepository({
      'reelform.yaml': `service: {url: "${server.url}"}\ntemplates: {small: ${spec.id}}\n`,
    });
    onTestFinished(() => rmSync(root, { recursive: true }));
    let time = 0;
    const ran = await reelform(root, ['pull'], {
      env: { REELFORM_TOKEN: 'canary' },
      isLate: true,
      monotonicNow: () => (time += 5_000),
      onStderr: () => report(),
    });
    expect(ran).toMatchObject({
      exitCode: 0,
      stderr: `GET ${server.url}/v2/template_style_versions/${spec.id}/specs: no response for 5 s, still waiting\n`,
    });
  });

  const { spec } = smallPackage();
  const editable = { input_type: 'text' as const, stillcut: 's' };
  test.each(['audio.voice', 'fonts.Inter', 'outputs.square', 'output'])(
    'writes the editable %s of a service, which is named like an input of the lockfile, and accepts a value for it',
    async (key) => {
      const named = { ...spec, id: 'tsv_named', editables: { [key]: editable } };
      const service = await startInterfaceService({ styleVersions: [named] });
      onTestFinished(() => service.close());
      const root = makeRepository({
        'reelform.yaml': `service: {url: "${service.url}"}\ntemplates: {named: tsv_named}\nvideos: a.yaml\n`,
      });
      onTestFinished(() => rmSync(root, { recursive: true }));
      const run = (...args: string[]) => reelform(root, args, { env: { REELFORM_TOKEN: service.token } });
      expect(await run('pull')).toMatchObject({ exitCode: 0, stderr: '' });
      const written = JSON.parse(readFileSync(join(root, 'schemas/named.spec.json'), 'utf8'));
      expect(written.style_version.editables[key]).toMatchObject(editable);
      const definition = { template: 'named', title: 'A video', resources: { [key]: 'A text' } };
      writeFileSync(join(root, 'a.yaml'), JSON.stringify(definition));
      const { stdout } = await run('plan', '--json');
      expect(JSON.parse(stdout)).toMatchObject({ complete: true, changes: [{ action: 'create', id: 'a' }] });
    },
  );
});
