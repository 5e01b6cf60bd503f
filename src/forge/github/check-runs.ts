import { isRecord } from '../../json.ts';
import { readJson } from '../forge-client.ts';
import { createOnce } from '../forge-error.ts';
import { type GitHub, numberOf } from './github.ts';

/** A place in a file with something to say about it. */
export interface Annotation {
  /** Repository-relative. */
  readonly path: string;
  /** From 1. */
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
  /** Markdown, 65,535 characters at most. */
  readonly summary: string;
  readonly annotations: readonly Annotation[];
  /** The page of the job; absent: GitHub's own of the check. */
  readonly detailsUrl?: string;
  /** Tells this run of the check from every other. */
  readonly externalId: string;
}

/** GitHub takes no more at once. */
const BATCH = 50;
/** Nobody reads more, and each batch is a request. */
const MOST_ANNOTATIONS = 500;
const LONGEST = { title: 255, message: 4_000 };

/** Writes a check run, its annotations in batches. The first of them are kept, 500 at most. */
export async function writeCheckRun(github: GitHub, check: CheckRun): Promise<void> {
  const annotations = check.annotations.slice(0, MOST_ANNOTATIONS).map(annotationJson);
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
    ...(check.detailsUrl === undefined ? {} : { details_url: check.detailsUrl }),
    output: output(0),
  });
  for (let from = BATCH; from < annotations.length; from += BATCH) {
    // Annotations are added: the same ones twice would stand there twice.
    await github.rest.send('PATCH', `${github.root}/check-runs/${id}`, {
      body: { output: output(from) },
      repeatability: 'once',
    });
  }
}

async function createCheckRun(github: GitHub, check: CheckRun, body: object): Promise<number> {
  const path = `${github.root}/check-runs`;
  return createOnce(
    async () => numberOf(readJson(await github.rest.send('POST', path, { body }), `POST ${path}`, 'GitHub'), 'id'),
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
