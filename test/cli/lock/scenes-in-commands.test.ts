import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { stereoWav } from '../../engine/media/media-files.ts';
import { anyDatabases } from '../../support/databases.ts';
import { gitIn } from '../../support/git-repository.ts';
import { CONFIG, makeRepository } from '../../support/repository.ts';
import { startService } from '../../support/running-service.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const LOCK = 'reelform.lock.json';
const FILM = `title: Spring
resources: { c_01: "#EEADA7" }
scenes:
  - template: small
    resources: { t_01: Spring }
    audio: { voice: { source: ./voice.wav } }
    duration: content
  - id: outro
    template: other
    resources: { t_01: Bye }
    duration: 2
`;

/** Creates a repository whose only video has a scene as long as its voice, of 2 s and the 0.5 s after it, and one of 2 s. */
function openFilm(service = 'embedded', token = '') {
  const root = makeRepository({
    'reelform.yaml': CONFIG.replace('service: embedded', `service: ${service}`).replace(
      '  small: ./templates/small\n',
      '  small: ./templates/small\n  other: ./templates/small\n',
    ),
    'videos/film.yaml': FILM,
    'videos/voice.wav': stereoWav(8000, new Float32Array(16_000)),
  });
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const other of ['berlin', 'oslo', 'rome']) rmSync(join(root, `videos/${other}.yaml`));
  const run = (...args: string[]): Promise<Ran> =>
    reelform(root, args, { env: token === '' ? {} : { REELFORM_TOKEN: token }, now: Date.now });
  return {
    root,
    run,
    lock: () => readFileSync(join(root, LOCK), 'utf8'),
    async done(...args: string[]): Promise<string> {
      const { exitCode, stdout, stderr } = await run(...args);
      expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }, args.join(' ')).toEqual({ exitCode: 0, stderr: '' });
      return stdout;
    },
  };
}

it('show, list and explain have all scenes with their templates, lengths and values', async () => {
  const { root, done, lock } = openFilm();
  await done('pull');
  await done('apply', '--auto-approve');
  const version = JSON.parse(lock()).videos.film.style_version as string;
  const shown = await done('show', 'film');
  expect(shown.replaceAll(/ +/g, ' ')).toContain(
    ` scene small small (${version}), 2.5 s\n scene outro other (${version}), 2.0 s\n`,
  );
  expect(shown.split('filled with\n')[1]!.replaceAll(/ +/g, ' ')).toMatch(
    /^ small\.t_01 Spring\n small\.c_01 EEADA7\n small\.audio\.voice sha256:.*\n small\.timeline\.duration content tail=0\.5\n small\.timeline\.timing hold 5\n outro\.t_01 Bye\n/,
  );
  const [listed] = JSON.parse(await done('list', '--json')).videos;
  expect(listed).toMatchObject({ template: 'small', templates: ['small', 'other'] });
  const { scenes, values } = JSON.parse(await done('explain', 'film', '--json'));
  expect(scenes).toEqual([
    {
      id: 'small',
      template: 'small',
      difference: null,
      start: 0,
      length: 2.5,
      before: 2.5,
      rule: 'content',
      item: 'voice',
      style_version: version,
      natural: 1,
      places: [{ kind: 'hold', from: 0.5, to: 0.5, change: 1.5, held: 0, passes: 1 }],
    },
    expect.objectContaining({ id: 'outro', start: 2.5, length: 2, rule: 'seconds' }),
  ]);
  expect(Object.keys(values)).toContain('outro.t_01');
  // Its values are those of the lock entry once the definition is gone.
  rmSync(join(root, 'videos/film.yaml'));
  writeFileSync(
    join(root, 'videos/rome.yaml'),
    'template: small\nresources: {t_01: Rome, c_01: "#000000"}\ntitle: Rome\n',
  );
  expect(JSON.parse(await done('explain', 'film', '--json')).values).toEqual(values);
});

it('lock migrate, lock verify and prune keep what scenes have, and the history finds their rendering', async () => {
  const { root, done, lock } = openFilm();
  const { git, commit } = gitIn(root);
  await git('init', '--quiet');
  await done('pull');
  await done('apply', '--auto-approve');
  const written = lock();
  writeFileSync(join(root, LOCK), JSON.stringify(JSON.parse(written)));
  await done('lock', 'migrate');
  expect(lock()).toBe(written);
  await done('lock', 'verify');
  expect(await done('prune')).toBe('There is nothing to remove.\n');
  await commit({});
  const film = readFileSync(join(root, 'videos/film.yaml'), 'utf8');
  await commit({ 'videos/film.yaml': film.replace('Bye', 'See you') });
  await done('apply', '--auto-approve');
  await commit({ 'videos/film.yaml': film });
  const [change] = JSON.parse(await done('plan', '--json')).changes;
  expect(change).toMatchObject({ action: 'adopt', source: { kind: 'history' } });
  await done('apply', '--auto-approve');
  expect(JSON.parse(lock()).videos.film.scenes).toEqual(JSON.parse(written).videos.film.scenes);
});

it('import records the session of a video of scenes with their lengths, and drift verifies it', async () => {
  const service = await startService(await anyDatabases.address());
  const { token } = await service.client('acme');
  const { root, done, run, lock } = openFilm(`{ url: "${service.url}" }`, token);
  await done('pull');
  await done('apply', '--auto-approve');
  const applied = JSON.parse(lock()).videos.film;
  // Another machine, which has not measured the voice.
  rmSync(join(root, '.reelform'), { recursive: true });
  rmSync(join(root, LOCK));
  await done('import', 'film', '--session', applied.session);
  expect(JSON.parse(lock()).videos.film.scenes).toEqual(applied.scenes);
  expect(JSON.parse(await done('plan', '--json', '--no-lint')).changes).toEqual([]);
  expect(await done('drift')).toContain('1 video checked');

  const film = readFileSync(join(root, 'videos/film.yaml'), 'utf8');
  writeFileSync(join(root, 'videos/film.yaml'), film.replace('Bye', 'See you'));
  const refused = await run('import', 'film', '--session', applied.session);
  expect(refused.exitCode).toBe(1);
  expect(refused.stderr).toContain('outro.t_01');
});

it('a destination of reelform.yaml that a video of scenes cannot fill is reported at the definition', async () => {
  const { root, run } = openFilm();
  const config = readFileSync(join(root, 'reelform.yaml'), 'utf8');
  const credentials = `credentials: {main: {kind: s3, endpoint: "http://127.0.0.1:1", region: us-east-1, path_style: true, access_key_id_env: A, secret_access_key_env: B, allow: ["s3://videos/"]}}\n`;
  writeFileSync(
    join(root, 'reelform.yaml'),
    `${config}${credentials}deliver: ["s3://videos/{label.season}/{id}.{extension}"]\n`,
  );
  const { stdout } = await run('validate', '--json');
  const found = JSON.parse(stdout).diagnostics.filter(({ code }: { code: string }) => code !== 'schema_outdated');
  expect(found).toMatchObject([{ code: 'definition_invalid', file: 'videos/film.yaml', line: 1 }]);
  writeFileSync(join(root, 'videos/film.yaml'), `labels: { season: spring }\n${FILM}`);
  expect(JSON.parse((await run('plan', '--json')).stdout).changes[0].destinations).toMatchObject([
    { kind: 'deliver', to: 's3://videos/spring/film.mp4' },
  ]);
});
