import { describe, expect, test } from 'vitest';
import type { VideoId } from '../../../src/reconciler/definition/video.ts';
import type { Plan } from '../../../src/reconciler/plan/plan.ts';
import { type Selection, selectChanges, unmatchedHint } from '../../../src/reconciler/plan/select-changes.ts';
import { desired, emptyLock, lockOf, plan, text } from './videos.ts';

const of = (...ids: string[]) => ids.map((id) => desired(id, { resources: { t_01: text(id) } }));
const select = (made: Plan, selection: Partial<Selection>): Plan =>
  selectChanges(made, { targets: null, excludes: [], ...selection });
const ids = ({ changes }: Plan): string[] => changes.map(({ id }) => id);

describe('selectChanges()', () => {
  const made = plan(of('berlin', 'stores/a', 'stores/b', 'stores/eu/c'), emptyLock);

  test.each<[Partial<Selection>, string[]]>([
    [{}, ['berlin', 'stores/a', 'stores/b', 'stores/eu/c']],
    [{ targets: ['stores/*'] }, ['stores/a', 'stores/b']],
    [{ targets: ['stores/**'] }, ['stores/a', 'stores/b', 'stores/eu/c']],
    [{ targets: ['**'], excludes: ['stores/**'] }, ['berlin']],
    [{ targets: ['stores/{a,b}', 'berlin'], excludes: ['stores/b'] }, ['berlin', 'stores/a']],
    [{ excludes: ['berlin'] }, ['stores/a', 'stores/b', 'stores/eu/c']],
    [{ only: ({ id }) => id === 'stores/b' }, ['stores/b']],
    [{ targets: ['!berlin'] }, []],
    [{ targets: [''] }, []],
    [{ targets: ['', 'berlin'], excludes: [''] }, ['berlin']],
    [{ targets: [] }, []],
  ])('%j', (selection, expected) => {
    expect(ids(select(made, selection))).toEqual(expected);
  });

  test('marks the plan as incomplete and counts omitted changes', () => {
    const world = plan([...of('a', 'b'), desired('kept')], lockOf(desired('kept')));
    expect(select(world, { targets: ['a'] })).toMatchObject({ complete: false, leftOut: 1 });
  });

  test('reports an unmatched target as an error and an unmatched exclude as a warning, with suggestions', () => {
    const { diagnostics } = select(made, { targets: ['berlin', 'belrin'], excludes: ['rome'] });
    expect(diagnostics.map(({ code, severity, message }) => [code, severity, message])).toEqual([
      ['unknown_video', 'error', 'No video id matches "belrin"'],
      ['unknown_video', 'warning', 'No video id matches "rome"'],
    ]);
    expect(diagnostics[0]?.hint).toBe('Did you mean berlin?');
  });

  test('finds a moved video by either of its ids', () => {
    const moved = plan([desired('new')], lockOf(desired('old')));
    expect(ids(select(moved, { targets: ['old'] }))).toEqual(['new']);
    expect(ids(select(moved, { targets: ['new'] }))).toEqual(['new']);
  });

  test('selects videos that were not read by their ids', () => {
    const partial = { ...made, idle: ['stores/z', 'oslo'].map((id) => id as VideoId) };
    expect(select(partial, { targets: ['stores/*'] })).toMatchObject({ idle: ['stores/z'], diagnostics: [] });
    expect(select(partial, { excludes: ['oslo'] })).toMatchObject({ idle: ['stores/z'], diagnostics: [] });
    expect(select(partial, { targets: ['olso'] }).diagnostics[0]?.hint).toBe('Did you mean oslo?');
  });

  test('drops diagnostics of omitted videos', () => {
    const world = plan([], lockOf(desired('a', { protect: true }), desired('b', { resources: {} })));
    expect(select(world, { targets: ['b'] }).diagnostics).toEqual([]);
    expect(select(world, { targets: ['a'] }).diagnostics).toMatchObject([{ code: 'protected_video' }]);
  });

  test('renders a video itself if the rendering that it was to share is omitted', () => {
    const alike = plan([desired('a'), desired('b'), desired('c')], emptyLock);
    const { changes } = select(alike, { excludes: ['a'] });
    expect(changes).toMatchObject([
      { id: 'b', action: 'create', reason: 'new' },
      { id: 'c', action: 'adopt', source: { kind: 'planned', id: 'b' } },
    ]);
  });
});

test.each([
  ['dune', 'Did you mean launch/dune?'],
  ['lanch/*', 'Did you mean launch/*?'],
  ['story/store/**', 'Did you mean story/stores/**?'],
  ['rome', 'Globs match video ids as listed by `reelform plan --verbose`; ** matches any number of folders'],
])('unmatchedHint() for %s: %s', (glob, expected) => {
  expect(unmatchedHint(glob, ['launch/dune', 'launch/tide', 'story/stores/berlin'])).toBe(expected);
});
