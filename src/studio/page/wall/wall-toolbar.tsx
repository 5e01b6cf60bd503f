import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { CardState, VideoCard } from '../../protocol.ts';
import { Choice } from '../controls/button.tsx';
import { Icon, StateMark } from '../controls/icon.tsx';
import { navigate } from '../controls/use-route.ts';
import { NewVideoDialog } from '../form/video-dialogs.tsx';
import { usePage } from '../store.ts';
import { countStates, GROUPINGS, type ListView, SORT_ORDERS, STATES } from '../video-list.ts';
import { count, countOf, GROUPING_NAMES, SORT_NAMES, STATE_NAMES } from '../wording.ts';

interface WallToolbarProps {
  readonly view: ListView;
  readonly videos: readonly VideoCard[];
  readonly shownCount: number;
  readonly rowHeight: number;
  readonly onRowHeight: (height: number) => void;
}

export function WallToolbar({ view, videos, shownCount, rowHeight, onRowHeight }: WallToolbarProps): JSX.Element {
  const isLive = usePage(({ server }) => server?.isLive ?? false);
  const [isCreating, setCreating] = useState(false);
  const counts = countStates(videos);
  const change = (changed: Partial<ListView>): void =>
    navigate({ kind: 'wall', view: { ...view, ...changed } }, { replace: true });
  const toggle = (state: CardState): void =>
    change({
      states: view.states.includes(state) ? view.states.filter((shown) => shown !== state) : [...view.states, state],
    });
  return (
    <div class="toolbar">
      {isLive && (
        <button type="button" class="new-video" onClick={() => setCreating(true)}>
          <Icon name="plus" size={14} /> New video
        </button>
      )}
      {isCreating && <NewVideoDialog onClose={() => setCreating(false)} />}
      <fieldset class="chips">
        <legend class="hidden">Show states</legend>
        {STATES.filter((state) => counts[state] > 0 || view.states.includes(state)).map((state) => (
          <button
            key={state}
            type="button"
            class={`chip state-${state}`}
            aria-pressed={view.states.includes(state)}
            onClick={() => toggle(state)}
          >
            <StateMark state={state} />
            {STATE_NAMES[state]}
            <b>{counts[state].toLocaleString('en')}</b>
          </button>
        ))}
      </fieldset>
      <p class="shown-count" role="status">
        {shownCount === videos.length ? count(videos.length, 'video') : countOf(shownCount, videos.length, 'video')}
      </p>
      <Choice
        label="Group"
        value={view.grouping}
        options={GROUPINGS.map((grouping) => [grouping, GROUPING_NAMES[grouping]])}
        onChoose={(grouping) => change({ grouping })}
      />
      <Choice
        label="Sort"
        value={view.sort}
        options={SORT_ORDERS.map((sort) => [sort, SORT_NAMES[sort]])}
        onChoose={(sort) => change({ sort })}
      />
      <label class="choice size">
        Size
        <input
          type="range"
          min="120"
          max="420"
          step="20"
          value={rowHeight}
          onInput={(event) => onRowHeight(Number(event.currentTarget.value))}
        />
      </label>
    </div>
  );
}
