import { CAPTION_FONTS } from '../../../../contract/captions/caption-style.ts';
import { CAPTION_STYLE_FIELDS } from '../../../../contract/fields/caption-style-fields.ts';
import { fieldList, LANGUAGE_TAG } from '../../../../contract/fields/field.ts';
import {
  MAX_CAPTION_FONTS,
  MAX_CAPTIONS_BYTES,
  MAX_CAPTIONS_LENGTH,
  MAX_CUES,
} from '../../../../contract/wire/captions.ts';
import { EXAMPLES } from './examples.ts';
import { fieldSchemas } from './field-schemas.ts';
import { closedObjectOf, listOf, type Schema } from './json-schema.ts';

const SETTINGS: Schema = { type: 'object', additionalProperties: { type: 'number' } };
const STYLE: Schema = {
  ...closedObjectOf(
    {
      ...fieldSchemas(CAPTION_STYLE_FIELDS),
      axes: { ...SETTINGS, description: 'Tag of an axis of a variable font → position' },
      features: { ...SETTINGS, description: 'Tag of an OpenType feature → 0, 1 or the number of an alternate' },
    },
    [...Object.keys(CAPTION_STYLE_FIELDS), 'axes', 'features'],
  ),
  description: `How the captions are drawn; they are not drawn if absent:\n\n${fieldList(CAPTION_STYLE_FIELDS)}`,
};

/** Captions of a video or a scene. */
export const CAPTIONS: Schema = {
  ...closedObjectOf(
    {
      source: {
        ...closedObjectOf(
          {
            remote_url: {
              type: 'string',
              minLength: 1,
              description: `URL of a file in UTF-8 with at most ${MAX_CAPTIONS_BYTES / 1_000_000} MB, or a source upload`,
            },
            text: {
              type: 'string',
              minLength: 1,
              maxLength: MAX_CAPTIONS_LENGTH,
              description: 'The content of such a file, in place of its URL',
            },
          },
          ['remote_url', 'text'],
        ),
        minProperties: 1,
        maxProperties: 1,
        description: `WebVTT with at most ${MAX_CUES} cues. Times count from the start of the video or of the scene, at whose end the captions end. Words may have times`,
      },
      style: STYLE,
      layer: {
        type: 'boolean',
        const: true,
        description:
          'Shows the captions in the texts of the templates whose kind is `captions`, in the font and box of the designer. Only without a style',
      },
      fonts: {
        ...listOf({ type: 'string' }),
        maxItems: MAX_CAPTION_FONTS,
        description: `Further fonts, in order, for characters that the font of the style lacks: fonts of the templates, or ${CAPTION_FONTS.join(', ')}`,
      },
      lang: {
        type: 'string',
        pattern: LANGUAGE_TAG.source,
        description: 'Language of the texts (BCP 47), which decides where lines break',
        examples: ['de'],
      },
      embed: {
        type: 'boolean',
        const: true,
        description: 'Adds the captions to files that can have them: as tx3g in MP4 and MOV, as WebVTT in WebM',
      },
    },
    ['style', 'layer', 'fonts', 'lang', 'embed'],
  ),
  description: 'Captions above everything else',
  examples: [EXAMPLES.captions],
};
