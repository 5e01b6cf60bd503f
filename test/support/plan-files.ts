import { type ChangeDocument, type PlanDocument, planId } from '../../src/reconciler/plan/plan-document.ts';

/** Returns the change of one new video. */
export function newVideo(id: string, fields: Partial<ChangeDocument> = {}): ChangeDocument {
  return {
    id,
    path: `videos/${id}.yaml`,
    previous_id: null,
    title: `Title of ${id}`,
    template: 'launch',
    action: 'create',
    reason: 'new',
    inputs: [{ key: 't_01', before: null, after: 'Hello' }],
    fields: [],
    destinations: [],
    before: null,
    after: { fingerprint: `v1:${'0'.repeat(64)}` },
    source: null,
    ...fields,
  };
}

/** Returns a plan in the form that `reelform plan --json` prints; complete unless `fields` says otherwise. */
export function planText(changes: readonly ChangeDocument[], fields: Partial<PlanDocument> = {}): string {
  const document: PlanDocument = {
    format_version: '1.0',
    tool_version: '0.1.0',
    plan_id: fields.plan_id ?? planId(changes),
    complete: true,
    summary: changes.length === 0 ? { noop: 1 } : { create: changes.length },
    estimate: { renders: changes.length, seconds_of_video: changes.length * 4 },
    deliveries: 0,
    changes,
    diagnostics: [],
    ...fields,
  };
  return JSON.stringify(document);
}
