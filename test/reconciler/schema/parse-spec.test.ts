import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { schemaFiles } from '../../../src/reconciler/project/schema-files.ts';
import { parseSpec, specProblems } from '../../../src/reconciler/schema/parse-spec.ts';
import { LAUNCH_SPEC } from '../../support/launch-spec.ts';
import { specArbitrary } from '../../support/spec-arbitrary.ts';

const parse = (text: string): ReturnType<typeof parseSpec> => parseSpec('schemas/launch.spec.json', text);

function withEditable(editable: object): unknown {
  return { ...LAUNCH_SPEC, editables: { t_01: { input_type: 'text', stillcut: 's', ...editable } } };
}

describe('parseSpec()', () => {
  it('round-trips the output of schemaFiles(), including fields of newer services', () => {
    fc.assert(
      fc.property(specArbitrary, (spec) => {
        const newer = { ...spec, created_at: '2026-01-01' };
        expect(parse(schemaFiles('launch', newer)[0].text)).toEqual({ ok: true, value: newer });
      }),
    );
  });

  it.each([
    ['', 'not valid JSON'],
    ['{}', 'style_version is not an object'],
    ['{"style_version": []}', 'style_version is not an object'],
  ])('refuses %j', (text, message) => {
    expect(parse(text)).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'spec_invalid', message: expect.stringContaining(message) }],
    });
  });

  it.each(['audio.voice', 'fonts.Inter', 'outputs.square', 'output'])('accepts the editable %s', (key) => {
    const editables = { [key]: { input_type: 'text', stillcut: 's' } };
    expect(parse(JSON.stringify({ style_version: { ...LAUNCH_SPEC, editables } }))).toMatchObject({ ok: true });
  });

  it('locates an editable with an invalid field', () => {
    const editables = { t_01: { input_type: 'text' } };
    const text = JSON.stringify({ style_version: { ...LAUNCH_SPEC, editables } }, null, 2);
    const start = text.indexOf('"t_01"');
    const at = { file: 'schemas/launch.spec.json', start, end: start + '"t_01"'.length };
    expect(parse(text)).toMatchObject({ ok: false, diagnostics: [{ code: 'spec_invalid', at }] });
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.json(), (value) => {
        parse(value);
        parse(`{"style_version": ${value}}`);
        parse(`{"style_version": {"id": "x", "fonts": [], "editables": {"a": ${value}}}}`);
      }),
    );
  });
});

describe('specProblems()', () => {
  it.each([
    [{ ...LAUNCH_SPEC, id: '' }, 'style_version.id'],
    [{ ...LAUNCH_SPEC, id: 'x\u001b[2J' }, 'style_version.id'],
    [{ ...LAUNCH_SPEC, fonts: 'Inter' }, 'style_version.fonts'],
    [{ ...LAUNCH_SPEC, timing: {} }, 'style_version.timing'],
    [{ ...LAUNCH_SPEC, timing: [{ hold: 0.5 }] }, 'style_version.timing'],
    [{ ...LAUNCH_SPEC, timing: [{ loop: [1, 2], hold: 1 }] }, 'style_version.timing'],
    [{ ...LAUNCH_SPEC, timing: [{ loop: [1, 2], min: 1 }] }, 'style_version.timing'],
    [{ ...LAUNCH_SPEC, editables: [] }, 'style_version.editables'],
    [{ ...LAUNCH_SPEC, editables: JSON.parse('{"__proto__": {"input_type": "text", "stillcut": "s"}}') }, '__proto__'],
    [
      { ...LAUNCH_SPEC, editables: { 'a\nb': { input_type: 'text', stillcut: 's' } } },
      'is not a valid key of an editable',
    ],
    [{ ...LAUNCH_SPEC, editables: { a: null } }, 'is not an object'],
    [withEditable({ input_type: 7 }), 'input_type'],
    [withEditable({ stillcut: undefined }), 'stillcut'],
    [withEditable({ example_text: 7 }), 'example_text'],
    [withEditable({ width: '7' }), 'width'],
    [withEditable({ max_length: 0 }), 'max_length'],
    [withEditable({ required: 'no' }), 'required'],
    [withEditable({ label: 'x'.repeat(201) }), 'label'],
  ])('reports the problem in %j', (value, named) => {
    expect(specProblems(value)).toEqual([expect.stringContaining(named)]);
  });

  it('accepts unknown kinds of editables', () => {
    expect(specProblems(withEditable({ input_type: 'hologram' }))).toEqual([]);
  });

  it('refuses more than 500 editables', () => {
    const editables = Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`t_${i}`, LAUNCH_SPEC.editables.t_01]));
    expect(specProblems({ ...LAUNCH_SPEC, editables })).toEqual([expect.stringContaining('501 editables')]);
  });
});
