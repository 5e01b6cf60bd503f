import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type InputId, inputName, parseInputName } from '../../../src/reconciler/lock/input-names.ts';

describe('inputName()', () => {
  it.each<[string, InputId]>([
    ['t_01', { kind: 'editable', name: 't_01' }],
    ['editables.t_01', { kind: 'editable', name: 'editables.t_01' }],
    ['audio', { kind: 'editable', name: 'audio' }],
    ['outputs', { kind: 'editable', name: 'outputs' }],
    ['audio.voice', { kind: 'track', name: 'voice' }],
    ['editables.audio.voice', { kind: 'editable', name: 'audio.voice' }],
    ['editables.editables.audio.voice', { kind: 'editable', name: 'editables.audio.voice' }],
    ['fonts.Inter', { kind: 'font', name: 'Inter' }],
    ['output', { kind: 'output', name: '' }],
    ['editables.output', { kind: 'editable', name: 'output' }],
    ['loudness', { kind: 'loudness', name: '' }],
    ['editables.loudness', { kind: 'editable', name: 'loudness' }],
    ['outputs.square', { kind: 'output', name: 'square' }],
  ])('names %s', (name, id) => {
    expect(inputName(id)).toBe(name);
    expect(parseInputName(name)).toEqual(id);
  });

  it('gives every input a name of its own', () => {
    const step = fc.constantFrom('audio', 'fonts', 'outputs', 'output', 'loudness', 'editables', 'voice', '.', '..');
    const name = fc.array(step, { minLength: 1, maxLength: 6 }).map((steps) => steps.join('').replaceAll('..', '.'));
    const kind = fc.constantFrom('editable', 'track', 'font', 'output');
    fc.assert(
      fc.property(fc.record({ kind, name }), (id) => {
        expect(parseInputName(inputName(id as InputId))).toEqual(id);
      }),
    );
  });
});
