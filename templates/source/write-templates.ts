import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { galleryDigest } from '../../src/cli/template/gallery.ts';
import { animations } from './animations.ts';
import { galleryAnimations } from './gallery/animations.ts';
import { campaignAnimations } from './gallery/campaign.ts';

for (const [folder, text] of Object.entries(animations)) await writeFile(`templates/${folder}/animation.json`, text);
for (const [name, text] of Object.entries(galleryAnimations)) await writeFile(`gallery/${name}/animation.json`, text);
for (const [name, text] of Object.entries(campaignAnimations))
  await writeFile(`gallery/campaign/${name}/animation.json`, text);

// A downloaded template of the gallery is compared with these digests.
const digests = Object.keys(galleryAnimations).map((name) => [name, galleryDigest(filesBelow(`gallery/${name}`))]);
await writeFile('starter/gallery.json', `${JSON.stringify(Object.fromEntries(digests), null, 2)}\n`);

function filesBelow(folder: string): Map<string, Uint8Array> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return new Map(
    paths.map((path) => [
      path
        .slice(folder.length + 1)
        .split(sep)
        .join('/'),
      readFileSync(path),
    ]),
  );
}
