import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { anyDatabases } from '../../support/databases.ts';
import { startInterfaceService } from '../../support/interface-service.ts';
import { CONFIG, makeRepository } from '../../support/repository.ts';
import { startService } from '../../support/running-service.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const FILM = `title: Film
scenes:
  - template: small
    resources: { t_01: Hello, c_01: "#EEADA7" }
  - id: end
    template: small
    resources: { t_01: Bye, c_01: "#EEADA7" }
`;
const FILE = 'schemas/service.json';

/** Creates a repository of a service with a film of two scenes, and a one-template video of the set length. */
function openRepository(url: string, token: string) {
  const root = makeRepository({
    'reelform.yaml': CONFIG.replace('service: embedded', `service: { url: "${url}" }`),
    'videos/film.yaml': FILM,
  });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const name of ['berlin', 'oslo']) rmSync(join(root, `videos/${name}.yaml`));
  const run = (...args: string[]): Promise<Ran> => reelform(root, args, { env: { REELFORM_TOKEN: token } });
  return {
    root,
    run,
    runWithoutToken: (...args: string[]): Promise<Ran> => reelform(root, args),
    stored: () => JSON.parse(readFileSync(join(root, FILE), 'utf8')) as { service: string; features: object },
    store: (features: object) => writeFileSync(join(root, FILE), JSON.stringify({ service: url, features })),
    /** Returns the problems of videos, each as its severity, code, file and line. */
    async problems(command: string, ...flags: string[]): Promise<string[]> {
      const { stdout } = await run(command, '--json', ...flags);
      const { diagnostics } = JSON.parse(stdout) as { diagnostics: Record<string, string>[] };
      const found = diagnostics.filter(({ code }) => code !== 'schema_outdated');
      return found.map(({ severity, code, file, line }) => `${severity} ${code} ${file}:${line}`);
    },
  };
}

it('stores that a service offers nothing, and refuses the scenes before anything is sent', async () => {
  const service = await startInterfaceService();
  onTestFinished(() => service.close());
  const { run, runWithoutToken, stored, problems } = openRepository(service.url, service.token);
  expect(await problems('plan', '--no-lint')).toEqual(['warning features_unknown videos/film.yaml:3']);
  expect((await run('plan', '--no-lint')).stderr).toContain(
    `Whether the service ${service.url} renders such a video is not known: ${FILE} is missing`,
  );
  const untold = await runWithoutToken('pull');
  expect(untold.exitCode).toBe(0);
  expect(untold.stderr).toContain(`${FILE} is not compared with the service`);
  const pulled = await run('pull');
  expect(pulled).toMatchObject({ exitCode: 0, stdout: `wrote  ${FILE}\n` });
  expect(stored()).toEqual({ service: service.url, features: {} });
  for (const command of ['validate', 'plan', 'plan']) {
    expect(await problems(command)).toEqual(['error service_lacks_scenes videos/film.yaml:3']);
  }
  const applied = await run('apply', '--auto-approve');
  expect(applied.exitCode).toBe(1);
  expect(applied.stderr).toContain(`The service ${service.url} renders videos of one template at its length`);
  expect(service.count('POST /v2/render_sessions')).toBe(0);
});

it('stores the limits of a service, and compares each video with them', async () => {
  const service = await startService(await anyDatabases.address());
  const { token } = await service.client('acme');
  const { root, run, stored, store, problems } = openRepository(service.url, token);
  await run('pull');
  expect(stored()).toEqual({
    service: service.url,
    features: { scenes: { max_scenes: 200, max_seconds: 1800 }, sound: true, captions: true, languages: true },
  });
  for (const flags of [[], [], ['--no-cache']]) expect(await problems('plan', '--no-lint', ...flags)).toEqual([]);
  // The plan cache notices another file.
  store({ scenes: { max_scenes: 1, max_seconds: 1800 } });
  expect(await problems('plan', '--no-lint')).toEqual(['error service_lacks_scenes videos/film.yaml:3']);
  expect((await run('validate')).stderr).toContain(
    `The video has 2 scenes, but the service ${service.url} renders at most 1`,
  );
  store({ scenes: { max_scenes: 2, max_seconds: 0.5 } });
  expect((await run('validate')).stderr).toContain(
    `The video has 2 seconds, but the service ${service.url} renders at most 0.5 seconds of scenes`,
  );
  expect(await run('pull', '--check')).toMatchObject({ exitCode: 2, stdout: `out of date  ${FILE}\n` });
  await run('pull');
  expect(await problems('plan', '--no-lint')).toEqual([]);

  writeFileSync(join(root, FILE), '{');
  expect(await problems('validate')).toEqual(['warning features_unknown videos/film.yaml:3']);
  writeFileSync(join(root, FILE), '{"service": "https://example.com", "features": {}}');
  expect((await run('validate')).stderr).toContain(`${FILE} is about https://example.com`);
});

it('needs no features for templates with values, however they are written', async () => {
  const service = await startInterfaceService();
  onTestFinished(() => service.close());
  const { root, run, problems } = openRepository(service.url, service.token);
  writeFileSync(
    join(root, 'videos/film.yaml'),
    'scenes: [{template: small, resources: {t_01: Hello, c_01: "#EEADA7"}}]\ntitle: Film\nrate: 10\n',
  );
  await run('pull');
  expect(existsSync(join(root, FILE))).toBe(false);
  expect(await problems('plan', '--no-lint')).toEqual([]);
  const film = readFileSync(join(root, 'videos/rome.yaml'), 'utf8');
  writeFileSync(join(root, 'videos/rome.yaml'), `${film}duration: 3\n`);
  expect(await problems('plan', '--no-lint')).toEqual(['warning features_unknown videos/rome.yaml:6']);
  await run('pull');
  expect(await problems('plan', '--no-lint')).toEqual(['error service_lacks_scenes videos/rome.yaml:6']);
});

it('refuses a loudness and levels that the service does not have, before anything is sent', async () => {
  const service = await startInterfaceService();
  onTestFinished(() => service.close());
  const { root, run, problems, store } = openRepository(service.url, service.token);
  rmSync(join(root, 'videos/film.yaml'));
  const rome = readFileSync(join(root, 'videos/rome.yaml'), 'utf8');
  writeFileSync(join(root, 'videos/rome.yaml'), `${rome}loudness: -14\n`);
  await run('pull');
  expect(await problems('plan', '--no-lint')).toEqual(['error service_lacks_sound videos/rome.yaml:1']);
  const applied = await run('apply', '--auto-approve');
  expect(applied.stderr).toContain(`The service ${service.url} has no loudness`);
  expect(service.count('POST /v2/render_sessions')).toBe(0);
  store({ sound: true });
  expect(await problems('plan', '--no-lint')).toEqual([]);
});
