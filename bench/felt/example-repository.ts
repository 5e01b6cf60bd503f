import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';

const IDENTITY = ['-c', 'user.name=Bench', '-c', 'user.email=bench@localhost'];
const TEMPLATES = ['launch', 'story'];
const VIDEOS = ['images', '_launch.yaml', '_story.yaml', 'launch/dune.yaml', 'launch/halo.yaml', 'story/trade-in.yaml'];
/** Definition with a text that `editText` replaces. */
const EDITED = 'videos/launch/dune.yaml';
const TEXT = /(?<=t_01: ).*/;

/** Adds two example templates and three of their videos to a repository that `init` has made, and commits everything. */
export async function addExamples(root: string): Promise<void> {
  for (const name of TEMPLATES) cpSync(join('templates', name), join(root, 'templates', name), { recursive: true });
  for (const name of VIDEOS) cpSync(join('videos', name), join(root, 'videos', name), { recursive: true });
  for (const name of TEMPLATES) {
    for (const kind of ['schema', 'spec']) {
      const file = `schemas/${name}.${kind}.json`;
      cpSync(file, join(root, file));
    }
  }
  const config = join(root, 'reelform.yaml');
  const added = TEMPLATES.map((name) => `  ${name}: ./templates/${name}\n`).join('');
  writeFileSync(config, readFileSync(config, 'utf8').replace('templates:\n', `templates:\n${added}`));
  await commit(root);
}

/** Commits all files of a repository. */
export async function commit(root: string): Promise<void> {
  const git = (...args: string[]) => execa('git', [...IDENTITY, ...args], { cwd: root });
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--allow-empty', '--message', 'Bench');
}

/** Replaces the headline of one video. */
export function editText(root: string, text: string): void {
  const path = join(root, EDITED);
  writeFileSync(path, readFileSync(path, 'utf8').replace(TEXT, text));
}
