import { describe, expect, it } from 'vitest';
import { driftText } from '../../src/report/drift-text.ts';

describe('driftText()', () => {
  it('says that all is as it was', () => {
    expect(driftText({ checked: 1200, findings: [], unclear: [] }, { color: false })).toBe(
      'Drift: 1,200 videos looked at. All is as it was recorded.\n',
    );
  });

  it('tells what is not, and what could not be told, without queries', () => {
    const text = driftText(
      {
        checked: 9,
        findings: [
          { id: 'berlin', what: 'output_missing', url: 'renders/berlin-1.mp4' },
          { id: 'oslo', what: 'session_gone', url: 'https://x.example/oslo.mp4' },
          { id: 'rome', what: 'video_gone', url: 'https://x.example/rome.mp4?signature=secret' },
          { id: 'stores/wien', what: 'asset_changed', url: 'https://cdn.example/a.png' },
        ],
        unclear: ['a', 'b', 'c', 'd', 'a'].map((id) => ({
          id,
          url: 'https://y.example',
          why: 'y.example did not answer',
        })),
      },
      { color: false },
    );
    expect(text).toMatchInlineSnapshot(`
      "Drift: 9 videos looked at. 4 videos are not as recorded.

        ✗ berlin       its local file is missing  renders/berlin-1.mp4
        ✗ oslo         the service does not have its session any more  https://x.example/oslo.mp4
        ✗ rome         its video cannot be fetched any more  https://x.example/rome.mp4?…
        ✗ stores/wien  a URL that it was made from gives something else  https://cdn.example/a.png

      Of these it could not be told:
        ? a, b, c and 1 more: y.example did not answer

      \`reelform apply --refresh\` renders them again.
      "
    `);
    expect(text).not.toContain('secret');
  });
});
