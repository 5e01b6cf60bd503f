import type { JSX } from 'preact';
import type { SoundBlock } from '../../timeline-protocol.ts';
import { formatLength } from '../wording.ts';

interface SoundTrackProps {
  readonly sounds: readonly SoundBlock[];
  /** Length of the video. */
  readonly seconds: number;
}

/** The sounds of a video below its scenes: hatched where an end is cut off, with a line at each pass of a repeated sound. */
export function SoundTrack({ sounds, seconds }: SoundTrackProps): JSX.Element | null {
  if (sounds.length === 0) return null;
  return (
    <div class="scene-sounds">
      {lanesOf(sounds, seconds).map((lane, index) => (
        <ul key={index} aria-label={index === 0 ? 'Sounds' : undefined}>
          {lane.map((sound) => (
            <Sound key={`${sound.scene} ${sound.name}`} sound={sound} seconds={seconds} />
          ))}
        </ul>
      ))}
    </div>
  );
}

function Sound({ sound, seconds }: { readonly sound: SoundBlock; readonly seconds: number }): JSX.Element {
  const { name, from, to, cutSeconds, passSeconds } = sound;
  const heard = to - from;
  const whole = shownEnd(sound, seconds) - from;
  const percent = (part: number): string => `${part * 100}%`;
  const words = soundWords(sound);
  return (
    <li
      class={cutSeconds === null ? 'sound unmeasured' : 'sound'}
      title={words}
      style={{ left: percent(from / seconds), width: percent(whole / seconds) }}
    >
      <i
        class={passSeconds === null ? 'sound-heard' : 'sound-heard repeated'}
        style={{
          width: percent(whole === 0 ? 1 : heard / whole),
          ...(passSeconds !== null && heard > 0 && { backgroundSize: `${percent(passSeconds / heard)} 100%` }),
        }}
      />
      {(cutSeconds ?? 0) > 0 && <i class="sound-cut" />}
      <span class="sound-name" aria-hidden="true">
        {name}
      </span>
      <span class="hidden">{words}</span>
    </li>
  );
}

function soundWords({ name, scene, from, to, cutSeconds, passSeconds }: SoundBlock): string {
  const whose = scene === null ? name : `${name} of ${scene}`;
  if (cutSeconds === null) return `${whose}: its length is not known`;
  if (passSeconds !== null) return `${whose}: repeated each ${formatLength(passSeconds)}`;
  if (cutSeconds === 0) return `${whose}: ${formatLength(to - from)}`;
  return `${whose}: ${formatLength(to - from)} of ${formatLength(to - from + cutSeconds)} are heard, the end is cut off`;
}

/** Returns the end of a sound with what is cut off, as far as the video reaches. */
function shownEnd({ to, cutSeconds }: SoundBlock, seconds: number): number {
  return Math.min(seconds, to + (cutSeconds ?? 0));
}

/** Distributes sounds over as few lanes as do not overlap. */
function lanesOf(sounds: readonly SoundBlock[], seconds: number): SoundBlock[][] {
  const lanes: SoundBlock[][] = [];
  for (const sound of sounds) {
    const free = lanes.find((lane) => shownEnd(lane.at(-1)!, seconds) <= sound.from + 0.001);
    if (free === undefined) lanes.push([sound]);
    else free.push(sound);
  }
  return lanes;
}
