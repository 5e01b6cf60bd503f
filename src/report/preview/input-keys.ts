import { packed } from '../../engine/packed-input.ts';
import { type Sha256, sha256 } from '../../kernel/digest.ts';
import { remembered } from '../../kernel/memory.ts';
import { type SourceBytes, sourceSha256 } from '../../kernel/source-file.ts';
import type { InputDocument, ScenesInput, VideoInput } from '../../template/render-input.ts';

/** Digests that distinguish inputs without drawing them. */
interface InputKeys {
  /** Inputs with equal values have identical frames. */
  readonly picture: Sha256;
  readonly sound: Sha256;
  readonly durationSeconds: number;
  /** Format, quality, size and frame rate of the file. */
  readonly output: string;
}

export const inputKeys = remembered((video: VideoInput): InputKeys => {
  const { sounds, output, width, height, fps, frameCount } = video;
  const pictures = 'scenes' in video ? scenesOf(video) : documentParts(video);
  return {
    picture: sha256(JSON.stringify([...pictures, width / height, fps, frameCount])),
    sound: sha256(JSON.stringify(withDigests(sounds))),
    durationSeconds: frameCount / fps,
    output: JSON.stringify([{ ...output, fingerprint: null }, width, height, fps]),
  };
});

function scenesOf({ timeline, scenes }: ScenesInput): unknown[] {
  const times = timeline.scenes.map(({ id: _, ...time }) => time);
  const shown = scenes.map(({ map, fit, background, transition, ...document }) => {
    return [documentKey(document), map, fit, background, transition];
  });
  return [{ ...timeline, scenes: times }, ...shown];
}

/** Returns a digest of everything that is drawn of a template. */
export function documentKey(document: InputDocument): Sha256 {
  return sha256(JSON.stringify(documentParts(document)));
}

function documentParts({ animation, fonts, images, clips }: InputDocument): unknown[] {
  return [sha256(packed(animation)), ...[fonts, images, clips].map(withDigests)];
}

function withDigests(files: readonly { readonly bytes: SourceBytes }[]): unknown[] {
  return files.map((file) => ({ ...file, bytes: sourceSha256(file.bytes) }));
}
