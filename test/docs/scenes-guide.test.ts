import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Timeline } from '../../src/contract/timeline/timeline.ts';
import type { SoundLength } from '../../src/contract/video-measures.ts';
import { soundLength } from '../../src/engine/media/sound-length.ts';
import { contentSounds, timelineOf } from '../../src/reconciler/definition/video-timeline.ts';
import { loadProject, type Project } from '../../src/reconciler/project/load-project.ts';

const ROOT = join(import.meta.dirname, '../..');
const GUIDE = readFileSync(join(ROOT, 'docs/guides/scenes.md'), 'utf8');

let project: Project;
const lengths = new Map<string, SoundLength>();
beforeAll(async () => {
  project = await loadProject({ cwd: join(ROOT, 'gallery') });
  for (const { source } of project.videos.flatMap(contentSounds)) {
    if (source.kind !== 'file') continue;
    lengths.set(source.path, await soundLength(readFileSync(join(project.root, source.path)), source.path));
  }
});

function timelines(): [id: string, Timeline][] {
  const videos = project.videos.filter(({ id }) => id.startsWith('campaign/'));
  return videos.map((video) => {
    const templates = new Map([...project.templates].map(([name, { package: files }]) => [name, files]));
    return [video.id, timelineOf(video, templates, (path) => lengths.get(path) ?? null)!.timeline!];
  });
}

describe('the guide to scenes', () => {
  it('shows the files of the campaign', () => {
    const shown = [...GUIDE.matchAll(/`(gallery\/[\w./-]+)`[^`]*?:\n\n```\w+\n(.*?)^```$/gms)];
    expect(shown.map(([, path]) => path)).toEqual([
      'gallery/campaign/campaigns.csv',
      'gallery/campaign/products.csv',
      'gallery/campaign/lights.yaml',
    ]);
    for (const [, path, text] of shown) expect(text).toBe(readFileSync(join(ROOT, path!), 'utf8'));
  });

  it('shows the scenes of both videos with their starts and lengths', () => {
    const rows = timelines().flatMap(([id, { scenes, rate }]) =>
      scenes.map(({ id: scene, start, length }, index) => {
        const seconds = (frames: number): number => +((frames * rate.denominator) / rate.numerator).toFixed(2);
        return `| ${index === 0 ? `\`${id}\`` : ''} | \`${scene}\` | ${seconds(start)} | ${seconds(length)} |`;
      }),
    );
    const [, table = ''] = /\| video \| scene \|[^\n]*\n\|[-|]+\n((?:\|.*\n)+)/.exec(GUIDE) ?? [];
    const shown = table
      .trimEnd()
      .split('\n')
      .map((row) => row.replace('| |', '|  |'));
    expect(new Set(shown)).toEqual(new Set(rows));
    expect(shown).toHaveLength(rows.length);
  });

  it('says which scene is left out', () => {
    const autumn = project.videos.find(({ id }) => id === 'campaign/lights/autumn')!;
    expect(autumn.leftOut).toMatchObject([{ scene: 'offer' }]);
  });
});
