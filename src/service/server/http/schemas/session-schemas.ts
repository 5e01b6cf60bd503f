import { fieldList } from '../../../../contract/fields/field.ts';
import { OUTPUT_FIELDS } from '../../../../contract/fields/output-fields.ts';
import { TRANSFORM_FIELDS } from '../../../../contract/fields/transform-fields.ts';
import { MAX_OUTPUTS, OUTPUT_NAME } from '../../../../contract/wire/output.ts';
import { CAPTIONS } from './caption-schemas.ts';
import { EXAMPLES } from './examples.ts';
import { REQUESTED_UPLOADS, SESSION_UPLOADS } from './external-upload-schemas.ts';
import { fieldSchemas } from './field-schemas.ts';
import {
  type Component,
  closedObjectOf,
  identifierSchema,
  listOf,
  objectOf,
  ref,
  type Schema,
  TIMESTAMP,
} from './json-schema.ts';
import { REQUEST_PROBLEM } from './responses.ts';
import { requestedScenes, SCENE_FIELD, sessionScenes } from './scene-schemas.ts';
import { OPTION_FIELDS, OPTION_NAMES } from './session-option-schemas.ts';
import { AUDIO_TRACKS, fieldsBeyond, LOUDNESS, MEASURED_LOUDNESS } from './sound-schemas.ts';

const ONLY_VIDEO_FIELDS = fieldsBeyond(TRANSFORM_FIELDS.video, TRANSFORM_FIELDS.image);
/** `Sessions` validates the resources against the template and reports all mistakes at once. */
const RESOURCES: Schema = {
  type: 'object',
  additionalProperties: true,
  description: [
    'Editable key → its value: `{source: {text}}` for a text or colour, `{source: {font}}` for a font, `{source: {remote_url}, transform}` for an image, video or sound.',
    `The \`transform\` of an image or a video:\n\n${fieldList(TRANSFORM_FIELDS.image)}`,
    `That of a video also has:\n\n${fieldList(ONLY_VIDEO_FIELDS)}`,
    `The \`transform\` of a sound:\n\n${fieldList(TRANSFORM_FIELDS.audio)}`,
  ].join('\n\n'),
  examples: [EXAMPLES.resources],
};
const NAMED: Schema = { type: 'object', additionalProperties: true };
const FONT_CHANGES: Schema = {
  ...NAMED,
  description: 'Font of the template → `{source: {font}}`, its replacement: one of `available_fonts` or `fonts`',
  examples: [EXAMPLES.fontChanges],
};
const STYLE_VERSION_ID: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  description: 'The `id` of the style version',
  examples: ['tsv_9c41e7d2'],
};

const MAPPING_ID: Schema = {
  type: 'string',
  maxLength: 128,
  description: 'Ignored. The service assigns an id to each mapping',
};
const REQUESTED_MAPPING: Schema = closedObjectOf(
  {
    id: MAPPING_ID,
    template_style_version_id: STYLE_VERSION_ID,
    resources: RESOURCES,
    audio_tracks: AUDIO_TRACKS,
    font_changes: FONT_CHANGES,
  },
  ['id', 'resources', 'audio_tracks', 'font_changes'],
);
const { audio_tracks: _tracks, ...sceneMapping } = REQUESTED_MAPPING.properties as Record<string, Schema>;
const SCENE_MAPPING = closedObjectOf(sceneMapping, ['id', 'resources', 'font_changes']);
const CHANGES: Schema = {
  type: 'object',
  additionalProperties: true,
  description: 'Entries by key, as in a new session. Null removes an entry; absent keys are unchanged',
};

const CHANGED_MAPPING: Schema = closedObjectOf(
  {
    id: MAPPING_ID,
    template_style_version_id: { ...STYLE_VERSION_ID, description: 'Style version of the draft. It cannot be changed' },
    resources: CHANGES,
    audio_tracks: CHANGES,
    font_changes: CHANGES,
  },
  ['id', 'template_style_version_id', 'resources', 'audio_tracks', 'font_changes'],
);

export const SESSION_STATUSES = [
  'draft',
  'preview_rendering',
  'preview_rendered',
  'preview_failed',
  'preview_canceled',
] as const;

const OUTPUT_SCHEMAS = fieldSchemas(OUTPUT_FIELDS);
const OPTIONAL_OUTPUT_FIELDS = Object.keys(OUTPUT_SCHEMAS);
const OUTPUT_NAME_FIELD: Schema = {
  type: 'string',
  pattern: OUTPUT_NAME.source,
  description: 'Unique among the outputs; part of the name of the file',
  examples: ['web'],
};

