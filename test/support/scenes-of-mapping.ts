import { type Mapping, trackOf } from '../../src/contract/wire/mapping.ts';
import { scenesOf } from '../../src/contract/wire/scene-request.ts';
import type { SessionTemplate } from '../../src/service/sessions/bind-template.ts';
import type { SceneSources } from '../../src/service/sessions/session-scenes.ts';

type Values = Pick<Mapping, 'resources' | 'audio_tracks' | 'font_changes'>;

/**
 * Returns the scenes of a request for a single template.
 *
 * @param sources by editable key and `trackKey`
 */
export function scenesOfMapping<Template extends Pick<SessionTemplate, 'spec'>, T>(
  template: Template,
  { resources, audio_tracks, font_changes }: Values,
  sources: ReadonlyMap<string, T> = new Map(),
) {
  const mapping: Mapping = { template_style_version_id: template.spec.id, resources };
  if (audio_tracks !== undefined) mapping.audio_tracks = audio_tracks;
  if (font_changes !== undefined) mapping.font_changes = font_changes;
  const ofKind = (isTrack: boolean) => new Map([...sources].filter(([key]) => (trackOf(key) !== null) === isTrack));
  const found: SceneSources<T> = { scenes: [ofKind(false)], tracks: ofKind(true) };
  return { video: scenesOf({ mapping }), templates: new Map([[template.spec.id, template]]), sources: found };
}
