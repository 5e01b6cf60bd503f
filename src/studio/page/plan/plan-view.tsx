import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { PlanSummary, RunState, VideoCard } from '../../protocol.ts';
import { BackLink } from '../controls/button.tsx';
import { Dialog } from '../controls/dialog.tsx';
import { Icon, StateBadge } from '../controls/icon.tsx';
import { notifyError } from '../controls/notices.tsx';
import { ProblemList } from '../controls/problem-list.tsx';
import { Still } from '../controls/still.tsx';
import { useRequest } from '../controls/use-request.ts';
import { formatRoute } from '../route.ts';
import { fetchJson, postJson } from '../server.ts';
import { dispatch, usePage } from '../store.ts';
import { count, countOf, formatLength, spell } from '../wording.ts';

/** Actions in the order of their weight. */
const ACTIONS = ['create', 'update', 'restore', 'adopt', 'move', 'relabel', 'deliver', 'forget'];
const FIRST_ITEMS = 100;
const NO_VIDEOS: readonly VideoCard[] = [];

/** What an apply would do, and the apply itself. */
export function PlanView(): JSX.Element {
  const known = usePage(({ server }) => server?.plan ?? null);
  const problems = usePage(({ server }) => server?.problems ?? []);
  const run = usePage(({ server }) => server?.run ?? null);
  const otherRun = usePage(({ server }) => server?.otherRun ?? null);
  const videos = usePage(({ server }) => server?.videos ?? NO_VIDEOS);
  const counted = useRequest(known?.id ?? null, known, () => fetchJson<PlanSummary>('plan')).value;
  const [isConfirming, setConfirming] = useState(false);
  const [shown, setShown] = useState(FIRST_ITEMS);
  const plan = counted !== null && counted.id === known?.id ? counted : known;
  const isRunning = isActive(run);
  const items = videos
    .filter(({ action, state }) => action !== null || state === 'running')
    .sort((a, b) => ACTIONS.indexOf(a.action ?? '') - ACTIONS.indexOf(b.action ?? ''));
  const changes = Object.entries(plan?.counts ?? {}).filter(([action, amount]) => action !== 'noop' && amount > 0);
  const forgotten = plan?.counts.forget ?? 0;

  return (
    <div class="plan">
      <header class="page-header">
        <BackLink />
        <h1>Plan</h1>
        <p>{plan === null ? 'Mend the errors first.' : summaryOf(plan)}</p>
        <a class="button" href="api/plan.html" target="_blank" rel="noreferrer">
          <Icon name="open" size={14} /> Report
        </a>
        {!isRunning && (
          <button
            type="button"
            class="primary"
            disabled={plan === null || changes.length === 0 || otherRun !== null}
            onClick={() => setConfirming(true)}
          >
            Apply
          </button>
        )}
      </header>
      {otherRun !== null && !isRunning && (
        <p class="other-run">Another run holds the lock: {otherRun}. Apply is possible when it has ended.</p>
      )}
      {run !== null && <RunPanel run={run} />}
      {problems.length > 0 && <ProblemList problems={problems} />}
      {plan !== null && plan.problems.length > 0 && <ProblemList problems={plan.problems} />}
      {plan !== null && changes.length === 0 && !isRunning && (
        <p class="empty">Every video is up to date. Nothing to apply.</p>
      )}
      {forgotten > 0 && (
        <p class="calm">
          The lockfile has {count(forgotten, 'video')} without a definition. An apply removes{' '}
          {forgotten === 1 ? 'it' : 'them'} from the lockfile.
        </p>
      )}
      <ul class="plan-items">
        {items.slice(0, shown).map((card) => (
          <PlanItem key={card.id} card={card} />
        ))}
      </ul>
      {items.length > shown && (
        <button type="button" onClick={() => setShown(shown + FIRST_ITEMS)}>
          Show more of {count(items.length, 'change')}
        </button>
      )}
      {isConfirming && plan !== null && (
        <ApplyDialog plan={plan} changes={changes} onClose={() => setConfirming(false)} />
      )}
    </div>
  );
}

export function isActive(run: RunState | null): boolean {
  return run !== null && ['starting', 'running', 'stopping'].includes(run.status);
}

function summaryOf({ renders, videoSeconds, segments, cost }: PlanSummary): string {
  const parts = [renders === 0 ? 'Nothing to render' : `${count(renders, 'video')} to render`];
  if (renders > 0 && videoSeconds !== null) parts.push(`${formatLength(videoSeconds)} of video`);
  if (segments !== null && segments.total > 0) parts.push(countOf(segments.toRender, segments.total, 'segment'));
  if (cost !== null)
    parts.push(new Intl.NumberFormat('en', { style: 'currency', currency: cost.currency }).format(cost.amount));
  return parts.join(', ');
}

