import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { RowTable } from '../../protocol.ts';
import { BackLink, IconButton } from '../controls/button.tsx';
import { Icon, StateMark } from '../controls/icon.tsx';
import { notifyError } from '../controls/notices.tsx';
import { useRequest } from '../controls/use-request.ts';
import { saveRows } from '../edits.ts';
import { formatRoute } from '../route.ts';
import { fetchJson } from '../server.ts';
import { usePage } from '../store.ts';
import { count, STATE_NAMES } from '../wording.ts';
import { useSavedValue } from './control.tsx';

/** Rows that are shown at first; each has a field per column. */
const PAGE_ROWS = 200;

/** A data file as a table; edits are written to the CSV. */
export function RowsView({ path }: { readonly path: string }): JSX.Element {
  const revision = usePage(({ server }) => server?.revision);
  const { value: table, error } = useRequest(path, revision, () => fetchJson<RowTable>('rows', { path }));
  const [shown, setShown] = useState(PAGE_ROWS);
  return (
    <>
      <header class="page-header">
        <BackLink />
        <h1>{path.split('/').at(-1)}</h1>
        {table !== null && <p>{count(table.rows.length, 'row')}</p>}
        {table?.isEditable && (
          <button type="button" onClick={() => saveRows({ path, cells: [], added: [{}] }).catch(notifyError)}>
            <Icon name="plus" size={14} /> Add a row
          </button>
        )}
      </header>
      {error !== null && <p class="failures">{error.message}</p>}
      {table !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table.
        <section class="rows" aria-label={path} tabIndex={0}>
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
                <tr key={`${row} ${table.ids[row]}`}>
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
    <input
      type="text"
      dir="auto"
      aria-label={`${column}, row ${row + 1}`}
      aria-invalid={cell.error !== null}
      title={cell.error?.message}
      value={cell.value}
      onInput={(event) => cell.change(event.currentTarget.value)}
      onBlur={cell.flush}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
        event.preventDefault();
        moveDown(event.currentTarget, event.key === 'ArrowUp' ? -1 : 1);
      }}
    />
  );
}

/** Moves the focus to the cell above or below, as spreadsheets do. */
function moveDown(input: HTMLInputElement, step: number): void {
  const cell = input.closest('td')!;
  const row = cell.parentElement as HTMLTableRowElement;
  const table = row.parentElement as HTMLTableSectionElement;
  const target = table.rows[row.sectionRowIndex + step]?.cells[cell.cellIndex]?.querySelector('input');
  target?.focus();
  target?.select();
}
