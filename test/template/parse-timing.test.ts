import { describe, expect, it } from 'vitest';
import { templateLengths } from '../../src/template/package-timing.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import type { TemplatePackage } from '../../src/template/template-package.ts';
import { SMALL_MANIFEST, smallAnimation, smallPackage, smallPackageFiles } from '../support/small-package.ts';

/** The small template, ten frames in a second, with lines of `timing`. */
function parse(...places: readonly string[]) {
  return parseText(`timing:\n${places.map((place) => `  - ${place}\n`).join('')}`);
}

function parseText(timing: string, fr = 10) {
  const animation = JSON.stringify({ ...smallAnimation(), fr });
  const files = smallPackageFiles({ 'template.yaml': `${SMALL_MANIFEST}${timing}`, 'animation.json': animation });
  return parseTemplatePackage('templates/small', files);
}

function template(result: ReturnType<typeof parse>): TemplatePackage {
  if (!result.ok) throw new Error(result.diagnostics.map(({ message }) => message).join('\n'));
  return result.value;
}

/** Returns each message with the text that it points to. */
function mistakes(...places: readonly string[]): [message: string, text: string][] {
  const text = `${SMALL_MANIFEST}timing:\n${places.map((place) => `  - ${place}\n`).join('')}`;
  const result = parse(...places);
  return result.ok ? [] : result.diagnostics.map(({ message, at }) => [message, text.slice(at!.start, at!.end).trim()]);
}

describe('timing in template.yaml', () => {
  it('becomes places in frames in the specification', () => {
    const { spec } = template(
      parse('{ hold: 0.9 }', '{ loop: [0.2, 0.4], max: 1.2 }', '{ stretch: [0.4, 0.6], min: 0.1, max: 0.4 }'),
    );
    expect(spec.timing).toEqual([{ hold: 9 }, { loop: [2, 4], max: 12 }, { stretch: [4, 6], min: 1, max: 4 }]);
  });

  it('rounds to the nearest frame, of two the later', () => {
    expect(template(parse('{ hold: 0.25 }')).spec.timing).toEqual([{ hold: 3 }]);
    expect(template(parseText('timing: [{ hold: 0.1 }]\n', 29.97)).spec.timing).toEqual([{ hold: 3 }]);
  });

  it('is absent without timing, and empty for a template that has only its natural length', () => {
    expect(smallPackage().spec).not.toHaveProperty('timing');
    expect(template(parseText('timing: []\n')).spec.timing).toEqual([]);
  });

  it('changes neither the digest nor the id of a template', () => {
    const { digest, spec } = template(parse('{ hold: 0.9 }'));
    expect([digest, spec.id]).toEqual([smallPackage().digest, smallPackage().spec.id]);
  });

  it('allows places that touch, and a hold on an edge', () => {
    expect(
      mistakes('{ loop: [0, 0.4] }', '{ stretch: [0.4, 1] }', '{ hold: 0.4 }', '{ hold: 1 }', '{ hold: 0 }'),
    ).toEqual([]);
  });

  it('reports all mistakes of the text at once, each at its own value', () => {
    expect(
      mistakes(
        '{ hold: [1, 2] }',
        '{ loop: 2 }',
        '{ loop: [0.2, 0.4], min: 0.1 }',
        '{ stretch: [0.2, 0.4], min: 3, max: 1 }',
        '{ hold: 0.1, loop: [0.2, 0.3] }',
        '{ hold: 0.1, mx: 4 }',
        '{ hold: 0.1, max: soon }',
        'hold',
      ),
    ).toEqual([
      ['hold must be a time in seconds, like { hold: 9.9 }', '[1, 2]'],
      ['loop must be two times in seconds, its start and its end, like { loop: [2, 4], max: 12 }', '2'],
      ['The loop has min, which is only for stretch: a loop has at least one pass', 'min'],
      ['min of the stretch is 3, which is above its max of 1', '3'],
      [
        'A place of timing must be a map with hold, loop or stretch, like { loop: [2, 4], max: 12 }',
        '{ hold: 0.1, loop: [0.2, 0.3] }',
      ],
      ['The hold has no property mx', 'mx'],
      ['max of a place must be seconds, like max: 4', 'soon'],
      ['A place of timing must be a map with hold, loop or stretch, like { loop: [2, 4], max: 12 }', 'hold'],
    ]);
  });

  it('reports all places that do not fit the animation at once', () => {
    expect(
      mistakes(
        '{ hold: 1.2 }',
        '{ loop: [0.4, 0.2] }',
        '{ loop: [0, 0.2], max: 0.1 }',
        '{ stretch: [0.2, 0.4], min: 0.3 }',
        '{ stretch: [0.3, 0.6], min: 0.01 }',
      ),
    ).toEqual([
      ['The hold at 1.2 s must have at least one frame and lie within the 1 s of the template', '{ hold: 1.2 }'],
      [
        'The loop from 0.4 to 0.2 s must have at least one frame and lie within the 1 s of the template',
        '{ loop: [0.4, 0.2] }',
      ],
      ['The loop from 0 to 0.2 s has a max of 0.1 s, but one pass takes 0.2 s', '{ loop: [0, 0.2], max: 0.1 }'],
      [
        'The stretch from 0.2 to 0.4 s has 0.2 s, which must be within min 0.3 and max without limit, and a min of at least one frame',
        '{ stretch: [0.2, 0.4], min: 0.3 }',
      ],
      [
        'The stretch from 0.3 to 0.6 s has 0.3 s, which must be within min 0.01 and max without limit, and a min of at least one frame',
        '{ stretch: [0.3, 0.6], min: 0.01 }',
      ],
      ['The stretch from 0.3 to 0.6 s overlaps the stretch from 0.2 to 0.4 s', '{ stretch: [0.3, 0.6], min: 0.01 }'],
    ]);
  });

  it('has at most 50 places', () => {
    const places = (count: number): string[] => Array.from({ length: count }, () => '{ hold: 0.1 }');
    expect(mistakes(...places(51))[0]![0]).toBe('timing has 51 places, but at most 50 are supported');
    expect(parseText('timing: { hold: 0.1 }\n')).toMatchObject({
      diagnostics: [{ message: 'timing must be a list of places, like [{ hold: 9.9 }]' }],
    });
  });
});

describe('templateLengths()', () => {
  it.each([
    [['{ hold: 0.9 }'], { minSeconds: 1, maxSeconds: null }],
    [['{ hold: 0.9, max: 2 }'], { minSeconds: 1, maxSeconds: 3 }],
    [
      ['{ stretch: [0.2, 0.6], min: 0.1, max: 0.8 }', '{ loop: [0.6, 0.8], max: 1 }'],
      { minSeconds: 0.7, maxSeconds: 2.2 },
    ],
  ])('of %j', (places, lengths) => {
    expect(templateLengths(template(parse(...places)))).toEqual(lengths);
  });

  it('is null without timing, and one length without places', () => {
    expect(templateLengths(smallPackage())).toBeNull();
    expect(templateLengths(template(parseText('timing: []\n')))).toEqual({ minSeconds: 1, maxSeconds: 1 });
  });
});
