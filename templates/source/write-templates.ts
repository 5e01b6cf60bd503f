import { writeFile } from 'node:fs/promises';
import { animations } from './animations.ts';

for (const [folder, text] of Object.entries(animations)) await writeFile(`templates/${folder}/animation.json`, text);
