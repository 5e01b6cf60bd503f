import { defined } from '../../../kernel/defined.ts';
import { isRecord } from '../../../kernel/json.ts';
import { createOnce } from '../forge-client.ts';
import { type GitHub, numberOf, requestJson } from './github.ts';

/** A message about a range of lines in a file. */
export interface Annotation {
  /** Repository-relative. */
  readonly path: string;
  /** Counted from 1. */
  readonly startLine: number;
  readonly endLine: number;
  readonly level: 'failure' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

export interface CheckRun {
  readonly name: string;
  readonly headSha: string;
  readonly conclusion: 'success' | 'neutral' | 'failure' | 'action_required';
  readonly title: string;
  /** Markdown, at most 65,535 characters. */
  readonly summary: string;
  readonly annotations: readonly Annotation[];
  /** URL of the job; absent for GitHub's own page of the check. */
  readonly detailsUrl?: string;
  /** Distinguishes this check run from all other check runs. */
  readonly externalId: string;
}

/** GitHub's limit per request. */
const BATCH = 50;
/** Each batch is a request, and more annotations are not read anyway. */
const MAX_ANNOTATIONS = 500;
const LONGEST = { title: 255, message: 4_000 };

/** Writes a check run, with its annotations in batches. Keeps the first 500 annotations. */
export async function writeCheckRun(github: GitHub, check: CheckRun): Promise<void> {
  const annotations = check.annotations.slice(0, MAX_ANNOTATIONS).map(annotationJson);
  const output = (from: number): object => ({
    title: cut(check.title, LONGEST.title),
    summary: check.summary,
    annotations: annotations.slice(from, from + BATCH),
  });
  const id = await createCheckRun(github, check, {
    name: check.name,
    head_sha: check.headSha,
    status: 'completed',
    conclusion: check.conclusion,
    external_id: check.externalId,
    ...defined({ details_url: check.detailsUrl }),
    output: output(0),
  });
  for (let from = BATCH; from < annotations.length; from += BATCH) {
    // GitHub appends annotations, so a repeated request would duplicate them.
    await github.rest.send('PATCH', `${github.root}/check-runs/${id}`, {
      body: { output: output(from) },
      repeatability: 'once',
    });
  }
}

async function createCheckRun(github: GitHub, check: CheckRun, body: object): Promise<number> {
  return createOnce(
    async () => numberOf(await requestJson(github, 'POST', `${github.root}/check-runs`, { body }), 'id'),
    async () => {
      const query = `check_name=${encodeURIComponent(check.name)}&per_page=100`;
      const runs = await github.rest.list(`${github.root}/commits/${check.headSha}/check-runs?${query}`);
      const ours = runs.find((run) => isRecord(run) && run.external_id === check.externalId);
      return ours === undefined ? undefined : numberOf(ours, 'id');
    },
  );
}

function annotationJson({ path, startLine, endLine, level, title, message }: Annotation): object {
  return {
    path,
    start_line: startLine,
    end_line: Math.max(startLine, endLine),
    annotation_level: level,
    title: cut(title, LONGEST.title),
    message: cut(message, LONGEST.message),
  };
}

function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
