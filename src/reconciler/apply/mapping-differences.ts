import { isTiming, placesOf } from '../../contract/timeline/place.ts';
import {
  type ContentId,
  canonicalSpec,
  canonicalValue,
  furtherOutputs,
  plainScene,
  type SceneSpec,
  type SpecValue,
} from '../../contract/video-spec.ts';
import { captionsRequest } from '../../contract/wire/captions.ts';
import { type InheritedMeasures, plainOutput } from '../../contract/wire/defaults.ts';
import { fullLoudness } from '../../contract/wire/loudness.ts';
import { type AudioTransform, type Transform, trackKey } from '../../contract/wire/mapping.ts';
import type { RenderSession } from '../../contract/wire/render-session.ts';
import { sha256 } from '../../kernel/digest.ts';
import { isRecord, ownValue } from '../../kernel/json.ts';
import { hasContentLength } from '../definition/video-timeline.ts';
import { recordedSource } from '../lock/recorded-inputs.ts';
import { contentSpec, type DesiredVideo, hasUnknownLength, inheritedMeasures } from '../plan/desired-video.ts';
import { digestsOf } from '../plan/plan-videos.ts';
import {
  colorOf,
  type Fields,
  recordOf,
  type SessionDifference,
  scenesIn,
  show,
  urlOf,
} from './session-differences.ts';

/**
 * Returns how a session differs from a definition in anything that can change a frame or the sound. Other spellings of
 * the same value (`#eeada7`, a written-out default) are ignored. Values that cannot be compared count as different, so
 * that a fingerprint never stands for something that was not rendered.
 */
export function mappingDifferences(video: DesiredVideo, session: RenderSession): SessionDifference[] {
  const { measures } = video;
  const inherited = inheritedMeasures(video);
  const spec = canonicalSpec(contentSpec(video, video.styleVersions, digestsOf(video)), inherited);
  const { scenes, audio, output } = spec;
  const differences = new Map<string, SessionDifference>();
  const compare = (field: string, asked: unknown, found: unknown): void => {
    if (JSON.stringify(asked) === JSON.stringify(found) || differences.has(field)) return;
    differences.set(field, { field, asked: show(asked), found: show(found) });
  };
  const compareValues = (
    prefix: string,
    asked: ReadonlyMap<string, SpecValue<ContentId>>,
    found: Fields,
    upload: (key: string) => Fields,
  ): void => {
    for (const name of new Set([...asked.keys(), ...Object.keys(found)])) {
      const [wanted, had] = [asked.get(name), ownValue(found, name)];
      const value = wanted && had !== undefined ? foundValue(wanted, recordOf(had), upload(name)) : had;
      compare(`${prefix}${name}`, wanted && comparable(wanted, askedSource), value);
    }
  };
  const compareScene = (
    prefix: string,
    { template, resources, fonts, audio: tracks }: SceneSpec<ContentId>,
    answer: Fields,
    scene?: string,
  ): void => {
    const mapping = recordOf(answer.mapping);
    compare(`${prefix}template_style_version_id`, template, mapping.template_style_version_id);
    compareValues(prefix, resources, recordOf(mapping.resources), (key) => uploadOf(session, key, scene));
    for (const found of recordsOf(answer, 'audio_tracks')) {
      compareValues(`${prefix}audio_tracks.`, asSounds(tracks), found, (key) =>
        uploadOf(session, trackKey(key), scene),
      );
    }
    for (const found of recordsOf(answer, 'font_changes')) {
      for (const name of new Set([...fonts.keys(), ...Object.keys(found)])) {
        const change = ownValue(found, name);
        const font = recordOf(recordOf(change).source).font ?? change;
        compare(`${prefix}font_changes.${name}`, fonts.get(name), font);
      }
    }
  };
  const only = plainScene(spec);
  if (only !== null) compareScene('', { ...only, audio }, { ...session });
  else {
    const answers = scenesIn(session);
    compare(
      'scenes',
      scenes.map(({ id }) => id),
      answers.map(({ id }) => id),
    );
    for (const [index, scene] of scenes.entries()) {
      const answer = answers[index] ?? {};
      compareScene(`${scene.id}.`, scene, answer, scene.id);
      const length = video.times?.[index]?.length;
      const seconds = length === undefined || measures === null ? null : length / measures.rate;
      compare(
        `${scene.id}.captions`,
        captionsIn(captionsRequest(scene.captions)),
        captionsOf(answer, session, scene.id),
      );
      const isUnknown = hasUnknownLength(video) && hasContentLength(scene);
      if (!isUnknown)
        compare(`${scene.id}.seconds`, scene.duration === undefined ? undefined : seconds, answer.seconds);
      compare(`${scene.id}.timing`, scene.timing, placesIn(answer.timing));
      for (const name of ['transition', 'fit', 'background', 'shorten'] as const) {
        compare(`${scene.id}.${name}`, sorted(scene[name]), sorted(answer[name]));
      }
    }
    const tracks = recordOf(session.audio_tracks);
    compareValues('audio_tracks.', asSounds(audio), tracks, (key) => uploadOf(session, trackKey(key)));
    compare('size', measures ? [measures.width, measures.height] : (spec.size ?? null), session.size);
    compare('rate', measures?.rate ?? spec.rate, session.rate);
    if (measures !== null && !hasUnknownLength(video)) compare('frames', measures.frames, session.frames);
  }
  compare('loudness', sorted(spec.loudness), session.loudness && sorted(fullLoudness(session.loudness)));
  compare('captions', captionsIn(captionsRequest(spec.captions)), captionsOf({ ...session }, session));
  compare('output', outputOf({ ...output }, inherited), outputOf(recordOf(session.output), inherited));
  const foundFiles: readonly unknown[] = Array.isArray(session.outputs) ? session.outputs.slice(1) : [];
  const files = furtherOutputs(video);
  for (let at = 0; at < Math.max(files.length, foundFiles.length); at += 1) {
    const name = files[at]?.name ?? String(recordOf(foundFiles[at]).name);
    compare(`outputs.${name}`, fileOutput(files[at], inherited), fileOutput(foundFiles[at], inherited));
  }
  return [...differences.values()];
}

