import { describe, expect, it } from 'vitest';
import { compareStills } from '../../../src/engine/stills/compare-stills.ts';
import { type PreviewSubject, previewPlan } from '../../../src/report/preview/preview-plan.ts';
import type { Sides } from '../../../src/report/preview/preview-video.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { smallPackage } from '../../support/small-package.ts';

const template = smallPackage();

function renderInput(color: string): RenderInput {
  const resources = { t_01: { source: { text: 'x' } }, c_01: { source: { text: color } } };
  return bindMapping(template, { resources: resources as never }, new Map());
}

function subject(id: string, color: string, { path = id, isUpdate = true } = {}): PreviewSubject {
  const before = isUpdate ? renderInput('000000') : null;
  const sides = async () => ({ before, after: renderInput(color), editables: ['c_01'] });
  return { id, path, isUpdate, isUpgrade: false, sides };
}

async function drawPreview(subjects: readonly PreviewSubject[]) {
  let draws = 0;
  const preview = await previewPlan(subjects, {
    draw: {
      async compare(comparison) {
        draws += 1;
        return compareStills(comparison);
      },
      video: () => Promise.reject(new Error('no videos here')),
    },
    drawSheet: { compare: compareStills },
    capacity: 1,
    withDrafts: false,
    deadline: new AbortController().signal,
    label: String,
    labelFonts: [],
    grids: [],
    inputOf: () => null,
    monotonicNow: () => 0,
  });
  return { ...preview, draws, ids: [...preview.videos.keys()] };
}

describe('previewPlan()', () => {
  it('draws inputs shared by two videos once', async () => {
    const { ids, draws } = await drawPreview([subject('a', 'FFFFFF'), subject('b', 'FFFFFF')]);
    expect({ ids, draws }).toEqual({ ids: ['a', 'b'], draws: 1 });
  });

  it('samples the rows of a definition and lists the omitted ones', async () => {
    const rows = Array.from({ length: 22 }, (_, index) => subject(`r/${10 + index}`, 'FFFFFF', { path: 'r.yaml' }));
    const { ids, leftOut } = await drawPreview(rows);
    expect(ids).toHaveLength(20);
    expect(leftOut).toEqual([
      { id: 'r/30', reason: 'sample' },
      { id: 'r/31', reason: 'sample' },
    ]);
  });

  it('distinguishes undrawable videos from templates of the service', async () => {
    const broken = { ...subject('broken', 'FFFFFF'), sides: () => Promise.reject(new Error('no such file')) };
    const { ids, leftOut } = await drawPreview([
      broken,
      { ...subject('remote', 'FFFFFF'), sides: 'remote' },
      subject('z', 'FFFFFF'),
    ]);
    expect(ids).toEqual(['z']);
    expect(leftOut).toEqual([
      { id: 'broken', reason: 'undrawable' },
      { id: 'remote', reason: 'remote' },
    ]);
  });

  it('draws updates first and omits the rest when time is up', async () => {
    const deadline = new AbortController();
    const order: string[] = [];
    const recordOrder = (subject: PreviewSubject): PreviewSubject => ({
      ...subject,
      sides: async () => {
        order.push(subject.id);
        if (order.length === 2) deadline.abort();
        return (subject.sides as () => Promise<Sides>)();
      },
    });
    const subjects = [subject('a-new', '112233', { isUpdate: false }), subject('b', 'FFFFFF'), subject('c', '00FF00')];
    const { videos, leftOut } = await previewPlan(subjects.map(recordOrder), {
      draw: {
        compare: async (comparison) => {
          deadline.signal.throwIfAborted();
          return compareStills(comparison);
        },
        video: () => Promise.reject(new Error('no videos here')),
      },
      drawSheet: { compare: compareStills },
      capacity: 1,
      withDrafts: false,
      deadline: deadline.signal,
      label: String,
      labelFonts: [],
      grids: [],
      inputOf: () => null,
      monotonicNow: () => 0,
    });
    expect({ order, shown: videos.size }).toEqual({ order: ['b', 'c'], shown: 0 });
    expect(leftOut.map(({ id, reason }) => [id, reason])).toEqual([
      ['a-new', 'budget'],
      ['b', 'budget'],
      ['c', 'budget'],
    ]);
  });

  it('draws the contact sheet from finished videos when time is up', async () => {
    const deadline = new AbortController();
    let drawn = 0;
    const preview = await previewPlan(
      ['a', 'b', 'c'].map((id, index) => ({ ...subject(id, `FF${index}0F0`), isUpgrade: true })),
      {
        draw: {
          compare: async (comparison) => {
            deadline.signal.throwIfAborted();
            drawn += 1;
            if (drawn === 2) deadline.abort();
            return compareStills(comparison);
          },
          video: () => Promise.reject(new Error('no videos here')),
        },
        drawSheet: { compare: compareStills },
        capacity: 1,
        withDrafts: false,
        deadline: deadline.signal,
        label: String,
        labelFonts: [],
        grids: [],
        inputOf: () => null,
        monotonicNow: () => 0,
      },
    );
    expect(preview.leftOut).toEqual([{ id: 'c', reason: 'budget' }]);
    expect(preview.contactSheet).toMatchObject({ contentType: 'image/jpeg', width: 1368 });
  });
});
