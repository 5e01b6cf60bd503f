import { sha256 } from '../../kernel/digest.ts';
import type { Lock, LockEntry } from '../lock/lock.ts';
import { compareFields, compareInputs } from './compare-video.ts';
import { type Change, onlyRestores, type Plan, rendersNew } from './plan.ts';
import { type ChangeDocument, changeDocument, type PlanDocument } from './plan-document.ts';

/**
 * An effect that a reviewed plan shows, as base64 of 128 bits of a SHA-256: 22 characters. It depends on the video, the
 * fingerprint, and the shown values after the change, but not on the state before it: a plan made before another
 * merge was rendered approves the same effect.
 */
export type Approval = string;

/** Characters. */
const APPROVAL_LENGTH = 22;

/** Returns the effects that a reviewed plan approves, without duplicates. */
export function approvalsOf({ changes }: Pick<PlanDocument, 'changes'>): Approval[] {
  return [...new Set(changes.flatMap(effectsOf))];
}

/** Splits joined approvals. */
export function splitApprovals(text: string): ReadonlySet<Approval> {
  return new Set(text.match(new RegExp(`.{${APPROVAL_LENGTH}}`, 'g')));
}

function effectsOf(change: ChangeDocument): Approval[] {
  const isRender = change.action === 'create' || change.action === 'update';
  return [mainEffect(change, isRender ? 'render' : 'record'), ...deliveriesOf(change).values()];
}

/**
 * Compares a plan with reviewed plans, each of which may approve some of its changes.
 *
 * A reviewed render also approves the same video without a render, such as an adoption, and any of its deliveries alone.
 * Restored local files and forgotten destinations cost nothing and need no approval.
 */
export class ReviewedPlans {
  readonly #approved = new Set<Approval>();
  /** Main effects that are approved, by the change's id. */
  readonly #kinds = new Map<string, Set<EffectKind>>();
  #rest: readonly Change[];

  constructor({ changes }: Plan) {
    this.#rest = changes.filter((change) => change.action !== 'noop' && !onlyRestores(change));
  }

  /** Changes that no added plan approves. */
  get rest(): readonly Change[] {
    return this.#rest;
  }

  /**
   * Adds a reviewed plan.
   *
   * @param lock lockfile from which it was made: the values that it shows depend on it
   */
  add(approvals: ReadonlySet<Approval>, lock: Pick<Lock, 'videos'>): void {
    for (const approval of approvals) this.#approved.add(approval);
    for (const change of this.#rest) {
      const before = lock.videos.get(change.previousId ?? change.id);
      const shown = [change, asSeenFrom(change, before)].map((side) => changeDocument(side));
      const kinds = this.#kinds.get(change.id) ?? new Set();
      for (const kind of EFFECT_KINDS) {
        if (shown.some((document) => approvals.has(mainEffect(document, kind)))) kinds.add(kind);
      }
      this.#kinds.set(change.id, kinds);
    }
    this.#rest = this.#rest.filter((change) => this.whyNot(change) !== null);
  }

  /** Returns why a change is not approved; null if it is. */
  whyNot(change: Change): string | null {
    const kinds = this.#kinds.get(change.id);
    if (!kinds?.has('render')) {
      if (!kinds?.has('record')) return 'no reviewed plan shows it';
      if (rendersNew(change)) return 'it needs rendering now, but the reviewed plan does not render it';
    }
    const missing = [...deliveriesOf(changeDocument(change))].find(([, approval]) => !this.#approved.has(approval));
    return missing === undefined ? null : `no reviewed plan delivers it to ${missing[0]}`;
  }
}

/** Returns a change as a plan shows it that was made with another lock entry. */
function asSeenFrom(change: Change, before: LockEntry | undefined): Change {
  const { desired } = change;
  if (desired === null) return change;
  if (before === undefined) return { ...change, inputs: [], fields: [] };
  const isSame = before.fingerprint === desired.fingerprint;
  return { ...change, inputs: isSame ? [] : compareInputs(before, desired), fields: compareFields(before, desired) };
}

/** A render, or a change of the lock entry without a render. */
const EFFECT_KINDS = ['render', 'record'] as const;

type EffectKind = (typeof EFFECT_KINDS)[number];

function mainEffect({ id, title, template, after, inputs, fields }: ChangeDocument, kind: EffectKind): Approval {
  // Without a definition, the entry is removed.
  if (after === null) return digest('forget', id);
  return digest(
    kind,
    id,
    after.fingerprint,
    title,
    template,
    inputs.map((input) => [input.key, input.after, input.kind, input.value]),
    fields.map((field) => [field.field, field.after]),
  );
}

/** Returns the approvals of deliveries, by destination. */
function deliveriesOf({ id, after, destinations = [] }: ChangeDocument): ReadonlyMap<string, Approval> {
  const deliveries = destinations.filter(({ kind }) => kind === 'deliver');
  return new Map(
    deliveries.map(({ to, credential, sha256: captions }) => {
      const parts = [id, after?.fingerprint, to, credential, ...(captions === undefined ? [] : [captions])];
      return [to, digest('deliver', ...parts)];
    }),
  );
}

/** 128 bits, because a comment has room for about 2,000 of them. A collision would take 2^64 attempts. */
function digest(...values: readonly unknown[]): Approval {
  return Buffer.from(sha256(JSON.stringify(values)).slice(0, 32), 'hex')
    .toString('base64')
    .slice(0, APPROVAL_LENGTH);
}
