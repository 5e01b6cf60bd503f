import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/kernel/digest.ts';
import type { DesiredVideo } from '../../../src/reconciler/plan/desired-video.ts';
import { planDocument } from '../../../src/reconciler/plan/plan-document.ts';
import { desired, emptyLock, lockOf, plan, text, track } from './videos.ts';

describe('an editable named like a track', () => {
  const named = (editable: string, volume: number) =>
    desired('a', {
      resources: { 'audio.voice': text(editable), output: text('Bern') },
      audio: new Map([['voice', track('a.mp3', { volume })]]),
    });
  const was = named('Hello', 0.5);

  test('keeps both inputs in the lock entry', () => {
    expect(lockOf(was).videos.get('a')!.inputs).toEqual({
      'editables.audio.voice': 'Hello',
      'editables.output': 'Bern',
      'audio.voice': `sha256:${sha256('a.mp3')} volume=0.5`,
    });
  });

  test('shows which of the two has changed', () => {
    const changesOf = (is: DesiredVideo) =>
      planDocument(plan([is], lockOf(was)), '1.0.0', [], (_, key) => `Label of ${key}`).changes[0]!.inputs;
    expect(changesOf(named('Hi', 0.5))).toEqual([
      { key: 'editables.audio.voice', label: 'Label of audio.voice', kind: 'text', before: 'Hello', after: 'Hi' },
    ]);
    expect(changesOf(named('Hello', 1))).toMatchObject([{ key: 'audio.voice', kind: 'audio', value: 'a.mp3' }]);
  });

  test('is found in entries of earlier versions, which had no prefix', () => {
    const alone = (value: string) => desired('a', { resources: { 'audio.voice': text(value) } });
    const entry = { ...lockOf(alone('Hello')).videos.get('a')!, inputs: { 'audio.voice': 'Hello' } };
    const lock = { ...emptyLock, videos: new Map([['a', entry]]) };
    expect(plan([alone('Hello')], lock).changes[0]!.action).toBe('noop');
    expect(plan([alone('Hi')], lock).changes[0]!.inputs).toEqual([
      { key: 'editables.audio.voice', before: 'Hello', after: 'Hi' },
    ]);
  });
});
