import { describe, expect, it } from 'vitest';
import { defaultsOf, expectedValue, type Field, isValueOf, phraseOf } from '../../../src/contract/fields/field.ts';
import { TRACK_FIELDS, TRANSFORM_FIELDS } from '../../../src/contract/fields/transform-fields.ts';

const { video, audio } = TRANSFORM_FIELDS;
const pan: Field = { kind: 'number', min: -1, max: 1, description: 'Position.' };

describe('isValueOf()', () => {
  it.each<[Field, readonly unknown[], readonly unknown[]]>([
    [video.crop_strategy, ['cover', 'manual'], ['stretch', '', null, 0]],
    [video.crop_x, [0, 0.5, 1e6], [-0.1, '0', Number.NaN, Infinity, null]],
    [video.crop_width, [0.1], [0, -1]],
    [video.focus_x, [0, 1], [1.01]],
    [video.background, ['EEADA7', '#eeada7ff'], ['red', 'EEADA', 0xeeada7]],
    [audio.loop, [true, false], ['true', 1]],
    [pan, [-1, 0, 1], [-1.1, 1.1]],
    [TRACK_FIELDS.duck_under, ['voice', 'line,voice-2'], ['', 'a b', 'a,', ['voice'], 1]],
    [TRACK_FIELDS.level, [-60, -16.5, 0], [1, '-16']],
    [{ kind: 'number', min: 2, multipleOf: 2, description: '' }, [2, 720], [3, 2.5]],
  ])('reads %j', (field, values, others) => {
    expect(values.filter((value) => !isValueOf(field, value))).toEqual([]);
    expect(others.filter((value) => isValueOf(field, value))).toEqual([]);
  });
});

it.each<[Field, string]>([
  [video.crop_x, 'a number from 0'],
  [video.crop_height, 'a number above 0'],
  [audio.volume, 'a number from 0 to 4'],
  [audio.fade_in, 'seconds from 0'],
  [audio.loop, 'true or false'],
  [video.background, '6 or 8 hexadecimal digits'],
  [video.animate_speed, 'one of slow, moderate, fast'],
  [pan, 'a number from -1 to 1'],
])('expectedValue() describes %j', (field, words) => {
  expect(expectedValue(field)).toBe(words);
});

it.each<[Field, string, string | null]>([
  [audio.fade_in, '0.5', 'fade-in 0.5 s'],
  [audio.loop, 'true', 'loop'],
  [audio.loop, 'false', null],
  [TRACK_FIELDS.level, '-16', 'level -16 LUFS'],
  [TRACK_FIELDS.duck_under, 'line,voice', 'ducks under line,voice'],
  [video.trim_strategy, 'manual', null],
  [video.animate_strategy, 'none', null],
  [video.animate_strategy, 'zoom-in', 'zoom-in'],
])('phraseOf() words %j with %s', (field, text, words) => {
  expect(phraseOf(field, text)).toBe(words);
});

describe('the tables', () => {
  it.each(Object.entries({ ...TRANSFORM_FIELDS, track: TRACK_FIELDS }))(
    'have valid defaults and relations for %s',
    (_, table) => {
      for (const [name, field] of Object.entries<Field>(table)) {
        if (field.default !== undefined) expect(isValueOf(field, field.default), name).toBe(true);
        const { onlyWith } = field;
        if (onlyWith === undefined) continue;
        const { value } = onlyWith;
        const choice = (table as Readonly<Record<string, Field>>)[onlyWith.field];
        expect(choice !== undefined && (value === undefined || isValueOf(choice, value)), name).toBe(true);
      }
    },
  );

  it('list the defaults of fields that have one', () => {
    expect(defaultsOf(audio)).toEqual({ trim_start_time: 0, volume: 1, fade_in: 0, fade_out: 0, loop: false });
  });
});
