import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import configSchema from '../../../schemas/reelform-config.schema.json' with { type: 'json' };
import type { StyleVersion } from '../../../src/contract/wire/style-version.ts';
import { EDITOR_KEYWORDS, type JsonSchema } from '../../../src/kernel/json-schema/json-schema.ts';
import { parseVideoId } from '../../../src/reconciler/definition/video.ts';
import { captionStyleSchema } from '../../../src/reconciler/schema/captions-schema.ts';
import {
  additionsSchema,
  definitionFileSchema,
  definitionSchema,
} from '../../../src/reconciler/schema/definition-schema.ts';
import { kindSchemas } from '../../../src/reconciler/schema/resource-schemas.ts';
import { videoIdSchema } from '../../../src/reconciler/schema/value-schemas.ts';
import { checkTransform } from '../../../src/template/bind/check-mapping.ts';
import { checkOutput } from '../../../src/template/bind/resolve-output.ts';
import { runs } from '../../support/full-run.ts';
import { LAUNCH_SPEC } from '../../support/launch-spec.ts';
import { specArbitrary } from '../../support/spec-arbitrary.ts';

/**
 * Compiles a schema in Ajv's strict mode, which refuses unknown keywords, except that conditions may name properties
 * defined elsewhere.
 */
function compile(schema: JsonSchema, spec: StyleVersion = LAUNCH_SPEC): (value: unknown) => boolean {
  const ajv = new Ajv({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
    ownProperties: true,
  });
  ajv.addVocabulary(EDITOR_KEYWORDS);
  for (const [name, kind] of Object.entries(kindSchemas(Object.values(spec.editables), 'video')))
    ajv.addSchema(kind, name);
  return ajv.compile(schema);
}

const template = { name: 'launch', spec: LAUNCH_SPEC };
const whole = {
  template: 'launch',
  title: 'Summer',
  resources: { t_01: 'Hello', c_01: '#EEADA7', '(Footage)/USER/hero.jpg': './hero.jpg' },
};

describe('idSchema()', () => {
  it('accepts the ids that parseVideoId() accepts, and any with a placeholder', () => {
    const pattern = new RegExp(videoIdSchema().pattern!, 'u');
    const parts = fc.constantFrom('a', 'Z9', '.', '..', '...', '/', '-', '_', ' ', 'ü', '\\', '\n', 'x'.repeat(99));
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 6 }), (some) => {
        const id = some.join('');
        expect(pattern.test(id)).toBe(parseVideoId(id) !== null);
        expect(pattern.test(`a ${some.filter((part) => part !== '\n').join('')}\${x}`)).toBe(true);
      }),
      { numRuns: runs(1_000) },
    );
  });
});

