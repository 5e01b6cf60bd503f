import type { OutputRequest } from '../../src/contract/wire/output.ts';
import type { Diagnostic } from '../../src/kernel/diagnostic.ts';
import type { DeliverContext } from '../../src/reconciler/definition/destinations.ts';
import type { OutputProblem } from '../../src/reconciler/definition/read-outputs.ts';
import { type Resolved, resolveDefinitions } from '../../src/reconciler/definition/resolve-definitions.ts';
import type { Video } from '../../src/reconciler/definition/video.ts';
import { createChecks } from '../../src/reconciler/schema/create-checks.ts';
import { textPosition } from '../../src/report/json/diagnostics-json.ts';
import { LAUNCH_SPEC } from './launch-spec.ts';

export type Files = Readonly<Record<string, string>>;

const checks = createChecks();
const check = checks.video({ name: 'launch', spec: LAUNCH_SPEC });

/** Fonts in the package of `launch`. */
const FONTS = ['Inter-Bold', 'Inter-Regular', 'Inter-Black'];

/** Refuses outputs wider than 4096 pixels, for a template twice as wide as high. */
function outputProblems({ height = 0 }: OutputRequest): OutputProblem[] {
  return height > 2048 ? [{ field: 'height', message: 'it would be too wide' }] : [];
}

/** Values of the required editables of `launch`. */
export const RESOURCES = `resources:
  t_01: Hello
  c_01: "#EEADA7"
  (Footage)/USER/hero.jpg: images/hero.jpg
`;

export const DEFINITION = `template: launch\ntitle: Summer\n${RESOURCES}`;

const NOWHERE: DeliverContext = { all: [], problemOf: () => null, isWritable: () => true };

/** Resolves definitions below `videos/` from memory, over the template `launch`. */
export function resolve(files: Files, deliver: DeliverContext = NOWHERE): Resolved {
  const paths = Object.keys(files).filter((path) => path.startsWith('videos/') && /\.ya?ml$/.test(path));
  return resolveDefinitions(paths, {
    folder: 'videos',
    templates: new Map([['launch', { spec: LAUNCH_SPEC, check, fonts: FONTS, facts: null }]]),
    outputProblems,
    checkPlacement: checks.placement,
    output: null,
    deliver,
    templateNames: ['launch', 'unpulled'],
    checkFile: checks.file,
    checkAny: checks.anyVideo,
    read: (path) => {
      const text = Object.hasOwn(files, path) ? files[path] : undefined;
      return text === undefined ? { ok: false, reason: 'missing' } : { ok: true, text };
    },
  });
}

export function videosOf(files: Files): Video[] {
  const { videos, diagnostics } = resolve(files);
  if (diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics, null, 2));
  return videos.map(({ video }) => video);
}

/** Returns `code file:line:column` of each problem. */
export function problemsOf(files: Files): string[] {
  return resolve(files).diagnostics.map((diagnostic) => placed(diagnostic, (file) => files[file]));
}

export function placed({ code, at }: Diagnostic, source: (file: string) => string | undefined): string {
  if (at === undefined) return code;
  const { line, column } = textPosition(source(at.file) ?? '', at.start);
  return `${code} ${at.file}:${line}:${column}`;
}