interface ApplyDialogProps {
  readonly plan: PlanSummary;
  readonly changes: readonly (readonly [string, number])[];
  readonly onClose: () => void;
}

/** Asks before anything is rendered. The server refuses the apply if the plan has changed since. */
function ApplyDialog({ plan, changes, onClose }: ApplyDialogProps): JSX.Element {
  return (
    <Dialog title="Apply this plan?" onClose={onClose}>
      <ul class="apply-counts">
        {changes.map(([action, amount]) => (
          <li key={action}>
            <b>{amount.toLocaleString('en')}</b> {spell(action)}
          </li>
        ))}
      </ul>
      <p class="calm">{summaryOf(plan)}. The results are written to reelform.lock.json.</p>
      <div class="dialog-buttons">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class="primary"
          onClick={() => {
            onClose();
            sendRun('apply', { plan: plan.id });
          }}
        >
          Apply
        </button>
      </div>
    </Dialog>
  );
}

function sendRun(name: 'apply' | 'cancel', body: object): void {
  postJson<RunState>(name, body).then((run) => dispatch({ kind: 'run', event: { kind: 'run', run } }), notifyError);
}

const STATUS: Readonly<Record<RunState['status'], string>> = {
  starting: 'Starting…',
  running: 'Rendering',
  stopping: 'Stopping: running renders finish and are recorded',
  done: 'Done',
  failed: 'Ended with failures',
};

/** Progress or result of the run that this page started. */
function RunPanel({ run }: { readonly run: RunState }): JSX.Element {
  const ended = run.done + run.failed;
  const isStopped = run.status === 'failed' && run.failed === 0 && run.messages.length === 0;
  return (
    <section class={`run run-${isStopped ? 'stopped' : run.status}`} aria-label="Run">
      <p role="status">
        <b>{isStopped ? 'Stopped' : STATUS[run.status]}</b>
        {run.total > 0 && ` · ${countOf(run.done, run.total, 'video')} done`}
        {run.failed > 0 && ` · ${run.failed} failed`}
      </p>
      {run.status === 'running' && (
        <button type="button" onClick={() => sendRun('cancel', {})}>
          <Icon name="stop" size={12} /> Cancel
        </button>
      )}
      {isActive(run) && (
        <progress
          aria-label="Videos that are done"
          max={Math.max(1, run.total)}
          value={run.total === 0 ? undefined : ended}
        />
      )}
      {run.messages.map(({ message, hint }) => (
        <p key={message} class="run-message">
          {message}
          {hint !== null && <small>{hint}</small>}
        </p>
      ))}
    </section>
  );
}

/** A change of the plan, with the picture before and after. */
function PlanItem({ card }: { readonly card: VideoCard }): JSX.Element {
  const { picture, progress } = card;
  const width = picture === null ? 0 : Math.min(128, (84 * picture.width) / picture.height);
  const size = picture === null ? {} : { width: `${width}px`, aspectRatio: `${picture.width} / ${picture.height}` };
  return (
    <li class="plan-item">
      <a href={formatRoute({ kind: 'video', id: card.id, panel: 'changes' })}>
        <span class="plan-pictures" aria-hidden="true">
          {picture !== null && card.beforeFingerprint !== null && (
            <span style={size} class="is-before">
              <Still fingerprint={card.beforeFingerprint} frame={card.posterFrame} width={width} isCut />
            </span>
          )}
          {picture !== null && (
            <span style={size}>
              <Still fingerprint={card.fingerprint} frame={card.posterFrame} width={width} isCut />
            </span>
          )}
        </span>
        <span class="plan-text">
          <strong>{card.title}</strong>
          <span class="card-id">{card.id}</span>
          <span class="plan-reason">
            {card.action !== null && spell(card.action)}
            {card.reason !== null && `: ${spell(card.reason)}`}
          </span>
          {card.state === 'running' && progress !== null && (
            <>
              <progress aria-label={`Progress of ${card.title}`} max={100} value={progress.percent} />
              {progress.segments !== null && (
                <small>
                  {progress.segments.done} of {progress.segments.total} segments, {progress.segments.reused} from the
                  cache
                </small>
              )}
            </>
          )}
        </span>
        <StateBadge card={card} />
      </a>
    </li>
  );
}
