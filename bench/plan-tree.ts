import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDesiredState } from '../src/cli/state/load-desired-state.ts';
import type { StyleVersion } from '../src/contract/wire/style-version.ts';
import { emptyLock } from '../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../src/reconciler/lock/lock-format.ts';
import { editLock, lockEdits } from '../src/reconciler/plan/lock-edits.ts';
import type { Change } from '../src/reconciler/plan/plan.ts';
import { schemaFiles } from '../src/reconciler/project/schema-files.ts';

const TEMPLATES = 20;
const IMAGES = 50;
const FILES_PER_FOLDER = 100;

/** Creates a repository of generated definitions of 0.9 KB each, with 20 templates and 50 shared images. */
export async function makeTree(count: number): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), `reelform-bench-${count}-`));
  const templates = Array.from({ length: TEMPLATES }, (_, index) => specOf(index));
  const names = templates.map(({ id }) => `  ${id.slice(4)}: ${id}\n`).join('');
  writeFileSync(join(root, 'reelform.yaml'), `service: {url: "https://service.example"}\ntemplates:\n${names}`);
  mkdirSync(join(root, 'schemas'));
  for (const spec of templates) {
    for (const { path, text } of schemaFiles(spec.id.slice(4), spec)) writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, 'images'));
  for (let index = 0; index < IMAGES; index++) {
    writeFileSync(join(root, 'images', `${index}.jpg`), Buffer.alloc(20_000, index));
  }
  for (let index = 0; index < count; index++) {
    if (index % FILES_PER_FOLDER === 0) mkdirSync(join(root, folderOf(index)), { recursive: true });
    writeFileSync(join(root, pathOf(index)), definitionOf(index, templates[index % TEMPLATES]!));
  }
  await writeLock(root);
  return root;
}

/** Returns the path of a definition, relative to the repository. */
export function pathOf(index: number): string {
  return `${folderOf(index)}/video-${index}.yaml`;
}

function folderOf(index: number): string {
  return `videos/${Math.floor(index / FILES_PER_FOLDER)}`;
}

function specOf(index: number): StyleVersion {
  const texts = Array.from({ length: 5 + (index % 5) * 3 }, (_, number) => {
    const key = `t_${String(number + 1).padStart(2, '0')}`;
    return [key, { input_type: 'text', example_text: 'Text', stillcut: 'stillcut_01', fonts: [] }];
  });
  const image = { input_type: 'image', stillcut: 'stillcut_01' };
  return {
    id: `tsv_bench-${index}`,
    editables: Object.fromEntries([...texts, ['(Footage)/USER/hero.jpg', image]]),
    fonts: [],
  } as unknown as StyleVersion;
}

function definitionOf(index: number, spec: StyleVersion): string {
  const keys = Object.keys(spec.editables).filter((key) => key.startsWith('t_'));
  const words = `Text of video ${index}, `.padEnd(Math.floor(720 / keys.length), 'and more of it ').trimEnd();
  const texts = keys.map((key) => `  ${key}: ${words}`);
  return [
    `template: ${spec.id.slice(4)}`,
    `title: Video ${index}`,
    'resources:',
    ...texts,
    `  (Footage)/USER/hero.jpg: images/${index % IMAGES}.jpg`,
    '',
  ].join('\n');
}

/** Writes the lockfile that applying everything would leave. */
export async function writeLock(root: string): Promise<void> {
  const { desired, diagnostics } = await loadDesiredState(root, { cache: false });
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics[0]));
  const edits = desired.map((video) => {
    const url = video.service === 'embedded' ? `renders/${video.id}.mp4` : `https://cdn.example/${video.id}.mp4`;
    const rendering = { session: 'rs_1', video_url: url, thumbnails: [], rendered_at: '2026-01-01T00:00:00.000Z' };
    return lockEdits(
      { action: 'create', id: video.id, previousId: null, desired: video } as unknown as Change,
      rendering,
    );
  });
  writeFileSync(join(root, 'reelform.lock.json'), serialiseLock(editLock(emptyLock, edits)));
}
