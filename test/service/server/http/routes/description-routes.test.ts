import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_IMAGE_BYTES, MAX_IMAGE_PIXELS } from '../../../../../src/engine/images/check-image.ts';
import { MAX_METADATA_BYTES } from '../../../../../src/engine/images/png-metadata.ts';
import { MAX_COMMENTS, MAX_HEADER_BLOCKS, MAX_STREAMS } from '../../../../../src/engine/media/check-comments.ts';
import { MAX_CLIP_SIDE_PIXELS, MAX_GIF_PIXELS } from '../../../../../src/engine/media/check-media.ts';
import {
  MAX_BOXES,
  MAX_FRAGMENTS,
  MAX_INDEX_BYTES,
  MAX_MEMORY_BYTES,
  MAX_SAMPLES,
  MAX_TRACKS,
} from '../../../../../src/engine/media/check-mp4.ts';
import { WEBM_BOUNDS } from '../../../../../src/engine/media/check-webm.ts';
import { MAX_FRAMES } from '../../../../../src/engine/media/decode-gif.ts';
import { MAX_MEDIA_SECONDS } from '../../../../../src/engine/media/open-media.ts';
import { HTTP_LIMITS } from '../../../../../src/service/server/http/http-limits.ts';
import { JSON_LIMITS } from '../../../../../src/service/server/http/json-body.ts';
import { SOURCE_LIMITS } from '../../../../../src/service/sessions/sources/describe-source.ts';
import { DEFAULT_FETCH_LIMITS } from '../../../../../src/service/sessions/sources/fetch-source.ts';
import {
  MAX_EXPANSION,
  MAX_PACKAGE_BYTES,
  MAX_PACKAGE_FILES,
} from '../../../../../src/template/archive/read-package-zip.ts';
import { MAX_DEPTH, MAX_EXPANDED_LAYERS } from '../../../../../src/template/lottie/check-animation.ts';
import { MAX_MANIFEST_LENGTH } from '../../../../../src/template/parse-manifest.ts';
import { ANIMATION_BOUNDS } from '../../../../../src/template/parse-template-package.ts';
import type { OpenApiDocument } from '../../../../support/open-api-document.ts';
import { startApp, type TestApp } from '../../../../support/service-app.ts';

const REFERENCE = readFileSync(join(import.meta.dirname, '../../../../../docs/reference/http-api.md'), 'utf8');

