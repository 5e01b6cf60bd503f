import type { JSX } from 'preact';
import type { PreviewProblem } from '../../problem-protocol.ts';
import type { DefinitionSource, VideoDetail } from '../../protocol.ts';
import { OpenLink, ProblemText } from '../controls/problem-list.tsx';
import { tokenizeYaml } from '../yaml-tokens.ts';

/** Lines of a file that are shown at most; data files may have many thousands. */
const MAX_LINES = 1500;

/** The files that a video is made from, with diagnostics at their lines. */
export function SourcePanel({ detail }: { readonly detail: VideoDetail }): JSX.Element {
  const changed = new Set([...detail.inputs.map(({ key }) => key), ...detail.fields.map(({ field }) => field)]);
  return (
    <>
      {detail.sources.map((source) => (
        <Source
          key={source.path}
          source={source}
          problems={detail.card.problems.filter(({ file }) => file === source.path)}
          changedLines={
            new Set(
              detail.form.flatMap(({ key, origin: { at } }) =>
                changed.has(key) && at?.path === source.path ? [at.line] : [],
              ),
            )
          }
        />
      ))}
    </>
  );
}

interface SourceProps {
  readonly source: DefinitionSource;
  readonly problems: readonly PreviewProblem[];
  readonly changedLines: ReadonlySet<number>;
}

function Source({ source, problems, changedLines }: SourceProps): JSX.Element {
  const isYaml = /\.ya?ml$/.test(source.path);
  const lines = source.text?.split('\n') ?? [];
  const shown = lines.at(-1) === '' ? lines.slice(0, -1) : lines;
  return (
    <section class="source">
      <header>
        <h2>{source.path}</h2>
        <span class="role">{source.role}</span>
        <OpenLink at={{ path: source.path, line: problems[0]?.line ?? 1, column: 1 }} label="Open in editor" />
      </header>
      {source.text === null ? (
        <p class="calm">This file cannot be read.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls long lines.
        <ol class="code" tabIndex={0} aria-label={`Text of ${source.path}`}>
          {shown.slice(0, MAX_LINES).map((line, index) => {
            const here = problems.filter((problem) => (problem.line ?? 1) === index + 1);
            return (
              <li key={index} class={lineClass(here, changedLines.has(index + 1))}>
                <code>
                  {isYaml
                    ? tokenizeYaml(line).map(({ kind, text }) => <span class={`yaml-${kind}`}>{text}</span>)
                    : line}
                </code>
                {here.map((problem) => (
                  <div key={problem.message} class={`line-problem ${problem.severity}`}>
                    <ProblemText problem={problem} />
                  </div>
                ))}
              </li>
            );
          })}
        </ol>
      )}
      {shown.length > MAX_LINES && <p class="calm">{shown.length - MAX_LINES} more lines are not shown.</p>}
    </section>
  );
}

function lineClass(problems: readonly PreviewProblem[], isChanged: boolean): string {
  if (problems.some(({ severity }) => severity === 'error')) return 'has-error';
  if (problems.length > 0) return 'has-warning';
  return isChanged ? 'is-changed' : '';
}
