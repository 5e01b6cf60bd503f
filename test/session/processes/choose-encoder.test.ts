import { describe, expect, test } from 'vitest';
import { chooseEncoder } from '../../../src/session/processes/choose-encoder.ts';

describe('chooseEncoder()', () => {
  test('takes the configured one, and before it that of the environment', () => {
    expect(chooseEncoder({ h264: 'x264' }, {})).toEqual({ h264: 'x264' });
    expect(chooseEncoder({ h264: 'nvenc' }, { REELFORM_ENCODER: '' })).toEqual({ h264: 'nvenc' });
    expect(chooseEncoder({ h264: 'nvenc' }, { REELFORM_ENCODER: 'videotoolbox' })).toEqual({ h264: 'videotoolbox' });
  });

  test('says settings_invalid for another name, and of a former one what to do instead', () => {
    const refused = (hint: string): object =>
      expect.objectContaining({ code: 'settings_invalid', hint: expect.stringContaining(hint) });
    const choose = (name: string) => () => chooseEncoder({ h264: 'x264' }, { REELFORM_ENCODER: name });
    expect(choose('x265')).toThrow(refused('x264, videotoolbox, nvenc'));
    expect(choose('ffmpeg')).toThrow(refused('leave it out'));
    expect(choose('embedded')).toThrow(refused('leave it out'));
  });
});
