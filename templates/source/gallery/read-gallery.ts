import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateRenderSession } from '../../../src/contract/wire/render-session.ts';
import { sessionRequest } from '../../../src/reconciler/apply/session-request.ts';
import { firstTemplate, type Video } from '../../../src/reconciler/definition/video.ts';
import { loadProject } from '../../../src/reconciler/project/load-project.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import type { TemplatePackage } from '../../../src/template/template-package.ts';

/** An example of a template of the gallery. */
export interface GalleryExample {
  /** Folder of the template. */
  readonly name: string;
  /** Id of the video. */
  readonly id: string;
  /** Name of the example's file, which is its language. */
  readonly language: string;
  readonly template: TemplatePackage;
  /** The texts of the example, by key. */
  readonly texts: ReadonlyMap<string, string>;
  /**
   * Returns the input without captions and without sounds outside the template, for checks of the texts.
   *
   * @param texts replace those of the example, by key
   */
  renderInput(texts?: ReadonlyMap<string, string>): Promise<RenderInput>;
}

/**
 * Reads the examples of all templates, in the order of the gallery's reelform.yaml, or the videos of another folder.
 *
 * @throws Error with all messages if something is invalid
 */
export async function readGallery(root: string, folder = 'examples'): Promise<GalleryExample[]> {
  const { diagnostics, videos, templates } = await loadProject({ cwd: root });
  // The gallery has no schemas for editors: a copy of a template gets them.
  const problems = diagnostics.filter(({ code }) => code !== 'schema_outdated');
  if (problems.length > 0) throw new Error(problems.map(({ message, at }) => `${at?.file}: ${message}`).join('\n'));
  return [...templates].flatMap(([name, { package: template }]) => {
    if (template === null) throw new Error(`${name} is no package`);
    return videos
      .filter((video) => firstTemplate(video) === name && video.id.startsWith(`${folder}/`))
      .map((video): GalleryExample => {
        const language = video.id.split('/').at(-1)!;
        const texts = [...video.scenes[0]!.resources].flatMap(([key, resource]) =>
          resource.kind === 'text' ? [[key, resource.text] as const] : [],
        );
        return {
          name,
          id: video.id,
          language,
          template,
          texts: new Map(texts),
          renderInput: (replacedTexts) => inputOf(video, template, root, replacedTexts),
        };
      });
  });
}

async function inputOf(
  video: Video,
  template: TemplatePackage,
  root: string,
  texts: ReadonlyMap<string, string> = new Map(),
): Promise<RenderInput> {
  const styleVersions = { [firstTemplate(video)]: template.spec.id };
  const request = sessionRequest(video, { styleVersions, scenes: null }, (path) => path);
  const { mapping, output } = request as CreateRenderSession;
  const resources = { ...mapping.resources };
  for (const [key, text] of texts) resources[key] = { source: { text } };
  const fetched = new Map<string, Uint8Array>();
  for (const [key, { source }] of Object.entries(resources)) {
    if ('remote_url' in source) fetched.set(key, await readFile(join(root, source.remote_url)));
  }
  return bindMapping(template, { ...mapping, resources, output }, fetched);
}
