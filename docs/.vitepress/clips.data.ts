import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fg from 'fast-glob';

const folder = join(import.meta.dirname, '../public/clips');

/** The gallery videos of this build, without extension: the Pages workflow renders them, other builds show stills. */
export default {
  load: (): string[] =>
    existsSync(folder) ? fg.sync('**/*.mp4', { cwd: folder }).map((file) => file.replace(/\.mp4$/, '')) : [],
};

export declare const data: string[];