const TITLE: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'Title of the video',
  examples: ['Berlin'],
};
const ASKED_OUTPUT: Schema = closedObjectOf(OUTPUT_SCHEMAS, OPTIONAL_OUTPUT_FIELDS);
const ASKED_OUTPUTS: Schema = {
  ...listOf(closedObjectOf({ name: OUTPUT_NAME_FIELD, ...OUTPUT_SCHEMAS }, OPTIONAL_OUTPUT_FIELDS)),
  minItems: 1,
  maxItems: MAX_OUTPUTS,
  description:
    'Several files of the video, instead of `output`. The first is the main one, to which `video_url` leads. Files of the same size, rate and background are made from the same drawn frames',
};
const FIRST_UPLOADS: Schema = {
  ...REQUESTED_UPLOADS,
  description:
    "Destinations of the finished file, in addition to the tenant's default destinations. `[]` disables all deliveries",
};

const SCENES_NAMES = Object.keys(requestedScenes(SCENE_MAPPING));
const FILLED: Schema = { required: ['resources'] };

export const CREATE_RENDER_SESSION: Component = {
  $id: 'CreateRenderSession',
  description: 'A new render session.',
  ...closedObjectOf(
    {
      title: TITLE,
      render: {
        type: 'string',
        enum: ['preview'],
        description:
          'Renders immediately; the `resources` of all mappings are then required, and all editables must have values. If absent, a draft is created, whose editables may stay empty',
      },
      mapping: REQUESTED_MAPPING,
      ...requestedScenes(SCENE_MAPPING),
      output: ASKED_OUTPUT,
      loudness: LOUDNESS,
      captions: CAPTIONS,
      outputs: ASKED_OUTPUTS,
      external_uploads: FIRST_UPLOADS,
      ...OPTION_FIELDS,
      edit_token: {
        type: 'boolean',
        description: 'Adds an `edit_token` to the response. It is valid for this session only, for 24 hours',
      },
    },
    [
      'title',
      'render',
      'mapping',
      ...SCENES_NAMES,
      'output',
      'loudness',
      'captions',
      'outputs',
      'external_uploads',
      'edit_token',
      ...OPTION_NAMES,
    ],
  ),
  // `readRequest` rejects a request with both.
  allOf: [{ required: ['title'] }, { if: { required: ['scenes'] }, else: { required: ['mapping'] } }],
  dependentSchemas: {
    render: { properties: { mapping: FILLED, scenes: { items: { properties: { mapping: FILLED } } } } },
  },
  examples: [EXAMPLES.request, EXAMPLES.requestOfScenes],
};

export const CREATE_VIDEO: Component = {
  $id: 'CreateVideo',
  description: 'A video that is rendered immediately.',
  ...closedObjectOf(
    {
      title: TITLE,
      mapping: { ...REQUESTED_MAPPING, required: ['template_style_version_id', 'resources'] },
      output: ASKED_OUTPUT,
      loudness: LOUDNESS,
      captions: CAPTIONS,
      outputs: ASKED_OUTPUTS,
      external_uploads: FIRST_UPLOADS,
      ...OPTION_FIELDS,
    },
    ['output', 'loudness', 'captions', 'outputs', 'external_uploads', ...OPTION_NAMES],
  ),
};

export const CHANGE_RENDER_SESSION: Component = {
  $id: 'ChangeRenderSession',
  description: 'Changes to the mapping of a draft.',
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
    scene: SCENE_FIELD,
    severity: { type: 'string', enum: ['error', 'warning'] },
    retryable: { type: 'boolean', description: 'Whether the same request may succeed if retried' },
    occurred_at: TIMESTAMP,
  },
  ['detail', 'pointer', 'editable', 'scene'],
);

const SOURCE: Schema = objectOf(
  {
    key: { type: 'string', description: 'Key of the editable, `audio_tracks.` and the name of a track, or `captions`' },
    scene: SCENE_FIELD,
    remote_url: { type: 'string' },
    status: { type: 'string', enum: ['fetched', 'failed'] },
    sha256: { type: 'string' },
    content_type: { type: 'string' },
    bytes: { type: 'integer' },
    width: { type: 'integer', description: 'Pixels' },
    height: { type: 'integer', description: 'Pixels' },
  },
  ['scene', 'sha256', 'content_type', 'bytes', 'width', 'height'],
);

const SECONDS: Schema = { type: 'number', description: 'Seconds' };

