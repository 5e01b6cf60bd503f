import type { MatrixPlace, Video } from '../../reconciler/definition/video.ts';
import type { DefinitionLanguages } from '../../studio/ports.ts';
import { readCatalogues } from '../locales/locale-catalogues.ts';
import { findViews } from '../locales/text-pictures.ts';
import { cachedLengths } from '../state/cached-lengths.ts';
import { desire } from '../state/load-desired-state.ts';
import { projectTemplates } from '../state/video-templates.ts';

/**
 * Reads the catalogues, and the videos of a definition in all of its languages.
 *
 * @param root absolute
 * @throws ReelformError `locales_missing`
 */
export async function readLanguages(root: string, definition: string): Promise<DefinitionLanguages> {
  const { project, settings, catalogues } = await readCatalogues(root, { missing: 'fallback' });
  const templatesOf = projectTemplates(project);
  const lengths = cachedLengths(project);
  const contexts = new Set(catalogues.flatMap(({ texts }) => texts.map(({ context }) => context)));
  return {
    settings,
    catalogues,
    videos: project.videos.filter(isOf(definition)).map((video) => {
      const { fingerprint } = desire(video, project, lengths);
      return { video, fingerprint, templates: templatesOf(video), assets: project.assets };
    }),
    viewOf(video) {
      const find = findViews({ videos: [video], filled: project.filled }, settings, contexts);
      return (context) => find(context)?.editables ?? null;
    },
    filled: project.filled,
    source: project.source,
  };
}

function isOf(definition: string) {
  return (video: Video): video is Video & { readonly matrix: MatrixPlace } =>
    video.matrix?.definition === definition && video.matrix.locale !== undefined;
}
