import { describe, expect, it } from 'vitest';
import { driftText } from '../../../src/report/terminal/drift-text.ts';
import type { DriftReport } from '../../../src/report/wording/drift-words.ts';

const NOTHING: DriftReport = { checked: 0, findings: [], notes: [], unclear: [], specs: [] };
const spec = { template: 'small', styleVersion: 'tsv_1' };

describe('driftText()', () => {
  it('reports that nothing has drifted', () => {
    expect(driftText({ ...NOTHING, checked: 1200 }, { color: false })).toBe(
      'Drift: 1,200 videos checked. Everything matches the lockfile.\n',
    );
  });

  it('lists drift and unverified videos, without queries', () => {
    const text = driftText(
      {
        checked: 9,
        findings: [
          { id: 'berlin', what: 'output_missing', url: 'renders/berlin-1.mp4' },
          { id: 'rome', what: 'video_gone', url: 'https://x.example/rome.mp4?signature=secret' },
          { id: 'stores/wien', what: 'asset_changed', url: 'https://cdn.example/a.png' },
        ],
        notes: [{ id: 'oslo', what: 'session_gone', url: 'https://x.example/oslo.mp4' }],
        specs: [{ ...spec, kind: 'unclear', why: 'x.example did not answer' }],
        unclear: ['a', 'b', 'c', 'd', 'a'].map((id) => ({
          id,
          url: 'https://y.example',
          why: 'y.example did not answer',
        })),
      },
      { color: false },
    );
    expect(text).toMatchInlineSnapshot(`
      "Drift: 9 videos checked, 4 not verified. 3 videos differ from the lockfile.

        ✗ berlin       its local file is missing  renders/berlin-1.mp4
        ✗ rome         its video can no longer be fetched  https://x.example/rome.mp4?…
        ✗ stores/wien  the content of one of its URLs changed  https://cdn.example/a.png

      Their videos are still available, so nothing is rendered:
        · oslo: the service no longer has the session

      Could not be verified:
        ? a, b, c and 1 more: y.example did not answer
        ? the template small: x.example did not answer

      \`reelform apply --refresh\` renders them again.
      "
    `);
    expect(text).not.toContain('secret');
  });

  it('does not count a note as drift', () => {
    const notes = ['oslo', 'rome'].map((id) => ({ id, what: 'session_gone' as const, url: 'https://x.example/a' }));
    expect(driftText({ ...NOTHING, checked: 2, notes }, { color: false })).toMatchInlineSnapshot(`
      "Drift: 2 videos checked. Everything matches the lockfile.

      Their videos are still available, so nothing is rendered:
        · oslo, rome: the service no longer has the session
      "
    `);
  });

  it('does not report a match of sources whose version is not recorded, and names them', () => {
    const notes = [{ id: 'oslo', what: 'source_unversioned' as const, url: 'https://x.example/a.png?key=secret' }];
    expect(driftText({ ...NOTHING, checked: 1, notes }, { color: false })).toMatchInlineSnapshot(`
      "Drift: 1 video checked. No differences were found.

      Their videos are still available, so nothing is rendered:
        · oslo: no version of https://x.example/a.png?… is recorded, so a change of it cannot be detected
      "
    `);
  });

  it('counts a video with a finding as checked', () => {
    const [url, why] = ['https://x.example/rome.mp4', 'x.example did not answer'];
    const findings = [{ id: 'rome', what: 'video_gone' as const, url }];
    const unclear = ['oslo', 'rome'].map((id) => ({ id, url, why }));
    expect(driftText({ ...NOTHING, checked: 1, findings, unclear }, { color: false })).toContain(
      'Drift: 1 video checked, 1 not verified. 1 video differs from the lockfile.',
    );
  });

  it('names the command that records new URLs', () => {
    const findings = [
      { id: 'oslo', what: 'link_expired' as const, url: 'https://x.example/oslo.mp4?signature=secret' },
      { id: 'rome', what: 'video_gone' as const, url: 'https://x.example/rome.mp4' },
    ];
    expect(driftText({ ...NOTHING, checked: 2, findings }, { color: false })).toMatchInlineSnapshot(`
      "Drift: 2 videos checked. 2 videos differ from the lockfile.

        ✗ oslo  its URL has expired, and the session has a new URL  https://x.example/oslo.mp4?…
        ✗ rome  its video can no longer be fetched  https://x.example/rome.mp4

      \`reelform apply --refresh-only\` records the new URLs without rendering.

      \`reelform apply --refresh\` renders the others again.
      "
    `);
  });

  it('lists changes of specifications up to the length of a line', () => {
    const at = (editable: string | null, field: string | null, before?: unknown, after?: unknown) => ({
      editable,
      field,
      before,
      after,
    });
    const changes = [
      at('t_01', 'max_length', 20, 30),
      at('t_02', null, { input_type: 'text' }),
      at('(Footage)/USER/\x1b.png', null, undefined, { input_type: 'image' }),
      at('c_01', 'label', undefined, 'x'.repeat(100)),
      at(null, 'editables', ['t_01', 'c_01'], ['c_01', 't_01']),
    ];
    const specs = [
      { ...spec, kind: 'changed' as const, changes: [...changes, at(null, 'fonts', ['A'], ['A', 'B'])] },
      { ...spec, kind: 'changed' as const, template: 'same', changes: [] },
      { ...spec, kind: 'gone' as const, template: 'other' },
    ];
    expect(driftText({ ...NOTHING, specs }, { color: false })).toMatchInlineSnapshot(`
      "Drift: 0 videos checked. No differences were found.

      Specifications that differ from the committed ones:
        ✗ small: t_01.max_length: 20 → 30, t_02 was removed, (Footage)/USER/\\u001b.png was added, c_01.label: none → "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…, the order of the editables changed, and 1 more
        ✗ same: only the order of its keys changed
        ✗ other: the service no longer has tsv_1

      \`reelform pull\` fetches the specifications; then run \`reelform plan\`.
      "
    `);
  });
});