/** Leaves out what only a finished file has. */
function fileOutput(output: unknown, measures: InheritedMeasures): Fields | undefined {
  if (!isRecord(output)) return undefined;
  const {
    name,
    video_url: _url,
    bytes: _bytes,
    video_sha256: _digest,
    measured_loudness: _measured,
    ...fields
  } = output;
  return { name, ...outputOf(fields, measures) };
}

/** Returns the non-empty records in the mapping and beside it, or one empty record. */
function recordsOf(answer: Fields, name: 'audio_tracks' | 'font_changes'): Fields[] {
  const records = [answer[name], recordOf(answer.mapping)[name]].map(recordOf);
  const filled = records.filter((record) => Object.keys(record).length > 0);
  return filled.length > 0 ? filled : [{}];
}

/** Returns a canonical value as JSON. */
function comparable<S>(value: SpecValue<S>, sourceText: (source: S) => unknown): unknown {
  switch (value.kind) {
    case 'text':
      return value.text;
    case 'color':
      return value.color;
    case 'font':
      return value.font;
    case 'image':
    case 'video':
    case 'audio':
      return { source: sourceText(value.source), ...sortedFields(value.transform) };
  }
}

/** Returns a value of a session in the form of `comparable`. @param wanted determines its kind */
function foundValue(wanted: SpecValue<ContentId>, found: Fields, upload: Fields): unknown {
  const source = recordOf(found.source);
  switch (wanted.kind) {
    case 'text':
      return source.text;
    case 'color':
      return colorOf(source.text);
    case 'font':
      return source.font;
    case 'image':
    case 'video':
    case 'audio': {
      const url = 'url' in wanted.source ? urlOf(source.remote_url) : fileOf(source.remote_url, upload);
      const value = { kind: wanted.kind, source: url, transform: writtenTransform(recordOf(found.transform)) };
      return comparable(canonicalValue(value), (text) => text);
    }
  }
}

function askedSource(source: ContentId): unknown {
  return 'url' in source ? urlOf(source.url) : recordedSource(source);
}

/** Returns the digest of a source's bytes if the service reports it, else its URL. */
function fileOf(url: unknown, upload: Fields): unknown {
  const digest = /^urn:(sha256:[0-9a-f]{64})$/.exec(String(url))?.[1];
  if (digest !== undefined) return digest;
  return upload.remote_url === url && typeof upload.sha256 === 'string' ? `sha256:${upload.sha256}` : url;
}

function uploadOf(session: RenderSession, key: string, scene?: string): Fields {
  const uploads: readonly unknown[] = Array.isArray(session.source_uploads) ? session.source_uploads : [];
  return uploads.map(recordOf).find((upload) => upload.key === key && upload.scene === scene) ?? {};
}

/** Returns captions with the digest of their text in place of their source. @param fetched digest of the file at their URL */
function captionsIn(captions: unknown, fetched?: unknown): Fields | undefined {
  if (!isRecord(captions)) return undefined;
  const { source, style, ...rest } = captions;
  const { text } = recordOf(source);
  const content = typeof text === 'string' ? `sha256:${sha256(text)}` : fetched;
  return { source: content, ...sortedFields(rest), style: sorted(style) };
}

/** Returns the captions of a session or of one of its scenes. */
function captionsOf({ captions }: Fields, session: RenderSession, scene?: string): Fields | undefined {
  const { remote_url } = recordOf(recordOf(captions).source);
  return captionsIn(captions, fileOf(remote_url, uploadOf(session, 'captions', scene)));
}

function asSounds(audio: SceneSpec<ContentId>['audio']): Map<string, SpecValue<ContentId>> {
  return new Map([...audio].map(([name, sound]) => [name, { kind: 'audio', ...sound }]));
}

/** Returns places with their defaults. */
function placesIn(timing: unknown): unknown {
  if (!isTiming(timing)) return timing;
  return placesOf({ timing, rate: 1, frames: Number.MAX_SAFE_INTEGER, stillcuts: {} });
}

/** Returns a value whose fields are sorted. */
function sorted(value: unknown): unknown {
  return isRecord(value) ? sortedFields(value) : value;
}

/** Returns a transform with the spelling of definitions: without null, the background in upper case. */
function writtenTransform(transform: Fields): Transform & AudioTransform {
  const { background, ...fields } = sortedFields(transform);
  return background === undefined ? fields : { ...fields, background: colorOf(background) as string };
}

function outputOf(output: Fields, measures: InheritedMeasures): Fields | undefined {
  const plain = plainOutput(sortedFields(output), measures);
  return plain === null ? undefined : sortedFields(plain);
}

/** Removes fields without a value, and sorts the others. */
function sortedFields(fields: object): Fields {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
