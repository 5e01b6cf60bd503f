import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { IconButton } from './controls/button.tsx';
import { Icon, type IconName } from './controls/icon.tsx';
import { useShortcuts } from './controls/shortcuts.tsx';
import { navigate } from './controls/use-route.ts';
import { isActive } from './plan/plan-view.tsx';
import { formatRoute, type PageRoute } from './route.ts';
import { usePage } from './store.ts';
import { FIRST_VIEW } from './video-list.ts';
import { count } from './wording.ts';

export function TopBar({ route, onHelp }: { readonly route: PageRoute; readonly onHelp: () => void }): JSX.Element {
  const name = usePage(({ server }) => server?.name ?? 'Reelform');
  const connection = usePage((state) => state.connection);
  return (
    <header class="top">
      <a class="home" href="#/" aria-label={`All videos of ${name}`}>
        <img src="icon.svg" alt="" width="26" height="26" />
        <span>{name}</span>
      </a>
      <TemplatesLink isCurrent={route.kind === 'template'} />
      <SearchField route={route} />
      <div class="top-end">
        {connection === 'lost' && (
          <span
            class="connection"
            role="status"
            title="Start reelform preview again, if it has ended, and open the URL that it prints"
          >
            Connection lost
          </span>
        )}
        <PlanLink isCurrent={route.kind === 'plan'} />
        <ThemeButton />
        <IconButton
          class="quiet help"
          icon="keyboard"
          label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={onHelp}
        />
      </div>
    </header>
  );
}

function SearchField({ route }: { readonly route: PageRoute }): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const view = route.kind === 'wall' ? route.view : FIRST_VIEW;
  useShortcuts({ '/': () => field.current?.focus() });
  return (
    <search class="search">
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        placeholder="Search videos"
        aria-label="Search videos"
        aria-keyshortcuts="/"
        value={view.query}
        onInput={(event) =>
          navigate(
            { kind: 'wall', view: { ...view, query: event.currentTarget.value } },
            { replace: route.kind === 'wall' },
          )
        }
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' || event.key === 'Enter') {
            event.preventDefault();
            document.querySelector<HTMLElement>('.wall .card')?.focus();
          } else if (event.key === 'Escape') field.current?.blur();
        }}
      />
      <kbd>/</kbd>
    </search>
  );
}

function PlanLink({ isCurrent }: { readonly isCurrent: boolean }): JSX.Element | null {
  const plan = usePage(({ server }) => server?.plan ?? null);
  const run = usePage(({ server }) => server?.run ?? null);
  const isLive = usePage(({ server }) => server?.isLive ?? false);
  if (!isLive) return null;
  const isRunning = isActive(run);
  const { noop = 0, ...counts } = plan?.counts ?? {};
  const changes = Object.values(counts).reduce((sum, many) => sum + many, 0);
  const label =
    isRunning && run !== null
      ? `Rendering ${run.done + run.failed} of ${run.total}`
      : plan === null
        ? 'No plan: errors'
        : changes === 0
          ? 'Up to date'
          : plan.renders > 0
            ? `${count(plan.renders, 'video')} to render`
            : count(changes, 'change');
  return (
    <a
      class={`plan-link${isRunning ? ' is-running' : changes > 0 ? ' has-changes' : ''}`}
      href={formatRoute({ kind: 'plan' })}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {label}
    </a>
  );
}

function TemplatesLink({ isCurrent }: { readonly isCurrent: boolean }): JSX.Element | null {
  const name = usePage(({ server }) => server?.templates[0]?.name ?? null);
  if (name === null) return null;
  return (
    <a
      class="section-link"
      href={formatRoute({ kind: 'template', name })}
      aria-current={isCurrent ? 'page' : undefined}
    >
      Templates
    </a>
  );
}

const THEMES: readonly { readonly name: 'system' | 'light' | 'dark'; readonly icon: IconName }[] = [
  { name: 'system', icon: 'auto' },
  { name: 'light', icon: 'sun' },
  { name: 'dark', icon: 'moon' },
];

function ThemeButton(): JSX.Element {
  const [at, setAt] = useState(() => THEMES.findIndex(({ name }) => name === localStorage.getItem('reelform-theme')));
  const theme = THEMES[at] ?? THEMES[0]!;
  useEffect(() => {
    document.documentElement.dataset.theme = theme.name;
    localStorage.setItem('reelform-theme', theme.name);
  }, [theme]);
  const label = `Colours: ${theme.name}`;
  return <IconButton icon={theme.icon} label={label} title={label} onClick={() => setAt((at + 1) % THEMES.length)} />;
}
