import { CAPTION_STYLES } from '../../contract/captions/caption-styles.ts';
import { RULE_PROFILES } from '../../contract/captions/rule-profiles.ts';
import { SIDECAR_FORMATS } from '../../contract/captions/write-captions.ts';
import { CAPTION_STYLE_FIELDS } from '../../contract/fields/caption-style-fields.ts';
import { MAX_CAPTION_FONTS, MAX_CUES } from '../../contract/wire/captions.ts';
import { TRACK_NAME } from '../../contract/wire/mapping.ts';
import { defined } from '../../kernel/defined.ts';
import { type JsonSchema, when } from '../../kernel/json-schema/json-schema.ts';
import {
  booleanSchema,
  type DefinitionForm,
  fieldRules,
  fieldSchemas,
  languageSchema,
  numberSchema,
  textSchema,
} from './value-schemas.ts';

/** Returns the schema of the captions of a video or a scene. */
export function captionsSchema(form: DefinitionForm): JsonSchema {
  return {
    description: 'The timed texts of the video or the scene: shown in the picture, beside the file and inside it.',
    type: 'object',
    additionalProperties: false,
    properties: {
      from: sourceSchema(form),
      style: {
        description: `How captions look: a style of "caption_styles" in reelform.yaml, a built-in one (${BUILT_IN.join(', ')}), or a map.`,
        ...when({ type: 'object' }, captionStyleSchema(form), {
          type: 'string',
          minLength: 1,
          ...(form === 'file' && { examples: BUILT_IN }),
        }),
      },
      burn: { description: 'False not to show them in the picture. True by default.', ...booleanSchema(form) },
      lang: {
        description: 'Language of the texts as a BCP 47 tag. It decides about rules and the tracks inside files.',
        ...languageSchema(form),
      },
      fonts: {
        description: 'Further fonts, in order, for characters that the font of the style lacks.',
        type: 'array',
        minItems: 1,
        maxItems: MAX_CAPTION_FONTS,
        items: { type: 'string', minLength: 1, maxLength: 100 },
      },
      files: {
        description: 'Files beside the video.',
        type: 'array',
        items: { enum: SIDECAR_FORMATS },
        examples: [['vtt', 'srt']],
      },
      embed: {
        description: 'True to add them to the video file as a track that players show on request. False by default.',
        ...booleanSchema(form),
      },
      rules: {
        description:
          'Rules that lint checks: reading speed, lengths of lines, durations, gaps and cuts. none by default.',
        ...(form === 'file'
          ? { type: 'string', examples: Object.keys(RULE_PROFILES) }
          : { enum: [...Object.keys(RULE_PROFILES), 'none'] }),
      },
    },
    ...(form === 'file' && {
      defaultSnippets: [
        { label: 'from a file', body: { from: './captions/${1:en}.vtt', style: 'clean' } },
        { label: 'from a track with words', body: { from: { track: '${1:voice}' }, style: 'clean' } },
        { label: 'in the definition', body: { from: [{ start: 0, end: 2, text: '${1:Text}' }], style: 'clean' } },
      ],
    }),
  };
}

const BUILT_IN = Object.keys(CAPTION_STYLES);

function sourceSchema(form: DefinitionForm): JsonSchema {
  const seconds: JsonSchema = numberSchema(form, { minimum: 0 });
  const cue: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['start', 'end', 'text'],
    properties: {
      start: { description: 'Seconds from the start of the video or of the scene.', ...seconds },
      end: { description: 'Seconds, after the start.', ...seconds },
      text: { description: 'One or more lines.', ...textSchema(form, 1000) },
      speaker: { description: 'Who speaks, for the files beside the video.', ...textSchema(form, 100) },
    },
  };
  const track: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['track'],
    properties: {
      track: {
        description: 'Name of a track whose words are known: in the video, and in each of its scenes that has it.',
        type: 'string',
        ...(form === 'video' && { pattern: TRACK_NAME.source }),
        examples: ['voice'],
      },
    },
  };
  const path: JsonSchema = { type: 'string', minLength: 1, examples: ['./captions/en.vtt'] };
  return {
    description: 'A WebVTT, SubRip or ASS file; {track: voice}; or a list of {start, end, text}.',
    ...when(
      { type: 'array' },
      { type: 'array', minItems: 1, maxItems: MAX_CUES, items: cue },
      when({ type: 'object' }, track, path),
    ),
  };
}

/** Returns the schema of a style of captions. */
export function captionStyleSchema(form: DefinitionForm): JsonSchema {
  const rules = fieldRules(CAPTION_STYLE_FIELDS);
  const settings = (description: string, limits: JsonSchema): JsonSchema => ({
    description,
    type: 'object',
    propertyNames: {
      pattern: '^[A-Za-z0-9]{4}$',
      patternErrorMessage: 'Must be a tag of four letters or digits, like wght',
    },
    additionalProperties: numberSchema(form, limits),
  });
  return {
    description: 'How captions look.',
    type: 'object',
    additionalProperties: false,
    properties: {
      extends: { description: 'A named style that this one starts from.', type: 'string', minLength: 1 },
      ...fieldSchemas(CAPTION_STYLE_FIELDS, form),
      axes: settings('Axes of a variable font: tag → position.', {}),
      features: settings('OpenType features: tag → 0, 1, or the number of an alternate.', {
        minimum: 0,
        multipleOf: 1,
      }),
    },
    ...defined({ allOf: rules.length === 0 ? undefined : rules }),
  };
}
