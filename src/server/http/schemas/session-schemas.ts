import { MAX_OUTPUT_FPS, MIN_SIDE_PIXELS } from '../../../template/bind/resolve-output.ts';
import { MAX_SIDE_PIXELS } from '../../../template/lottie/check-animation.ts';
import { OUTPUT_CODECS, OUTPUT_FORMATS, OUTPUT_QUALITIES } from '../../../wire/output.ts';
import { EXAMPLES } from './examples.ts';
import { REQUESTED_UPLOADS, SESSION_UPLOADS } from './external-upload-schemas.ts';
import {
  type Component,
  closedObjectOf,
  idSchema,
  listOf,
  objectOf,
  ref,
  type Schema,
  TIMESTAMP,
} from './json-schema.ts';
import { AUDIO_TRACKS, CHANGED_MAPPING, FONT_CHANGES, REQUESTED_MAPPING, RESOURCES } from './mapping-schemas.ts';
import { REQUEST_PROBLEM } from './responses.ts';

export const SESSION_STATUSES = [
  'draft',
  'preview_rendering',
  'preview_rendered',
  'preview_failed',
  'preview_canceled',
] as const;

const OUTPUT_FIELDS = {
  format: {
    type: 'string',
    enum: OUTPUT_FORMATS,
    description:
      'mp4 when absent. `mov` is ProRes, for editors; `webm`, `gif` and `webp` (animated) and `png` can be transparent; `png` is the first still, `png_sequence` a zip of all frames',
  },
  height: {
    type: 'integer',
    minimum: MIN_SIDE_PIXELS,
    maximum: MAX_SIDE_PIXELS,
    description: "Pixels, an even number; the width follows. The template's own when absent",
  },
  fps: {
    type: 'number',
    minimum: 1,
    maximum: MAX_OUTPUT_FPS,
    description: "Frames per second; the template's own when absent",
  },
  quality: { type: 'string', enum: OUTPUT_QUALITIES, description: 'high when absent' },
  codec: {
    type: 'string',
    enum: OUTPUT_CODECS,
    description:
      'Of an MP4: h264 (when absent), hevc, av1. Of a MOV: prores422 (when absent), prores4444, which has alpha',
  },
};
const OPTIONAL_OUTPUT_FIELDS = Object.keys(OUTPUT_FIELDS);

const TITLE: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'Title of the video',
  examples: ['Berlin'],
};
const ASKED_OUTPUT: Schema = closedObjectOf(OUTPUT_FIELDS, OPTIONAL_OUTPUT_FIELDS);
const FIRST_UPLOADS: Schema = {
  ...REQUESTED_UPLOADS,
  description:
    "Where the finished file is delivered; the tenant's own destinations come on top. `[]` is nowhere at all",
};

export const CREATE_RENDER_SESSION: Component = {
  $id: 'CreateRenderSession',
  description: 'A video to be made.',
  ...closedObjectOf(
    {
      title: TITLE,
      render: {
        type: 'string',
        enum: ['preview'],
        description: 'Renders at once, with every editable filled; a draft when absent, which may leave some for later',
      },
      mapping: REQUESTED_MAPPING,
      output: ASKED_OUTPUT,
      external_uploads: FIRST_UPLOADS,
      edit_token: {
        type: 'boolean',
        description: 'Adds an `edit_token` to the answer, which works for this session alone and for 24 hours',
      },
    },
    ['render', 'output', 'external_uploads', 'edit_token'],
  ),
  dependentSchemas: { render: { properties: { mapping: { required: ['resources'] } } } },
  examples: [EXAMPLES.request],
};

export const CREATE_VIDEO: Component = {
  $id: 'CreateVideo',
  description: 'A video that is rendered at once.',
  ...closedObjectOf(
    {
      title: TITLE,
      mapping: { ...REQUESTED_MAPPING, required: ['template_style_version_id', 'resources'] },
      output: ASKED_OUTPUT,
      external_uploads: FIRST_UPLOADS,
    },
    ['output', 'external_uploads'],
  ),
};

export const CHANGE_RENDER_SESSION: Component = {
  $id: 'ChangeRenderSession',
  description: 'What changes in the mapping of a draft.',
  ...closedObjectOf({
    mapping: CHANGED_MAPPING,
  }),
  examples: [{ mapping: { resources: { t_01: { source: { text: 'Summer Collection' } }, c_01: null } } }],
};

const SESSION_ERROR: Schema = objectOf(
  {
    code: { type: 'string', examples: ['asset_unreachable'] },
    title: { type: 'string' },
    detail: { type: 'string' },
    pointer: { type: 'string', description: 'JSON pointer into the request' },
    editable: { type: 'string' },
    severity: { type: 'string', enum: ['error', 'warning'] },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed later' },
    occurred_at: TIMESTAMP,
  },
  ['detail', 'pointer', 'editable'],
);

