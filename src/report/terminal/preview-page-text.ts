import { escapeControls } from '../wording/display-text.ts';
import { countNoun } from '../wording/quantities.ts';

/** Reports the URL of the started preview page. */
export function previewStartedText(url: string): string {
  return `Preview at ${url}\nThe page follows your files. Ctrl-C ends it.\n`;
}

/** Warns that other machines can reach the page. @param host on which it listens */
export function previewExposedText(host: string): string {
  return `warning: The page listens on ${host}, without encryption. Whoever has its URL can edit the repository and render.\n`;
}

/** Reports the files of a static gallery. */
export function galleryBuiltText(
  folder: string,
  { videos, stills, files }: { readonly videos: number; readonly stills: number; readonly files: number },
): string {
  const counts = [countNoun(videos, 'video'), countNoun(stills, 'still'), countNoun(files, 'finished file')];
  return `Wrote ${counts.join(', ')} to ${escapeControls(folder)}\n`;
}
