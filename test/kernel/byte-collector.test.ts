import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ByteCollector } from '../../src/kernel/byte-collector.ts';

describe('ByteCollector', () => {
  it.each([
    ['no length is known', undefined],
    ['the length is right', 2_500_000],
    ['more arrives than expected', 10],
    ['less arrives than expected', 3_000_000],
    ['nothing is expected', 0],
  ])('returns the chunks in order when %s', (_, expectedBytes) => {
    const whole = randomBytes(2_500_000);
    const collector = new ByteCollector(expectedBytes);
    for (let start = 0; start < whole.length; start += 70_001) collector.add(whole.subarray(start, start + 70_001));
    expect(collector.length).toBe(whole.length);
    expect(collector.bytes().equals(whole)).toBe(true);
  });

  it('returns no bytes before the first chunk', () => {
    expect(new ByteCollector().bytes()).toHaveLength(0);
  });
});
