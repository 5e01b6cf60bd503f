import { segmentRanges } from '../../engine/segments/segment-ranges.ts';
import type { BoundScene } from '../bind-scene.ts';
import type { SplitRenders, TenantId } from '../ports.ts';
import type { RenderPace } from '../render-pace.ts';
import { packParcel } from './parcel.ts';
import type { PartEvent } from './part-event.ts';
import { partRanges, partsOf, type SplitRules } from './parts-of.ts';
import type { PartFiles, RenderLoad, SplitStore } from './split-ports.ts';

export interface SplitRendersPorts {
  readonly splits: SplitStore;
  readonly files: PartFiles;
  readonly load: RenderLoad;
  readonly pace: RenderPace;
  readonly rules: SplitRules;
  /** How many renders of a tenant may be at work at once; Infinity where that is not limited. */
  placesOf(tenant: TenantId): number;
  onEvent?(event: PartEvent): void;
}

/**
 * Has long videos rendered in parts where places are idle, and lets a session wait whose scene another one has rendered in
 * parts already. What follows is `PartRunner`'s.
 */
export function createSplitRenders({
  splits,
  files,
  load,
  pace,
  rules,
  placesOf,
  onEvent,
}: SplitRendersPorts): SplitRenders {
  return {
    async take({ stored, scene, ...times }) {
      const { attempt } = stored;
      const { id } = stored.session;
      const of = { session: id, attempt };
      const segments = segmentRanges(scene);
      const question = {
        segmentCount: segments.length,
        videoSeconds: scene.frameCount / scene.fps,
        renderSeconds: pace.expect(scene),
        sceneBytes: bytesOf(scene),
      };
      // What is too short whatever the load costs no question to the database.
      if (partsOf({ ...question, idlePlaces: segments.length }, rules) === 1) return false;
      if ((await splits.wait(of, 1)) === 'waits') {
        onEvent?.({ kind: 'session-waits', id, attempt });
        return true;
      }
      const { places, busy, queued } = await load.load();
      const idlePlaces = Math.max(0, Math.min(places - busy - queued, placesOf(stored.tenant) - 1));
      const parts = partsOf({ ...question, idlePlaces }, rules);
      if (parts === 1) return false;
      const { bytes, sha256 } = packParcel(scene);
      await files.putScene(of, bytes);
      const rows = partRanges(segments.length, parts).map((range) => {
        const frameCount = segments[range.end - 1]!.end - segments[range.first]!.first;
        return { segments: range, frameCount, sha256: null };
      });
      if (await splits.begin(of, { ...times, sceneSha256: sha256, parts: rows })) {
        onEvent?.({ kind: 'session-split', id, attempt, parts });
      } else {
        await files.remove(of);
      }
      return true;
    },
  };
}

function bytesOf({ fonts, images, clips, sounds }: BoundScene): number {
  return [...fonts, ...images, ...clips, ...sounds].reduce((sum, { bytes }) => sum + bytes.length, 0);
}
