import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

/**
 * Stills of changed videos, before and after: seconds of the whole command, and how much of that is drawing.
 * `npm run bench:preview [videos] [stills|draft]`
 */
const COUNT = Number(process.argv[2] ?? 40);
const KIND = process.argv[3] ?? 'stills';
const ROOT = process.cwd();
const IDENTITY = ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost'];

function definition(index: number, headline: string): string {
  return `extends: ../_launch.yaml
title: Video ${index}
resources:
  t_01: ${headline} ${index}
  t_02: Dune, a lamp in glazed clay
  t_03: Thrown and glazed by hand, no two alike
  t_04: From noon to candle with one turn
  t_05: "€ ${100 + index}"
  c_01: "#F8E9DD"
  c_02: "#7C2D1B"
  c_03: "#D8502C"
  c_04: "#3B190F"
  c_05: "#FFF3E8"
  (Footage)/USER/hero.jpg: ../images/dune-hero.jpg
  (Footage)/USER/detail.jpg: ../images/dune-detail.jpg
`;
}

function write(folder: string, headline: string): void {
  for (let index = 0; index < COUNT; index++) {
    writeFileSync(join(folder, `videos/launch/bench-${index}.yaml`), definition(index, headline));
  }
}

const folder = mkdtempSync(join(tmpdir(), 'reelform-bench-'));
try {
  for (const name of ['templates/launch', 'videos', 'schemas'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  rmSync(join(folder, 'videos/story'), { recursive: true });
  writeFileSync(join(folder, 'reelform.yaml'), 'service: embedded\ntemplates:\n  launch: ./templates/launch\n');
  writeFileSync(join(folder, '.gitignore'), '.reelform/\nlooks/\n');
  write(folder, 'Light that lands softly');
  const git = (...args: string[]) => execa('git', [...IDENTITY, ...args], { cwd: folder });
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Before');
  write(folder, 'Light that lands gently');
  const flags = ['--preview', KIND, '--base', 'HEAD', '--preview-dir', 'looks', '--preview-budget', '3600'];
  const started = performance.now();
  await execa(
    'node',
    [join(ROOT, 'dist/cli/main.js'), 'plan', '--json', '--no-lint', '--target', 'launch/bench-*', ...flags],
    {
      cwd: folder,
    },
  );
  const seconds = (performance.now() - started) / 1000;
  const index = JSON.parse(readFileSync(join(folder, 'looks/index.json'), 'utf8'));
  const stills = index.videos.flatMap((video: { stills: unknown[] }) => video.stills).length;
  console.log(`${index.videos.length} videos, ${stills} moments before and after, ${availableParallelism()} cores`);
  console.log(`${seconds.toFixed(1)} s in all, ${(seconds / index.videos.length).toFixed(2)} s each`);
  const { all, rendering } = index.seconds;
  console.log(`of that ${all.toFixed(1)} s at the pictures, ${rendering.toFixed(1)} s with a scene being drawn`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
