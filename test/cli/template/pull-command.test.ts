import { existsSync, rmSync } from 'node:fs';
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
      now: () => (time += 5_000),
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
    'refuses the editable %s of a service, which would share an input of the lockfile, and writes nothing',
    async (key) => {
      const editables = { ...spec.editables, [key]: editable };
      const service = await startInterfaceService({
        styleVersions: [
          { ...spec, id: 'tsv_good' },
          { ...spec, id: 'tsv_bad', editables },
        ],
      });
      onTestFinished(() => service.close());
      const root = makeRepository({
        'reelform.yaml': `service: {url: "${service.url}"}\ntemplates:\n  good: tsv_good\n  bad: tsv_bad\n`,
      });
      const pull = (...args: string[]) => reelform(root, ['pull', ...args], { env: { REELFORM_TOKEN: service.token } });
      const { exitCode, stdout, stderr } = await pull();
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toContain('service_answer_invalid');
      expect(stderr).toContain(`The key of the editable "${key}" is reserved`);
      expect(stderr).toContain('reelform.yaml:4:8');
      expect(stderr).toContain('Correct the template on the service');
      expect(existsSync(join(root, 'schemas/good.spec.json'))).toBe(false);
      expect(existsSync(join(root, 'schemas/bad.spec.json'))).toBe(false);
      expect((await pull('good')).exitCode).toBe(0);
      expect(existsSync(join(root, 'schemas/good.spec.json'))).toBe(true);
    },
  );
});
