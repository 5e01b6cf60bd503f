import { rmSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../support/http-server.ts';
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
});
