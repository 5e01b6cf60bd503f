/** The public API, for programs that plan or render themselves. */

import { type InMemoryFile, intoMemory, type RenderFileOptions } from './engine/rendered-file.ts';
import { loadWith } from './kernel/optional-packages.ts';
import type { RenderInput } from './template/render-input.ts';

export type { RenderService } from './contract/render-service.ts';
export type * from './contract/wire/mapping.ts';
export type * from './contract/wire/mapping.ts';
export type * from './contract/wire/output.ts';
export type * from './contract/wire/problem.ts';
export type * from './contract/wire/render-session.ts';
export type * from './contract/wire/render-session.ts';
export type * from './contract/wire/style-version.ts';
export { RENDER_EPOCH } from './engine/render-epoch.ts';
export type { Code, Diagnostic, Result, Severity, Span } from './kernel/diagnostic.ts';
export { CODES, ReelformError } from './kernel/diagnostic.ts';
export type { Source, Video, VideoId, VideoResource } from './reconciler/definition/video.ts';
export type { Fingerprint, Lock, LockEntry } from './reconciler/lock/lock.ts';
export { emptyLock } from './reconciler/lock/lock.ts';
export { parseLock, serialiseLock } from './reconciler/lock/lock-format.ts';
export type { DesiredVideo } from './reconciler/plan/desired-video.ts';
export { desiredVideo } from './reconciler/plan/desired-video.ts';
export type { Action, Change, Plan, Reason } from './reconciler/plan/plan.ts';
export type { PlanDocument } from './reconciler/plan/plan-document.ts';
export { planDocument } from './reconciler/plan/plan-document.ts';
export { planVideos } from './reconciler/plan/plan-videos.ts';
export type { Project } from './reconciler/project/load-project.ts';
export { loadProject } from './reconciler/project/load-project.ts';
export { bindMapping } from './template/bind/bind-mapping.ts';
export { parseTemplatePackage } from './template/parse-template-package.ts';
export type { RenderInput } from './template/render-input.ts';
export type { TemplatePackage } from './template/template-package.ts';

/**
 * Renders an input into memory. The memory that rendering takes beside the file does not depend on the length. The same input gives the same frames everywhere, and the same
 * bytes if the encoder guarantees it.
 *
 * @throws RenderError if this input cannot be rendered
 * @throws ReelformError `engine_missing`, `encoder_missing`
 * @throws the signal's reason, promptly, if it is aborted
 */
export async function renderFile(renderInput: RenderInput, options?: RenderFileOptions): Promise<InMemoryFile> {
  const engine = await loadWith('engine', () => import('./engine/render-file.ts'));
  return intoMemory(await engine.renderFile(renderInput, options));
}
