import { plainColor, plainTransform } from '../../contract/wire/defaults.ts';
import type { AudioResource, Mapping, MediaResource, Resource, TextResource } from '../../contract/wire/mapping.ts';
import type { NamedOutput, OutputRequest } from '../../contract/wire/output.ts';
import type { InputType } from '../../contract/wire/style-version.ts';
import { RENDER_EPOCH } from '../../engine/render-epoch.ts';
import { canonicalJson, type Json, type Sha256, sha256 } from '../../kernel/digest.ts';
import { tracksInMixOrder } from '../../template/bind/bind-mapping.ts';
import { trackKey } from '../../template/bind/check-mapping.ts';
import { inputFile, type OutputBasis, resolveOutput } from '../../template/bind/resolve-output.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import type { NamedFile } from './ports.ts';

export interface DigestedValues extends Pick<Mapping, 'resources' | 'audio_tracks' | 'font_changes'> {
  readonly output?: OutputRequest | undefined;
}

/** The parts of a template that affect the digest. */
type DigestBasis = OutputBasis & Pick<TemplatePackage, 'digest' | 'manifest'>;

/**
 * Computes the digest of everything that determines the video: mappings with the same digest give the same frames and
 * sound. Titles, labels, source URLs and track names are excluded, explicit defaults are ignored, and so is an output
 * equal to the template's own.
 *
 * @param sources digests of the source files by editable key and by `trackKey`
 */
export function inputDigest(
  template: DigestBasis,
  { resources, audio_tracks = {}, font_changes = {}, output }: DigestedValues,
  sources: ReadonlyMap<string, Sha256>,
): Sha256 {
  const filled = Object.entries(resources).map(([key, resource]): [string, Json] => [
    key,
    contentOf(resource, template.manifest.editables.get(key)?.kind, sources.get(key)),
  ]);
  const tracks = tracksInMixOrder(audio_tracks).map(([name, track]) =>
    contentOf(track, 'audio', sources.get(trackKey(name))),
  );
  const fonts = Object.entries(font_changes).map(([name, { source }]) => [name, source.font]);
  const file = outputOf(template, output);
  return sha256(
    canonicalJson({
      render_epoch: RENDER_EPOCH,
      template: template.digest,
      resources: Object.fromEntries(filled),
      ...(tracks.length === 0 ? {} : { audio_tracks: tracks }),
      ...(fonts.length === 0 ? {} : { font_changes: Object.fromEntries(fonts) }),
      ...(file === null ? {} : { output: file }),
    }),
  );
}

/** The files of a video, each with its `inputDigest` as fingerprint. */
interface VideoFiles {
  /** Digest of the main file. */
  readonly fingerprint: Sha256;
  readonly others: readonly NamedFile[];
  /** Digest of all files; equals the fingerprint if the main file is the only one. */
  readonly digest: Sha256;
}

/** Computes the files of a video and their fingerprints. @param sources as of `inputDigest` */
export function videoFiles(
  template: DigestBasis,
  inputs: DigestedValues,
  outputs: readonly NamedOutput[],
  sources: ReadonlyMap<string, Sha256>,
): VideoFiles {
  const fingerprint = inputDigest(template, inputs, sources);
  const files = outputs.map(({ name, ...output }) => {
    const digest = inputDigest(template, { ...inputs, output }, sources);
    return { name, digest, file: inputFile(template, output, digest) };
  });
  return {
    fingerprint,
    others: files.map(({ name, file }) => ({ name, ...file })),
    digest:
      files.length === 0
        ? fingerprint
        : sha256(
            canonicalJson({ main: fingerprint, others: files.map(({ name, digest }) => ({ name, scene: digest })) }),
          ),
  };
}

/**
 * Returns the key of a stored and shared rendering. Scopes never share a key, so that timing does not reveal what
 * another scope has rendered.
 *
 * @param scope empty for a key that all scopes share
 */
export function renderingDigest(digest: Sha256, scope: string): Sha256 {
  return scope === '' ? digest : sha256(canonicalJson({ scene: digest, scope }));
}

function contentOf(resource: Resource | AudioResource, kind: InputType | undefined, bytes: Sha256 | undefined): Json {
  if (kind === 'color') return { text: plainColor((resource as TextResource).source.text) };
  if (bytes === undefined) return { ...resource.source } as Json;
  const { transform = {} } = resource as MediaResource | AudioResource;
  const isMedia = kind === 'image' || kind === 'video' || kind === 'audio';
  return { sha256: bytes, transform: { ...(isMedia ? plainTransform(kind, transform) : transform) } };
}

/** Resolves all defaults; null if the request changes nothing. */
function outputOf(template: OutputBasis, request: OutputRequest | undefined): Json {
  const measure = (output: OutputRequest | undefined): Record<string, Json> => {
    const { output: file, width, height, fps } = resolveOutput(template, output);
    return { ...file, width, height, fps };
  };
  const wanted = measure(request);
  return canonicalJson(wanted) === canonicalJson(measure(undefined)) ? null : wanted;
}
