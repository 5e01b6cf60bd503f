import { specOfMapping } from '../../contract/spec-mapping.ts';
import { canonicalSpec, hasSound, type SpecSound, type SpecValue } from '../../contract/video-spec.ts';
import type { AudioTransform, Mapping, Transform } from '../../contract/wire/mapping.ts';
import { trackKey } from '../../contract/wire/mapping.ts';
import type { NamedOutput, OutputRequest } from '../../contract/wire/output.ts';
import { RENDER_EPOCH, SOUND_EPOCH } from '../../engine/render-epoch.ts';
import { canonicalJson, type Json, type Sha256, sha256 } from '../../kernel/digest.ts';
import { tracksInMixOrder } from '../../template/bind/bind-mapping.ts';
import { inputFile, resolveOutput } from '../../template/bind/resolve-output.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { type MeasuredTemplate, outputBasis, videoMeasures } from '../../template/video-measures.ts';
import type { NamedFile } from './ports.ts';

export interface DigestedValues extends Pick<Mapping, 'resources' | 'audio_tracks' | 'font_changes'> {
  readonly output?: OutputRequest | undefined;
}

/** The parts of a template that affect the digest. */
type DigestBasis = MeasuredTemplate & Pick<TemplatePackage, 'digest' | 'manifest' | 'sounds'>;

/**
 * Computes the digest of everything that determines the video: mappings with the same digest give the same frames and
 * sound. Titles, labels, source URLs and track names are excluded, explicit defaults are ignored, and so is an output
 * equal to the template's own.
 *
 * @param sources digests of the source files by editable key and by `trackKey`
 */
export function inputDigest(
  template: DigestBasis,
  { output, ...mapping }: DigestedValues,
  sources: ReadonlyMap<string, Sha256>,
  soundEpoch = SOUND_EPOCH,
): Sha256 {
  const { editables } = template.manifest;
  const { audio, ...values } = specOfMapping(mapping, (key) => editables.get(key)?.kind);
  const written = { scenes: [{ id: '', template: template.digest, ...values, audio: new Map() }], audio };
  const spec = canonicalSpec({ ...written, output: output ?? null }, videoMeasures(template));
  const { resources, fonts } = spec.scenes[0]!;
  const filled = [...resources].map(([key, value]) => [key, valueJson(value, sources.get(key))] as const);
  const tracks = tracksInMixOrder(mapping.audio_tracks ?? {}).map(([name]) =>
    sourceJson(spec.audio.get(name)!, sources.get(trackKey(name))),
  );
  return sha256(
    canonicalJson({
      render_epoch: RENDER_EPOCH,
      sound_epoch: soundEpoch !== 0 && hasSound(spec, template.sounds.size > 0) ? soundEpoch : undefined,
      template: template.digest,
      resources: Object.fromEntries(filled),
      audio_tracks: tracks.length === 0 ? undefined : tracks,
      font_changes: fonts.size === 0 ? undefined : Object.fromEntries(fonts),
      output: spec.output === null ? undefined : outputJson(template, spec.output),
    }),
  );
}

/** The files of a video, each with its `inputDigest` as fingerprint. */
interface VideoFiles {
  /** Digest of the main file. */
  readonly fingerprint: Sha256;
  readonly others: readonly NamedFile[];
  /** Digest of all files; equals the fingerprint if the main file is the only file. */
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
    return { name, digest, file: inputFile(outputBasis(template), output, digest) };
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

/** @param bytes digest of the source; undefined for a value without source */
function valueJson(value: SpecValue<string>, bytes: Sha256 | undefined): Json {
  switch (value.kind) {
    case 'text':
      return { text: value.text };
    case 'color':
      return { text: value.color };
    case 'font':
      return { font: value.font };
    case 'image':
    case 'video':
    case 'audio':
      return sourceJson(value, bytes);
  }
}

function sourceJson(
  { source, transform }: Pick<SpecSound<string>, 'source'> & { readonly transform: Transform | AudioTransform },
  bytes: Sha256 | undefined,
): Json {
  return bytes === undefined ? { remote_url: source } : { sha256: bytes, transform: { ...transform } };
}

/** Resolves all defaults of an output. */
function outputJson(template: MeasuredTemplate, request: OutputRequest): Json {
  const { output, width, height, fps } = resolveOutput(outputBasis(template), request);
  return { ...output, width, height, fps };
}
