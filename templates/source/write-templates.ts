import { writeFile } from 'node:fs/promises';
import { lottieDocument, serialized } from './kit/document.ts';
import { launch } from './launch.ts';
import { story } from './story.ts';

/** The text of each package's `animation.json`, by the package's folder name. */
export const animations: Readonly<Record<string, string>> = {
  launch: serialized(lottieDocument(launch)),
  story: serialized(lottieDocument(story)),
};

for (const [name, text] of Object.entries(animations)) await writeFile(`templates/${name}/animation.json`, text);
