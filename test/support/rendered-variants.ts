import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { StyleVersion } from '../../src/contract/wire/style-version.ts';
import { emptyLock, type LockEntry } from '../../src/reconciler/lock/lock.ts';
import { parseLock, serialiseLock } from '../../src/reconciler/lock/lock-format.ts';
import { schemaFiles } from '../../src/reconciler/project/schema-files.ts';
import { type GitRepository, newRepository } from './git-repository.ts';
import { type InterfaceService, startInterfaceService } from './interface-service.ts';
import { definition, NO_LINT } from './repository.ts';
import { smallPackage } from './small-package.ts';
import { reelform } from './test-io.ts';

export const VIDEOS = ['berlin', 'oslo', 'rome'] as const;
const STRANGER: StyleVersion = { ...smallPackage().spec, id: 'tsv_stranger' };
const PHOTO = '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n';

/** Number of a variant for each video. */
export type Variants = readonly number[];

/** A repository with three videos, and the lock entries of each of their variants, which a paid service has rendered. */
export interface VariedRepository extends GitRepository {
  readonly service: InterfaceService;
  /** Writes the definitions of these variants. */
  write(variants: Variants): void;
  /** Returns the lockfile of these variants. */
  lockOf(variants: Variants): string;
}

/** @param count number of variants of each video */
export async function variedRepository(count: number): Promise<VariedRepository> {
  const service = await startInterfaceService({ looks: 1, styleVersions: [STRANGER] });
  onTestFinished(() => service.close());
  const repository = await newRepository();
  await repository.commit({
    'reelform.yaml': `service: {url: "${service.url}"}\ntemplates: {small: tsv_stranger}\n${NO_LINT}`,
    // Commits and branches are about the lockfile only.
    '.gitignore': '.reelform/\nvideos/\n',
    ...Object.fromEntries(schemaFiles('small', STRANGER).map(({ path, text }) => [path, text])),
  });
  mkdirSync(join(repository.root, 'videos'));
  const write = (variants: Variants): void => {
    for (const [index, id] of VIDEOS.entries()) {
      writeFileSync(join(repository.root, `videos/${id}.yaml`), definition(`${id} ${variants[index]}`, PHOTO));
    }
  };
  const entries = new Map<string, LockEntry>();
  const lockFile = join(repository.root, 'reelform.lock.json');
  for (let variant = 0; variant < count; variant++) {
    write(VIDEOS.map(() => variant));
    const env = { REELFORM_TOKEN: service.token };
    const { exitCode } = await reelform(repository.root, ['apply', '--auto-approve'], { env, now: Date.now });
    const read = parseLock(readFileSync(lockFile, 'utf8'), lockFile);
    if (exitCode !== 0 || !read.ok) throw new Error(`variant ${variant} was not rendered`);
    for (const [id, entry] of read.value.videos) entries.set(`${id} ${variant}`, entry);
  }
  // The journal has the renderings too.
  rmSync(join(repository.root, '.reelform'), { recursive: true });
  const lockOf = (variants: Variants): string => {
    const videos = VIDEOS.flatMap((id, index): [string, LockEntry][] => {
      const entry = entries.get(`${id} ${variants[index]}`);
      return entry === undefined ? [] : [[id, entry]];
    });
    return serialiseLock({ ...emptyLock, videos: new Map(videos) });
  };
  return { ...repository, service, write, lockOf };
}