const SOURCE: Schema = objectOf(
  {
    key: { type: 'string', description: 'The editable that it fills, or `audio_tracks.` and the name of a track' },
    remote_url: { type: 'string' },
    status: { type: 'string', enum: ['fetched', 'failed'] },
    sha256: { type: 'string' },
    content_type: { type: 'string' },
    bytes: { type: 'integer' },
    width: { type: 'integer', description: 'Pixels' },
    height: { type: 'integer', description: 'Pixels' },
  },
  ['sha256', 'content_type', 'bytes', 'width', 'height'],
);

const SECONDS: Schema = { type: 'number', description: 'Seconds' };

export const RENDER_SESSION: Component = {
  $id: 'RenderSession',
  description: 'A video that is being made, or was.',
  examples: [EXAMPLES.session],
  ...objectOf(
    {
      id: idSchema('Identifier', 'rs_81f2c0'),
      title: { type: 'string', description: 'As sent' },
      status: {
        type: 'string',
        enum: [...SESSION_STATUSES],
        description: 'Ended: `preview_rendered`, `preview_failed` and `preview_canceled`',
      },
      render_progress: {
        type: 'integer',
        minimum: 0,
        maximum: 100,
        description: 'Per cent; never falls, and is 100 in `preview_rendered` alone',
      },
      thumbnails: listOf({ type: 'string', format: 'uri' }, { description: 'Image URLs; empty until it is rendered' }),
      video_url: {
        type: ['string', 'null'],
        description: 'Stable, and not to be guessed; null until the video is ready',
      },
      errors: listOf(SESSION_ERROR, {
        description:
          'Not empty in `preview_failed`; in `preview_rendered` warnings alone, of texts that came out badly',
      }),
      created_at: TIMESTAMP,
      updated_at: TIMESTAMP,
      mapping: objectOf(
        {
          id: { type: 'string' },
          template_style_version_id: { type: 'string' },
          resources: RESOURCES,
          audio_tracks: AUDIO_TRACKS,
          font_changes: FONT_CHANGES,
        },
        ['audio_tracks', 'font_changes'],
      ),
      audio_tracks: AUDIO_TRACKS,
      font_changes: FONT_CHANGES,
      source_uploads: listOf(SOURCE, { description: 'The sources that it was rendered from' }),
      fonts: listOf({ type: 'string' }, { description: 'Names of the fonts that its texts are set in' }),
      phase: {
        type: 'string',
        enum: ['queued', 'fetching', 'rendering', 'encoding', 'uploading', 'done'],
        description: 'Finer than the status',
      },
      terminal: { type: 'boolean', description: 'Whether it will not change any more by itself' },
      download_url: {
        type: ['string', 'null'],
        description: 'Signed, and expires: made anew for later answers. Answers as an attachment',
      },
      expires_at: { type: ['string', 'null'], description: 'When it is removed; null for never' },
      video_sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the video file' },
      render_segments: {
        ...objectOf({
          done: { type: 'integer', minimum: 0, description: 'Finished segments, rendered or reused' },
          total: { type: 'integer', minimum: 1 },
          reused: { type: 'integer', minimum: 0, description: 'Finished segments that were not rendered again' },
        }),
        description: 'Progress of a video that is being rendered in segments of two seconds; absent otherwise',
      },
      usage: {
        ...objectOf({
          queue_seconds: SECONDS,
          render_seconds: SECONDS,
          frames: { type: 'integer' },
          bytes: { type: 'integer', description: 'Of the video' },
        }),
        description: 'What it took; absent until it has ended',
      },
      output: objectOf(OUTPUT_FIELDS, OPTIONAL_OUTPUT_FIELDS),
      missing_editables: listOf(
        { type: 'string' },
        { description: 'Of a draft: keys of the editables that have to be filled before it can be rendered' },
      ),
      external_uploads: SESSION_UPLOADS,
    },
    [
      'phase',
      'terminal',
      'download_url',
      'expires_at',
      'video_sha256',
      'render_segments',
      'usage',
      'output',
      'missing_editables',
      'external_uploads',
    ],
  ),
};

export const DRY_RUN: Component = {
  $id: 'DryRun',
  description: 'What a request would come to.',
  examples: [EXAMPLES.dryRun],
  ...objectOf({
    valid: { type: 'boolean' },
    errors: listOf(ref(REQUEST_PROBLEM), { description: 'What the 422 would list' }),
    warnings: listOf(ref(REQUEST_PROBLEM)),
    estimate: {
      anyOf: [objectOf({ frames: { type: 'integer' }, render_seconds: { type: 'number' } }), { type: 'null' }],
    },
  }),
};

export const SOURCE_UPLOAD: Component = {
  $id: 'SourceUpload',
  description: 'Bytes that mappings can use.',
  examples: [EXAMPLES.upload],
  ...objectOf(
    {
      remote_url: { type: 'string', format: 'uri', description: 'For `source.remote_url`' },
      sha256: { type: 'string' },
      bytes: { type: 'integer' },
      content_type: { type: 'string', examples: ['image/png'] },
      width: { type: 'integer', description: 'Pixels, of an image or a video' },
      height: { type: 'integer', description: 'Pixels, of an image or a video' },
    },
    ['width', 'height'],
  ),
};
