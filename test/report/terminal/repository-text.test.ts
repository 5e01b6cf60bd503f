import { describe, expect, it } from 'vitest';
import { doctorText } from '../../../src/report/terminal/repository-text.ts';

describe('doctorText()', () => {
  it('marks each check, with hints below and a summary', () => {
    expect(
      doctorText(
        [
          { name: 'Node', status: 'ok', message: '20.19.0' },
          { name: 'Lockfile', status: 'error', message: 'conflict markers', hint: 'Run `reelform lock merge`' },
          {
            name: 'Service',
            status: 'warning',
            message: 'keeps no idempotency keys\x1b[2J',
            hint: 'See `service.capabilities`',
          },
        ],
        { color: false },
      ),
    ).toMatchInlineSnapshot(`
      "✓ Node      20.19.0
      ✗ Lockfile  conflict markers
                  hint: Run \`reelform lock merge\`
      ! Service   keeps no idempotency keys\\u001b[2J
                  hint: See \`service.capabilities\`

      1 error and 1 warning.
      "
    `);
  });

  it('reports that all checks passed', () => {
    expect(doctorText([{ name: 'Node', status: 'ok', message: '20.19.0' }], { color: false })).toBe(
      '✓ Node  20.19.0\n\nEverything is OK.\n',
    );
  });
});