/** Rows of the tables under a heading, split into cells. */
function rowsUnder(heading: string): string[][] {
  const section = REFERENCE.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(1).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

let service: TestApp;
let _document: OpenApiDocument;
beforeAll(async () => {
  service = await startApp();
  _document = (await service.api('GET', '/openapi.json')).body;
});
afterAll(() => service.close());

describe('docs/reference/http-api.md', () => {
  it('states the actual limits', () => {
    const { bodyBytes, jsonDepth, uploadBytes, sourceBytes, uploadsAtOnce, uploadBytesAtOnce, headerBytes } =
      HTTP_LIMITS;
    const { streamsOfTenant, streamsAtOnce, streamMs } = HTTP_LIMITS;
    const { headersMs, bodyMs, uploadMs, waitMs, dryRunsAtOnce, keepAliveMs, stalledMs, idempotencyMs } = HTTP_LIMITS;
    const [fields, values, textLength] = Object.values(JSON_LIMITS).map((limit) => limit.toLocaleString('en'));
    const hours = MAX_MEDIA_SECONDS / 3600;
    const { tracks, clusters, blocks, clusterBlocks, clusterLacedFrames, indexEntries, tags, attachments } =
      WEBM_BOUNDS;
    expect(rowsUnder('Limits').map(([, limit]) => limit)).toEqual([
      `${bodyBytes / 2 ** 20} MiB, nested ${jsonDepth} levels, ${fields} fields in one object, ${values} values, ${textLength} characters in a text`,
      `${uploadBytes / 1e6} MB`,
      `${sourceBytes / 1e6} MB`,
      `${uploadsAtOnce}, with ${uploadBytesAtOnce / 1e6} MB together`,
      String(dryRunsAtOnce),
      `${streamsOfTenant} of a tenant and ${streamsAtOnce} of a process, ${streamMs / 1000} s each`,
      `${waitMs / 1000} s`,
      `${headerBytes / 1024} KiB`,
      '1 to 255 characters',
      `${headersMs / 1000} s`,
      `${bodyMs / 1000} s`,
      `${uploadMs / 1000} s`,
      `${keepAliveMs / 1000} s`,
      `${stalledMs / 1000} s`,
      `255 characters, kept ${idempotencyMs / 3_600_000} hours`,
      // The second table of the section.
      'limit',
      `${MAX_PACKAGE_BYTES / 2 ** 20} MiB, ${MAX_PACKAGE_FILES.toLocaleString('en')} files, 500 editables with 1 MB of labels and examples, 50 still cuts`,
      `${MAX_EXPANSION} times its size in the zip`,
      `${MAX_MANIFEST_LENGTH / 1024} KiB (${grouped(MAX_MANIFEST_LENGTH)} characters)`,
      `${grouped(ANIMATION_BOUNDS.values)} values (names of fields count as well), ${grouped(ANIMATION_BOUNDS.numberBytes)} characters in a number, ${MAX_DEPTH} levels; ${grouped(MAX_EXPANDED_LAYERS)} layers, those of compositions counted wherever they are shown`,
      `${MAX_IMAGE_BYTES / 1e6} MB, ${MAX_IMAGE_PIXELS / 1e6} megapixels; PNG, JPEG, WebP, GIF or AVIF`,
      `${SOURCE_LIMITS.video.maxBytes / 1e6} MB, ${MAX_CLIP_SIDE_PIXELS} pixels a side, ${hours} hours; MP4 or MOV with H.264, H.265, AV1, ProRes, QuickTime Animation or PNG, WebM, or GIF`,
      `${SOURCE_LIMITS.audio.maxBytes / 1e6} MB, ${hours} hours; MP3, WAV, AIFF, CAF, M4A with AAC or Apple Lossless, AAC, FLAC, Ogg with Opus or Vorbis, AC-3, Windows Media Audio 1 and 2, or the sound of an MP4, MOV or WebM`,
      `index (\`moov\`) of ${MAX_INDEX_BYTES / 1e6} MB, ${MAX_TRACKS} tracks, ${grouped(MAX_SAMPLES)} samples, ${grouped(MAX_FRAGMENTS)} fragments, ${grouped(MAX_BOXES)} boxes; tables that take ${MAX_MEMORY_BYTES / 1e6} MB to read: about five hours of 60 pictures a second with sound`,
      `${tracks} tracks, ${grouped(clusters)} clusters, ${grouped(blocks)} blocks, ${grouped(clusterBlocks)} blocks and ${grouped(clusterLacedFrames)} frames that share blocks in a cluster, ${grouped(indexEntries)} entries of the index, ${grouped(tags)} tags, ${grouped(attachments)} attachments`,
      '10,000 chunks, 4,000,000 packets; WMA: 1,000 objects, packets of 64 KiB',
      `${MAX_METADATA_BYTES / 1e6} MB after decompression`,
      `${grouped(MAX_HEADER_BLOCKS)} blocks before the sound, ${MAX_STREAMS} streams, ${grouped(MAX_COMMENTS)} comments`,
      `${grouped(MAX_FRAMES)}, with ${grouped(MAX_GIF_PIXELS)} pixels in all`,
      '16',
      '500 MB',
      expect.stringContaining('`Retry-After`'),
      expect.stringContaining('20 in a row'),
      `${DEFAULT_FETCH_LIMITS.timeoutMs / 1000} s, ${DEFAULT_FETCH_LIMITS.maxRedirects} redirects`,
      `${SOURCE_LIMITS.video.timeoutMs! / 1000} s, ${DEFAULT_FETCH_LIMITS.maxRedirects} redirects`,
    ]);
  });
});
