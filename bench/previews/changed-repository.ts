import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { LottieDocument } from '../../src/template/render-input.ts';

const IDENTITY = ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost'];

/** Change after the first commit: a headline of each video, or a layer of their template. */
export type Edit = 'texts' | 'template';

export interface ChangedRepository {
  /** Folder with the changes; its commit has the original files. */
  readonly root: string;
  /** Folder with the original files. */
  readonly former: string;
}

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

/** Creates a repository of launch videos, commits it, and changes it. */
export async function changedRepository(folder: string, count: number, edit: Edit): Promise<ChangedRepository> {
  const [root, former] = [join(folder, 'now'), join(folder, 'before')];
  const write = (headline: string): void => {
    for (let index = 0; index < count; index++) {
      writeFileSync(join(root, `videos/launch/bench-${index}.yaml`), definition(index, headline));
    }
  };
  for (const name of ['templates/launch', 'videos', 'schemas']) {
    cpSync(join(process.cwd(), name), join(root, name), { recursive: true });
  }
  rmSync(join(root, 'videos/story'), { recursive: true });
  writeFileSync(join(root, 'reelform.yaml'), 'service: embedded\ntemplates:\n  launch: ./templates/launch\n');
  writeFileSync(join(root, '.gitignore'), '.reelform/\nlooks/\n');
  write('Light that lands softly');
  cpSync(root, former, { recursive: true });
  const git = (...args: string[]) => execa('git', [...IDENTITY, ...args], { cwd: root });
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Before');
  if (edit === 'texts') write('Light that lands gently');
  else addBadge(join(root, 'templates/launch/animation.json'));
  return { root, former };
}

/** Adds a square to the corner of every frame. */
function addBadge(path: string): void {
  const animation = JSON.parse(readFileSync(path, 'utf8')) as LottieDocument;
  const still = (k: unknown) => ({ a: 0, k });
  const place = { o: still(100), r: still(0), a: still([0, 0]), s: still([100, 100]), p: still([0, 0]) };
  const items = [
    { ty: 'rc', p: still([120, 120]), s: still([120, 120]), r: still(16) },
    { ty: 'fl', c: still([0.1, 0.4, 0.9, 1]), o: still(100) },
    { ty: 'tr', ...place },
  ];
  const layer = { ty: 4, ind: 9_000, nm: 'badge', ip: 0, op: animation.op, st: 0, ks: place };
  animation.layers.unshift({ ...layer, shapes: [{ ty: 'gr', it: items }] });
  writeFileSync(path, JSON.stringify(animation));
}
