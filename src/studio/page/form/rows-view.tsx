import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RowTable } from '../../protocol.ts';
import { BackLink, IconButton } from '../controls/button.tsx';
import { Icon, StateMark } from '../controls/icon.tsx';
import { notifyError } from '../controls/notices.tsx';
import { ProblemList } from '../controls/problem-list.tsx';
import { useShortcuts } from '../controls/shortcuts.tsx';
import { useRequest } from '../controls/use-request.ts';
import { saveRows, undoLast } from '../edits.ts';
import { formatRoute } from '../route.ts';
import { fetchJson } from '../server.ts';
import { usePage } from '../store.ts';
import { count, STATE_NAMES } from '../wording.ts';
import { useSavedValue } from './control.tsx';
import { SaveState } from './save-state.tsx';

/** Rows that are shown at first; each has a field per column. */
const PAGE_ROWS = 200;

/** A data file as a table; edits are written to the CSV. */
export function RowsView({ path }: { readonly path: string }): JSX.Element {
  const revision = usePage(({ server }) => server?.revision);
  const { value: table, error } = useRequest(path, revision, () => fetchJson<RowTable>('rows', { path }));
  const problems = usePage(({ server }) => server?.problems ?? NO_PROBLEMS).filter(({ file }) => file === path);
  const [shown, setShown] = useState(PAGE_ROWS);
  const section = useRef<HTMLElement>(null);
  const isAdding = useRef(false);
  const rowCount = table?.rows.length ?? 0;
  useEffect(() => {
    if (!isAdding.current) return;
    isAdding.current = false;
    const cell = section.current?.querySelector<HTMLTextAreaElement>('tbody tr:last-child textarea');
    cell?.focus();
    cell?.select();
  }, [rowCount]);
  useShortcuts({ 'mod+z': () => void undoLast() });
  const add = (): void => {
    isAdding.current = true;
    setShown(rowCount + 1);
    saveRows({ path, cells: [], added: [newRow(table!)] }).catch(notifyError);
  };
  return (
    <>
      <header class="page-header">
        <BackLink />
        <h1>{path.split('/').at(-1)}</h1>
        {table !== null && <p>{count(table.rows.length, 'row')}</p>}
        {table?.isEditable && (
          <>
            <SaveState />
            <button type="button" onClick={add}>
              <Icon name="plus" size={14} /> Add a row
            </button>
          </>
        )}
      </header>
      {error !== null && <p class="failures">{error.message}</p>}
      {problems.length > 0 && <ProblemList problems={problems} />}
      {table !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table.
        <section class="rows" ref={section} aria-label={path} tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Video</th>
                {table.columns.map((column) => (
                  <th key={column} scope="col">
                    {column}
                  </th>
                ))}
                {table.isEditable && (
                  <th scope="col">
                    <span class="hidden">Remove</span>
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {table.rows.slice(0, shown).map((cells, row) => (
                <tr key={row}>
                  <th scope="row">
                    <RowVideo id={table.ids[row] ?? null} row={row} />
                  </th>
                  {table.columns.map((column, index) => (
                    <td key={column}>
                      {table.isEditable ? (
                        <Cell path={path} row={row} column={column} value={cells[index] ?? ''} />
                      ) : (
                        (cells[index] ?? '')
                      )}
                    </td>
                  ))}
                  {table.isEditable && (
                    <td>
                      <IconButton
                        icon="remove"
                        size={14}
                        label={`Remove row ${row + 1}`}
                        onClick={() => saveRows({ path, cells: [], removed: [row] }).catch(notifyError)}
                      />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
          {shown < table.rows.length && (
            <button type="button" onClick={() => setShown(shown + PAGE_ROWS)}>
              Show more rows
            </button>
          )}
        </section>
      )}
    </>
  );
}

const NO_PROBLEMS: readonly never[] = [];

/** Returns a row with a new value in its first column. A row without values is no row. */
function newRow({ columns: [first = ''], rows }: RowTable): Readonly<Record<string, string>> {
  const taken = new Set(rows.map(([value]) => value));
  let number = rows.length + 1;
  while (taken.has(`new-${number}`)) number++;
  return { [first]: `new-${number}` };
}

function RowVideo({ id, row }: { readonly id: string | null; readonly row: number }): JSX.Element {
  const state = usePage(({ server }) => server?.videos.find((card) => card.id === id)?.state ?? null);
  if (id === null) return <span>{row + 1}</span>;
  return (
    <a href={formatRoute({ kind: 'video', id, panel: 'edit' })}>
      {state !== null && <StateMark state={state} />}
      {state !== null && <span class="hidden">{STATE_NAMES[state]}: </span>}
      {id.split('/').at(-1)}
    </a>
  );
}

interface CellProps {
  readonly path: string;
  readonly row: number;
  readonly column: string;
  readonly value: string;
}

function Cell({ path, row, column, value }: CellProps): JSX.Element {
  const cell = useSavedValue(value, (text) => saveRows({ path, cells: [{ row, column, value: text }] }));
  return (
    <textarea
      class="cell"
      rows={1}
      dir="auto"
      aria-label={`${column}, row ${row + 1}`}
      aria-invalid={cell.error !== null}
      title={cell.error?.message}
      value={cell.value}
      onInput={(event) => cell.change(event.currentTarget.value)}
      onBlur={cell.flush}
      onKeyDown={(event) => {
        if (event.shiftKey || !['Enter', 'ArrowDown', 'ArrowUp'].includes(event.key)) return;
        event.preventDefault();
        moveDown(event.currentTarget, event.key === 'ArrowUp' ? -1 : 1);
      }}
    />
  );
}

/** Moves the focus to the cell above or below, as spreadsheets do. With Shift, Enter breaks the line. */
function moveDown(field: HTMLTextAreaElement, step: number): void {
  const cell = field.closest('td')!;
  const row = cell.parentElement as HTMLTableRowElement;
  const table = row.parentElement as HTMLTableSectionElement;
  const target = table.rows[row.sectionRowIndex + step]?.cells[cell.cellIndex]?.querySelector('textarea');
  target?.focus();
  target?.select();
}
