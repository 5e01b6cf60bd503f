import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { cloneOf, gitIn, newRemote } from '../../support/git-repository.ts';
import { startInterfaceService } from '../../support/interface-service.ts';
import { definition, makeRepository } from '../../support/repository.ts';
import { smallPackage } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';

const IDS = ['berlin', 'oslo', 'rome'];
const POST = 'POST /v2/render_sessions';

interface Line {
  readonly type: string;
  readonly [field: string]: unknown;
}

it('the second of two jobs on one journal counts the videos of the first apart from its own', async () => {
  const { spec } = smallPackage();
  const service = await startInterfaceService({
    styleVersions: [{ ...spec, id: 'tsv_stranger' }],
    looks: Number.POSITIVE_INFINITY,
  });
  onTestFinished(() => service.close());
  const origin = makeRepository({
    'reelform.yaml': `service: {url: "${service.url}"}\ntemplates: {small: tsv_stranger}\njournal: {git: reelform-journal}\n`,
  });
  const photo = '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n';
  for (const id of IDS) writeFileSync(join(origin, `videos/${id}.yaml`), definition(id, photo));
  const env = { REELFORM_TOKEN: service.token };
  await reelform(origin, ['pull'], { env });
  const remote = await newRemote();
  const { git } = gitIn(origin);
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'Add the videos');
  await git('push', '--quiet', remote.root, 'HEAD:main');

  let start = (): void => undefined;
  const isFirstRunning = new Promise<void>((resolve) => {
    start = resolve;
  });
  const apply = async (hear: (stderr: string) => void, targets: readonly string[]): Promise<readonly Line[]> => {
    const { root } = await cloneOf(remote);
    const args = ['apply', '--auto-approve', '--json', ...targets.flatMap((id) => ['--target', id])];
    const { exitCode, stdout } = await reelform(root, args, { env, onStderr: hear });
    expect(exitCode).toBe(0);
    const { videos } = JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')) as { videos: object };
    expect(Object.keys(videos)).toEqual(targets.length === 0 ? IDS : targets);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
  };
  const first = apply((text) => text.split('rendering as').length === 3 && start(), ['berlin', 'oslo']);
  await isFirstRunning;
  const second = apply((text) => {
    if (text.split('rendering as').length === 4) service.finish();
  }, []);
  const [one, other] = [await first, await second];
  expect(one.at(-1)).toMatchObject({ type: 'outcome', rendered: 2 });
  expect(one.at(-1)).not.toHaveProperty('rendered_by_other_runs');
  expect(other.at(-1)).toMatchObject({ type: 'outcome', rendered: 1, rendered_by_other_runs: 2, recorded: 0 });
  const found = other.filter(({ by_other_run: isFound }) => isFound).map(({ id }) => id);
  expect(found.sort()).toEqual(['berlin', 'oslo']);
  expect(service.count(POST)).toBe(3);
});
