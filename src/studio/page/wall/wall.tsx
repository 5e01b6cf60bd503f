import { Fragment, type JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ProblemList } from '../controls/problem-list.tsx';
import { useSize } from '../controls/use-size.ts';
import { formatRoute } from '../route.ts';
import { usePage } from '../store.ts';
import { filterVideos, groupVideos, type ListView } from '../video-list.ts';
import {
  type Direction,
  layoutWall,
  nextCell,
  visibleRows,
  type WallLayout,
  type WallMeasures,
  type WallRow,
  type WallSection,
} from '../wall-layout.ts';
import { STATE_NAMES } from '../wording.ts';
import { WallCard } from './wall-card.tsx';
import { WallToolbar } from './wall-toolbar.tsx';

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'first',
  End: 'last',
};
const NONE: readonly never[] = [];

/** All videos as a contact sheet. Only the rows near the window are in the document. */
export function Wall({ view }: { readonly view: ListView }): JSX.Element {
  const videos = usePage(({ server }) => server?.videos ?? NONE);
  // A repository that cannot be read yet.
  const problems = usePage(({ server }) => server?.problems ?? NONE);
  const errors = videos.length > 0 ? NONE : problems.filter(({ severity }) => severity === 'error');
  const [rowHeight, setRowHeight] = useRowHeight();
  const [element, { width }] = useSize<HTMLDivElement>();
  const groups = useMemo(
    () => groupVideos(filterVideos(videos, view), view),
    [videos, view.query, view.states.join(), view.sort, view.grouping],
  );
  const cards = useMemo(() => groups.flatMap((group) => group.videos), [groups]);
  const layout = useMemo(() => {
    const measures: WallMeasures = {
      width,
      rowHeight: Math.min(rowHeight, width * 0.62),
      gap: width < 600 ? 14 : 20,
      captionHeight: 52,
      headingHeight: 46,
    };
    const shapes = groups.map((group) => ({
      title: view.grouping === 'state' ? STATE_NAMES[group.title as keyof typeof STATE_NAMES] : group.title,
      aspects: group.videos.map(({ picture }) => (picture === null ? 16 / 9 : picture.width / picture.height)),
    }));
    return layoutWall(width === 0 ? [] : shapes, measures);
  }, [groups, width, rowHeight]);
  const [first, end] = useVisibleRange(element, layout);
  const [focused, setFocused] = useState(0);
  const moveTo = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (moveTo.current === null) return;
    element.current?.querySelector<HTMLElement>(`[data-index="${moveTo.current}"]`)?.focus({ preventScroll: true });
    moveTo.current = null;
  });
  const current = Math.min(focused, cards.length - 1);

  // Preact skips a node that it has drawn before, so that scrolling draws only the rows that appear.
  const drawn = useMemo(() => new Map<WallRow, JSX.Element>(), [layout, cards, current]);
  const drawRow = (row: WallRow): JSX.Element => {
    const known = drawn.get(row);
    if (known !== undefined) return known;
    const node = (
      <Fragment key={cards[row.cells[0]!.index]!.id}>
        {row.cells.map((cell) => (
          <WallCard
            key={cards[cell.index]!.id}
            card={cards[cell.index]!}
            index={cell.index}
            left={cell.left}
            top={row.top}
            width={cell.width}
            pictureHeight={row.pictureHeight}
            isCurrent={cell.index === current}
            onFocus={setFocused}
          />
        ))}
      </Fragment>
    );
    drawn.set(row, node);
    return node;
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const direction = DIRECTIONS[event.key];
    if (direction === undefined || event.altKey || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    const target = nextCell(layout, current, direction);
    const row = layout.rows.find(({ cells }) => cells.some(({ index }) => index === target));
    if (row !== undefined) scrollIntoView(element.current!, row.top, row.height);
    moveTo.current = target;
    setFocused(target);
  };

  return (
    <>
      <h1 class="hidden">Videos</h1>
      <WallToolbar
        view={view}
        videos={videos}
        shownCount={cards.length}
        rowHeight={rowHeight}
        onRowHeight={setRowHeight}
      />
      {errors.length > 0 && <ProblemList problems={errors} />}
      {cards.length === 0 && errors.length === 0 && (
        <p class="empty">{videos.length === 0 ? 'This repository has no videos yet.' : 'No video matches.'}</p>
      )}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the links inside. */}
      <div class="wall" ref={element} style={{ height: `${layout.height}px` }} onKeyDown={onKeyDown}>
        {sectionsBeside(layout, first, end).map(({ title, top, height }) => (
          <div key={`section ${title}`} class="wall-section" style={{ top: `${top}px`, height: `${height}px` }}>
            <h2>
              {view.grouping === 'template' ? (
                <a href={formatRoute({ kind: 'template', name: title })}>{title}</a>
              ) : (
                title
              )}
            </h2>
          </div>
        ))}
        {layout.rows.slice(first, end).map(drawRow)}
      </div>
    </>
  );
}

/** Returns the sections of a range of rows. Their headings stay in view while their cards are. */
function sectionsBeside({ rows, sections }: WallLayout, first: number, end: number): readonly WallSection[] {
  const [above, below] = [rows[first], rows[end - 1]];
  if (above === undefined || below === undefined) return [];
  return sections.filter(({ top, height }) => top < below.top + below.height && top + height > above.top);
}

/** The rows near the window, as half-open range. Components are drawn again only when it changes. */
function useVisibleRange(
  element: { readonly current: HTMLElement | null },
  layout: WallLayout,
): readonly [number, number] {
  const [range, setRange] = useState<readonly [number, number]>([0, 0]);
  useEffect(() => {
    const measure = (): void => {
      if (element.current === null) return;
      const above = -element.current.getBoundingClientRect().top;
      const margin = innerHeight * 0.75;
      const { first, end } = visibleRows(layout, above - margin, above + innerHeight + margin);
      setRange((last) => (last[0] === first && last[1] === end ? last : [first, end]));
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    return () => {
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [layout]);
  return range;
}

function useRowHeight(): [number, (height: number) => void] {
  const [height, setHeight] = useState(() => Number(localStorage.getItem('reelform-row-height')) || 240);
  return [
    height,
    (next) => {
      localStorage.setItem('reelform-row-height', String(next));
      setHeight(next);
    },
  ];
}

/** Scrolls a row of the wall between the bars at the top and the lower edge of the window. */
function scrollIntoView(wall: HTMLElement, top: number, height: number): void {
  const start = wall.getBoundingClientRect().top + top;
  const covered = 130;
  if (start < covered) scrollBy(0, start - covered);
  else if (start + height > innerHeight - 16) scrollBy(0, start + height - innerHeight + 16);
}
