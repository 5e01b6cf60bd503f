import type { Place } from '../../contract/timeline/place.ts';
import type { Timeline } from '../../contract/timeline/timeline.ts';
import type { TemplatePackage } from '../../template/template-package.ts';

/** When and how the scenes of a video are shown. */
export interface SceneTimeline {
  readonly timeline: Timeline;
  /** By name of the template, where it can become longer or shorter. */
  readonly timing: Readonly<Record<string, readonly Place[]>>;
}

/** The templates of a video, and when it shows them. */
export interface VideoTemplates {
  /** By name. */
  readonly packages: ReadonlyMap<string, TemplatePackage>;
  /** Null for a template with values, and if a length is not known. */
  readonly scenes: SceneTimeline | null;
}