describe('definitionSchema()', () => {
  it.each([
    ['a definition', definitionSchema(template, 'file')],
    ['a video', definitionSchema(template, 'video')],
    ['a video of any template', definitionSchema(null, 'video')],
    ['a file', definitionFileSchema()],
    ['the properties beside resources', additionsSchema(template)],
    ['those properties for any template', additionsSchema(null)],
    ['the configuration', configSchema as JsonSchema],
  ])('returns a strict draft-07 schema for %s', (_, schema) => {
    expect(() => compile(schema)).not.toThrow();
  });

  it('accepts the same videos and files if there are no placeholders', () => {
    expect(compile(definitionSchema(template, 'file'))(whole)).toBe(true);
    expect(compile(definitionSchema(template, 'video'))(whole)).toBe(true);
  });

  it('requires editables in a video, and in a file with a title that neither extends nor repeats', () => {
    const file = compile(definitionSchema(template, 'file'));
    const partial = { ...whole, resources: { t_01: 'Hello' } };
    const { title: _, ...part } = partial;
    expect(file(partial)).toBe(false);
    expect(file(part)).toBe(true);
    expect(file({ ...partial, extends: './_brand.yaml' })).toBe(true);
    expect(file({ ...partial, each: { from: 'rows.csv', id: '${x}' } })).toBe(true);
    expect(compile(definitionSchema(template, 'video'))(part)).toBe(false);
  });

  it('does not require optional editables or ones that cannot be filled', () => {
    const required = definitionSchema(template, 'video').allOf?.[0]?.properties?.resources as JsonSchema;
    expect(required.required).toEqual(['t_01', 'c_01', '(Footage)/USER/hero.jpg']);
  });

  it('accepts placeholders only in a file', () => {
    const resources = { t_01: '${a} and a text that is too long', c_01: '${c}', '(Footage)/USER/hero.jpg': '${p}.jpg' };
    expect(compile(definitionSchema(template, 'file'))({ ...whole, resources })).toBe(true);
    expect(compile(definitionSchema(template, 'video'))({ ...whole, resources })).toBe(false);
  });

  it('measures the length of text in code points', () => {
    const video = compile(definitionSchema(template, 'video'));
    const withHeadline = (t_01: string): unknown => ({ ...whole, resources: { ...whole.resources, t_01 } });
    expect(video(withHeadline('👍'.repeat(20)))).toBe(true);
    expect(video(withHeadline('👍'.repeat(21)))).toBe(false);
  });

  it('escapes markup in labels and examples', () => {
    const spec: StyleVersion = {
      id: 'x',
      fonts: [],
      editables: { t_01: { input_type: 'text', stillcut: 's', label: '[x](https://evil) <img>', example_text: '`a`' } },
    };
    const { properties } = definitionSchema({ name: 'x', spec }, 'file').properties!.resources as JsonSchema;
    const docs = (properties!.t_01 as JsonSchema).markdownDescription;
    expect(docs).toContain('\\[x\\]\\(https://evil\\) \\<img\\>');
    expect(docs).toContain('\\`a\\`');
  });

  it('returns a strict schema for every specification', () => {
    fc.assert(
      fc.property(specArbitrary, fc.constantFrom('file', 'video'), (spec, form) => {
        compile(definitionSchema({ name: 'x', spec }, form as 'video'), spec);
        if (form === 'video') compile(additionsSchema({ name: 'x', spec }), spec);
      }),
      { numRuns: runs(30) },
    );
  });
});

/** Numbers at and around every limit, and other values. */
const amount = fc.constantFrom<unknown>(-1, 0, 0.5, 1, 2, 3, 4, 4.5, 25, 120, 121, 720, 4096, 4098, '1', null, true);
const word = fc.constantFrom(
  'none',
  'manual',
  'cover',
  'contain',
  'fill',
  'slow',
  'fast',
  'zoom-in',
  'mp4',
  'low',
  'x',
);

describe('the schemas', () => {
  it('accept exactly the outputs that the engine accepts', () => {
    const takes = compile(additionsSchema(template));
    const output = fc.record(
      { format: word, height: amount, fps: amount, quality: word, hight: amount },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(output, (one) => {
        expect(takes({ output: one })).toBe(checkOutput(one, null).length === 0);
      }),
    );
  });

  it('are the same for an output in reelform.yaml', () => {
    const { output } = configSchema.properties;
    const inDefinitions = additionsSchema(null).properties?.output as JsonSchema;
    expect({ ...output, title: undefined, description: undefined }).toEqual({
      ...inDefinitions,
      title: undefined,
      description: undefined,
    });
  });

  it('are the same for styles of captions in reelform.yaml', () => {
    const { additionalProperties } = configSchema.properties.caption_styles;
    expect(additionalProperties).toEqual(JSON.parse(JSON.stringify(captionStyleSchema('video'))));
  });

  it.each([
    ['v_01', 'video', { trim_strategy: word, trim_start_time: amount, animate_strategy: word, animate_speed: word }],
    ['a_01', 'audio', { trim_start_time: amount, fade_in: amount, fade_out: amount, loop: amount }],
    ['(Footage)/USER/hero.jpg', 'image', {}],
  ] as const)('accept exactly the transforms of %s that the engine accepts', (key, kind, fields) => {
    const takes = compile(definitionSchema(template, 'video'));
    const crop = { crop_x: amount, crop_width: amount, focus_x: amount };
    const transform = fc.record(
      { crop_strategy: word, volume: amount, ...(kind === 'audio' ? {} : crop), ...fields },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(transform, (one) => {
        const resource = { source: { remote_url: 'x' }, transform: one };
        // A service accepts a speed without an animation; here it is reported because it is probably a mistake.
        fc.pre(!('animate_speed' in one) || ('animate_strategy' in one && one.animate_strategy !== 'none'));
        expect(takes({ ...whole, resources: { ...whole.resources, [key]: resource } })).toBe(
          checkTransform(one, kind).length === 0,
        );
      }),
      { numRuns: runs(300) },
    );
  });
});
