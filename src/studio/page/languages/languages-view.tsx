import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { LanguageTable } from '../../language-protocol.ts';
import { BackLink, Choice } from '../controls/button.tsx';
import { useShortcuts } from '../controls/shortcuts.tsx';
import { useRequest } from '../controls/use-request.ts';
import { navigate } from '../controls/use-route.ts';
import { undoLast } from '../edits.ts';
import { SaveState } from '../form/save-state.tsx';
import { fetchJson } from '../server.ts';
import { usePage } from '../store.ts';
import { LanguageMatrix } from './language-matrix.tsx';
import { TranslationTable } from './translation-table.tsx';

interface LanguagesViewProps {
  readonly definition: string;
  /** Empty for the first. */
  readonly row: string;
}

/** The languages of a definition: its videos side by side, and its texts with their translations. */
export function LanguagesView({ definition, row }: LanguagesViewProps): JSX.Element {
  const revision = usePage(({ server }) => server?.revision);
  const { value: table, error } = useRequest(`${definition} ${row}`, revision, () =>
    fetchJson<LanguageTable>('languages', { definition, row }),
  );
  const [chosen, choose] = useState<string | null>(null);
  useShortcuts({ 'mod+z': () => void undoLast() });
  const targets = (table?.locales ?? []).filter((locale) => locale !== table?.source);
  const open = table?.texts.flatMap(({ translations }) => translations).find(({ state }) => state !== 'translated');
  const locale = targets.find((target) => target === chosen) ?? open?.locale ?? targets[0];
  return (
    <>
      <header class="page-header">
        <BackLink />
        <h1>{definition}</h1>
        <p>{table !== null && `${table.locales.length} languages`}</p>
        {table !== null && table.rows.length > 1 && (
          <Choice
            label="Row"
            value={table.row}
            options={table.rows.map((id) => [id, id])}
            onChoose={(id) => navigate({ kind: 'languages', definition, row: id })}
          />
        )}
        <SaveState />
      </header>
      {error !== null && <p class="failures">{error.message}</p>}
      {table !== null && <LanguageMatrix table={table} onTexts={choose} />}
      {table !== null && locale !== undefined && (
        <TranslationTable table={table} locale={locale} targets={targets} onLocale={choose} />
      )}
    </>
  );
}