export const RENDER_SESSION: Component = {
  $id: 'RenderSession',
  description: 'A render session. It produces one video.',
  examples: [EXAMPLES.session],
  ...objectOf(
    {
      id: identifierSchema('Identifier', 'rs_81f2c0'),
      title: { type: 'string', description: 'Title from the request' },
      status: {
        type: 'string',
        enum: [...SESSION_STATUSES],
        description: 'Terminal: `preview_rendered`, `preview_failed` and `preview_canceled`',
      },
      render_progress: {
        type: 'integer',
        minimum: 0,
        maximum: 100,
        description: 'Percentage. Never decreases, and is 100 only in `preview_rendered`',
      },
      thumbnails: listOf(
        { type: 'string', format: 'uri' },
        { description: 'Image URLs; empty until the video is rendered' },
      ),
      video_url: {
        type: ['string', 'null'],
        description: 'Stable, unguessable URL of the video; null until it is ready',
      },
      errors: listOf(SESSION_ERROR, {
        description:
          'Not empty in `preview_failed`. In `preview_rendered` it contains only warnings, about texts that did not render well',
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
      ...sessionScenes(
        objectOf({ template_style_version_id: { type: 'string' }, resources: RESOURCES, font_changes: FONT_CHANGES }, [
          'font_changes',
        ]),
      ),
      audio_tracks: AUDIO_TRACKS,
      font_changes: FONT_CHANGES,
      source_uploads: listOf(SOURCE, { description: 'Sources that the video was rendered from' }),
      fonts: listOf({ type: 'string' }, { description: 'Names of the fonts that the texts use' }),
      phase: {
        type: 'string',
        enum: ['queued', 'fetching', 'rendering', 'encoding', 'uploading', 'done'],
        description: 'More detailed than the status',
      },
      terminal: { type: 'boolean', description: 'Whether the session has ended and its status is final' },
      download_url: {
        type: ['string', 'null'],
        description: 'Signed URL that expires; later responses contain a new one. Returns the video as an attachment',
      },
      expires_at: { type: ['string', 'null'], description: 'Time at which the session is removed; null for never' },
      video_sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the video file' },
      measured_loudness: MEASURED_LOUDNESS,
      render_segments: {
        ...objectOf({
          done: { type: 'integer', minimum: 0, description: 'Number of finished segments, rendered or reused' },
          total: { type: 'integer', minimum: 1 },
          reused: { type: 'integer', minimum: 0, description: 'Number of segments that were reused from the cache' },
        }),
        description: 'Progress of a video that is rendered in segments of two seconds; absent otherwise',
      },
      usage: {
        ...objectOf({
          queue_seconds: SECONDS,
          render_seconds: SECONDS,
          frames: { type: 'integer' },
          bytes: { type: 'integer', description: 'Properties of the video' },
        }),
        description: 'Time and resources used; absent until the session has ended',
      },
      output: objectOf(OUTPUT_SCHEMAS, OPTIONAL_OUTPUT_FIELDS),
      loudness: LOUDNESS,
      captions: CAPTIONS,
      outputs: listOf(
        objectOf(
          {
            name: OUTPUT_NAME_FIELD,
            ...OUTPUT_SCHEMAS,
            video_url: { type: ['string', 'null'], description: 'URL of the file; null until it is ready' },
            bytes: { type: 'integer', description: 'Size of the file' },
            video_sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the file' },
            measured_loudness: MEASURED_LOUDNESS,
          },
          [...OPTIONAL_OUTPUT_FIELDS, 'bytes', 'video_sha256', 'measured_loudness'],
        ),
        { description: 'Files of a request with `outputs`, the main one first; absent otherwise' },
      ),
      missing_editables: listOf(
        { type: 'string' },
        { description: 'For drafts: keys of the editables that need a value before rendering' },
      ),
      external_uploads: SESSION_UPLOADS,
      ...OPTION_FIELDS,
    },
    [
      'scenes',
      'size',
      'rate',
      'frames',
      'loudness',
      'captions',
      'phase',
      'terminal',
      'download_url',
      'expires_at',
      'video_sha256',
      'measured_loudness',
      'render_segments',
      'usage',
      'output',
      'outputs',
      'missing_editables',
      'external_uploads',
      ...OPTION_NAMES,
    ],
  ),
};

export const DRY_RUN: Component = {
  $id: 'DryRun',
  description: 'Result of a dry run.',
  examples: [EXAMPLES.dryRun],
  ...objectOf({
    valid: { type: 'boolean' },
    errors: listOf(ref(REQUEST_PROBLEM), { description: 'Mistakes that a 422 response would list' }),
    warnings: listOf(ref(REQUEST_PROBLEM)),
    estimate: {
      anyOf: [objectOf({ frames: { type: 'integer' }, render_seconds: { type: 'number' } }), { type: 'null' }],
    },
  }),
};

export const SOURCE_UPLOAD: Component = {
  $id: 'SourceUpload',
  description: 'An uploaded file that mappings can use.',
  examples: [EXAMPLES.upload],
  ...objectOf(
    {
      remote_url: { type: 'string', format: 'uri', description: 'Value for `source.remote_url`' },
      sha256: { type: 'string' },
      bytes: { type: 'integer' },
      content_type: { type: 'string', examples: ['image/png'] },
      width: { type: 'integer', description: 'In pixels, for images and videos' },
      height: { type: 'integer', description: 'In pixels, for images and videos' },
    },
    ['width', 'height'],
  ),
};
