import type { RenderedFile } from '../../src/engine/rendered-file.ts';

/** A finished MP4 whose bytes are the text `video`, with changes. */
export function renderedFile(changes: Partial<RenderedFile> = {}): RenderedFile {
  return {
    format: 'mp4',
    video: Buffer.from('video'),
    stills: [],
    findings: [],
    width: 64,
    height: 36,
    frameCount: 10,
    durationSeconds: 1,
    ...changes,
  };
}
