import { writeFile } from 'node:fs/promises';
import { referencePages } from './reference-pages.ts';

/** Updates the generated sections of docs/reference: `npm run docs:reference` */
const pages = await referencePages(process.cwd());
for (const { path, current, text } of pages) {
  if (text === current) continue;
  await writeFile(path, text);
  console.log(`Updated ${path}`);
}
