import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/**
 * A plan that finds nothing to do, over generated definitions, beside `git status` on the same tree.
 * `npm run bench:plan [rounds]`
 */
const CLI = join(process.cwd(), 'dist/cli/main.js');
const ROUNDS = Number(process.argv[2] ?? 5);

const spec = {
  style_version: {
    id: 'tsv_bench',
    editables: Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [
        `t_${String(index + 1).padStart(2, '0')}`,
        { input_type: 'text', example_text: 'Text', stillcut: 'stillcut_01', fonts: [] },
      ]),
    ),
    fonts: [],
  },
};

async function makeTree(count: number): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), `reelform-bench-${count}-`));
  mkdirSync(join(root, 'schemas'));
  writeFileSync(join(root, 'schemas/bench.spec.json'), JSON.stringify(spec, null, 2));
  writeFileSync(
    join(root, 'reelform.yaml'),
    'service: {url: "https://service.example"}\ntemplates:\n  bench: tsv_bench\n',
  );
  for (let index = 0; index < count; index++) {
    const folder = join(root, 'videos', String(Math.floor(index / 100)));
    if (index % 100 === 0) mkdirSync(folder, { recursive: true });
    const texts = Object.keys(spec.style_version.editables).map(
      (key) => `  ${key}: A text of video ${index}, long enough to be one`,
    );
    writeFileSync(
      join(folder, `video-${index}.yaml`),
      `template: bench\ntitle: Video ${index}\nresources:\n${texts.join('\n')}\n`,
    );
  }
  await writeLock(root);
  await execa('git', ['init', '--quiet'], { cwd: root });
  await execa('git', ['add', '.'], { cwd: root });
  await execa(
    'git',
    ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com', 'commit', '--quiet', '-m', 'tree'],
    { cwd: root },
  );
  return root;
}

/** The lock that an apply of everything would leave, made from the plan itself. */
async function writeLock(root: string): Promise<void> {
  const { loadProject, desiredVideo, serialiseLock, emptyLock } = (await import(
    join(process.cwd(), 'dist/index.js')
  )) as typeof import('../src/index.ts');
  const project = await loadProject({ cwd: root });
  const videos = project.videos.map((video) => {
    const desired = desiredVideo(video, {
      service: 'https://service.example',
      styleVersion: 'tsv_bench',
      renderEpoch: null,
      assetDigest: () => {
        throw new Error('no assets here');
      },
      durationSeconds: null,
    });
    const { id, fingerprint, title, service, template, styleVersion, inputs } = desired;
    const entry = { fingerprint, title, service, template, style_version: styleVersion, inputs };
    return [
      id,
      {
        ...entry,
        session: 'rs_1',
        video_url: `https://cdn.example/${id}.mp4`,
        thumbnails: [],
        rendered_at: '2026-01-01T00:00:00.000Z',
      },
    ] as const;
  });
  writeFileSync(join(root, 'reelform.lock.json'), serialiseLock({ ...emptyLock, videos: new Map(videos) }));
}

async function seconds(command: string, args: readonly string[], cwd: string): Promise<number> {
  const started = performance.now();
  const { stdout } = await execa(command, args, { cwd, env: { NO_COLOR: '1' } });
  if (command === process.execPath && !stdout.includes('No changes')) throw new Error(`not a no-op: ${stdout}`);
  return (performance.now() - started) / 1000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

for (const count of [1_000, 10_000]) {
  const root = await makeTree(count);
  const plan: number[] = [];
  const git: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const pair = [
      await seconds(process.execPath, [CLI, 'plan'], root),
      await seconds('git', ['status', '--porcelain'], root),
    ] as const;
    // The first round warms the page cache.
    if (round > 0) {
      plan.push(pair[0]);
      git.push(pair[1]);
    }
  }
  const ratio = median(plan) / median(git);
  console.log(
    `${count} definitions: plan ${median(plan).toFixed(2)} s, git status ${median(git).toFixed(3)} s, ratio ${ratio.toFixed(0)}`,
  );
  rmSync(root, { recursive: true });
}
