import type { JSX } from 'preact';
import type { PreviewProblem } from '../../problem-protocol.ts';
import type { SourcePosition } from '../../protocol.ts';
import { postJson } from '../server.ts';
import { usePage } from '../store.ts';
import { Icon } from './icon.tsx';
import { notifyError } from './notices.tsx';

/** Diagnostics with their positions. */
export function ProblemList({ problems }: { readonly problems: readonly PreviewProblem[] }): JSX.Element {
  return (
    <ul class="problems">
      {problems.map((problem) => (
        <li key={`${problem.code} ${problem.file} ${problem.line} ${problem.message}`} class={problem.severity}>
          <ProblemText problem={problem} />
          {problem.file !== null && (
            <OpenLink at={{ path: problem.file, line: problem.line ?? 1, column: problem.column ?? 1 }} />
          )}
        </li>
      ))}
    </ul>
  );
}

export function ProblemText({ problem }: { readonly problem: PreviewProblem }): JSX.Element {
  return (
    <p class="problem-text">
      <Icon name={problem.severity === 'error' ? 'error' : 'warning'} size={14} />
      <span>
        <span class="hidden">{problem.severity}: </span>
        {problem.message}
      </span>
      {problem.hint !== null && <small>{problem.hint}</small>}
    </p>
  );
}

/** Opens a file at a line in the user's editor; the position alone where there is no server. */
export function OpenLink({ at, label }: { readonly at: SourcePosition; readonly label?: string }): JSX.Element {
  const isLive = usePage(({ server }) => server?.isLive ?? false);
  const text = label ?? `${at.path}:${at.line}`;
  if (!isLive) return <span class="source-link">{text}</span>;
  return (
    <button
      type="button"
      class="source-link"
      title={`Open ${at.path}:${at.line} in the editor`}
      onClick={() => postJson('open', at).catch(notifyError)}
    >
      {text}
      <Icon name="open" size={12} />
    </button>
  );
}
