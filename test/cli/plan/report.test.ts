import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/kernel/diagnostic.ts';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { writeFiles } from '../../support/temporary-repository.ts';
import { reelform } from '../../support/test-io.ts';

const report = (root: string, file: string): string => readFileSync(join(root, 'review', file), 'utf8');
const codes = (root: string): string[] =>
  (JSON.parse(report(root, 'plan.json')) as { diagnostics: { code: string }[] }).diagnostics.map(({ code }) => code);

describe('reelform plan --report', () => {
  it('writes the document, the page and the pictures of one plan', async () => {
    const root = makeRepository();
    const flags = ['plan', '--report', 'review', '--preview', 'stills', '--target', 'rome', '--json'];
    const { exitCode, stdout } = await reelform(root, flags, { now: Date.now });
    expect([exitCode, report(root, 'plan.json')]).toEqual([EXIT.ok, stdout]);
    expect(report(root, 'plan.html')).toContain('data:image/jpeg;base64,');
    expect(readdirSync(join(root, 'review')).sort()).toEqual(['plan.html', 'plan.json', 'preview']);
    expect(report(root, 'preview/index.json')).toContain('rome/');
  });

  it('writes them for a denied plan, an invalid one, and one that could not start', async () => {
    const root = makeRepository({ 'reelform.yaml': `${CONFIG}policies: {forbid_words: {words: [Rome]}}\n` });
    const flags = ['plan', '--report', 'review', '--preview', 'none'];
    expect((await reelform(root, flags)).exitCode).toBe(EXIT.refused);
    expect(codes(root)).toContain('policy_broken');
    expect(report(root, 'plan.html')).toContain('policy_broken');
    writeFiles(root, { 'videos/rome.yaml': `${definition('Roma')}nonsense: 1\n` });
    const { exitCode, stdout } = await reelform(root, flags);
    expect([exitCode, stdout]).toEqual([EXIT.error, '']);
    expect(codes(root)).not.toEqual([]);
    writeFiles(root, { 'videos/rome.yaml': definition('Roma') });
    expect((await reelform(root, [...flags, '--target-file', 'nowhere'])).exitCode).toBe(EXIT.error);
    expect(codes(root)).toEqual([expect.any(String)]);
  });
});
