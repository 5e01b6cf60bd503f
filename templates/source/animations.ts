import { lottieDocument, serialized } from './kit/document.ts';
import { launch } from './launch/launch.ts';
import { story } from './story/story.ts';

/** The text of each package's `animation.json`, by the package's folder. Always the same bytes from the same sources. */
export const animations: Readonly<Record<string, string>> = {
  launch: serialized(lottieDocument(launch)),
  story: serialized(lottieDocument(story)),
};
