import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LocaleSettings } from '../../../src/reconciler/locales/locale-settings.ts';
import { CONFIG, makeRepository } from '../../support/repository.ts';
import { printedProblems, resolveScenes } from '../../support/resolve-scenes.ts';
import { solidPng } from '../../support/small-package.ts';
import { reelform } from '../../support/test-io.ts';

const LOCALES: LocaleSettings = {
  source: 'en',
  targets: ['pt-BR', 'es-MX', 'zh-TW'],
  files: 'locales/{locale}.po',
  missing: 'skip',
  columns: [],
  ids: 'all',
};

const DEFINITION = `title: "12"
locales: [pt-BR, es-MX]
captions: {from: "captions/\${locale}.vtt"}
audio:
  voice: {source: "voice/\${locale}.mp3", words: "./\${locale}.words.json"}
scenes:
  - {template: card, resources: {t_01: "1", logo: "images/\${locale}/logo.png"}}
`;
const VTT = 'WEBVTT\n\n00:00.000 --> 00:01.000\nOlá\n';
const WORDS = '[{"text": "Olá", "start": 0, "end": 1}]';

describe('files of a locale', () => {
  it('are those of its nearest parent if it has none, with a finding each', () => {
    const files = {
      'videos/a.yaml': DEFINITION,
      'captions/pt.vtt': VTT,
      'captions/es-419.vtt': VTT,
      'captions/es.vtt': VTT,
      'voice/pt.mp3': 'x',
      'voice/es.mp3': 'x',
      'voice/es-MX.mp3': 'x',
      'videos/pt-BR.words.json': WORDS,
      'videos/es.words.json': WORDS,
      'images/pt/logo.png': 'x',
      'images/es/logo.png': 'x',
    };
    const { videos, texts, fallbacks, diagnostics } = resolveScenes(files, LOCALES);
    expect(diagnostics).toEqual([]);
    expect(videos.map(({ video, files: used }) => [video.id, ...used.map(({ path }) => path)])).toEqual([
      ['a/es-MX', 'voice/es-MX.mp3', 'images/es/logo.png'],
      ['a/pt-BR', 'voice/pt.mp3', 'images/pt/logo.png'],
    ]);
    expect(texts.map(({ id, fallbacks: count, waits, first }) => [id, count, waits, first.name, first.used])).toEqual([
      ['a/es-MX', 3, false, 'videos/es-MX.words.json', 'videos/es.words.json'],
      ['a/pt-BR', 3, false, 'voice/pt-BR.mp3', 'voice/pt.mp3'],
    ]);
    expect(fallbacks.map(({ code, at, message }) => `${code} ${at?.file} ${message}`)).toEqual([
      'locale_fallback videos/a.yaml pt-BR has no captions/pt-BR.vtt; captions/pt.vtt is used',
      'locale_fallback videos/a.yaml es-MX has no captions/es-MX.vtt; captions/es-419.vtt is used',
      'locale_fallback videos/a.yaml pt-BR has no voice/pt-BR.mp3; voice/pt.mp3 is used',
      'locale_fallback videos/a.yaml es-MX has no videos/es-MX.words.json; videos/es.words.json is used',
      'locale_fallback videos/a.yaml pt-BR has no images/pt-BR/logo.png; images/pt/logo.png is used',
      'locale_fallback videos/a.yaml es-MX has no images/es-MX/logo.png; images/es/logo.png is used',
    ]);
  });

  it('are never those of another script or of the source', () => {
    const definition = `title: "12"\nlocales: [zh-TW]\ntemplate: plain\ncaptions: {from: "c/\${locale}.vtt"}\n`;
    const files = { 'videos/a.yaml': definition, 'c/zh.vtt': VTT, 'c/en.vtt': VTT };
    expect(printedProblems(files, LOCALES)).toMatchInlineSnapshot(`
      "videos/a.yaml:4:18
        error  The file "c/zh-TW.vtt" does not exist, nor does "c/zh-Hant-TW.vtt", nor does "c/zh-Hant.vtt"  missing_file
               Paths are relative to the root of the repository, or with ./ to the folder of the file that contains them

          3 | template: plain
        > 4 | captions: {from: "c/\${locale}.vtt"}
            |                  ^^^^^^^^^^^^^^^^^

      1 error in 1 file
      "
    `);
    expect(resolveScenes({ ...files, 'c/zh-Hant.vtt': VTT }, LOCALES).diagnostics).toEqual([]);
  });

  it('include fonts, whose names the template has for some locales only', () => {
    const definition = 'title: "12"\nlocales: [Roboto-x]\ntemplate: plain\nfonts: {Inter: "${locale}"}\n';
    const settings = { ...LOCALES, targets: ['Roboto-x'] };
    const { videos, fallbacks } = resolveScenes({ 'videos/a.yaml': definition }, settings);
    expect(videos.map(({ video }) => [...video.scenes[0]!.fonts])).toEqual([[['Inter', 'Roboto']]]);
    expect(fallbacks.map(({ message }) => message)).toEqual(['Roboto-x has no Roboto-x; Roboto is used']);
  });

  it('are used as soon as they exist, and fall back again when they are removed, with the plan cache', async () => {
    const root = makeRepository({
      'reelform.yaml': `${CONFIG}locales: {source: en, targets: [pt-BR]}\n`,
      'videos/rome.yaml': `template: small\ntitle: "1"\nlocales: [pt-BR]\nresources:\n  t_01: "2"\n  c_01: "#EEADA7"\n  (Footage)/USER/photo.png: "./images/\${locale}/photo.png"\n`, // biome-ignore format: one text
      'videos/images/pt/photo.png': solidPng('#00ff00'),
    });
    const plan = async (): Promise<unknown[]> => {
      const { changes, texts } = JSON.parse((await reelform(root, ['plan', '--json'])).stdout);
      const change = changes.find(({ id }: { id: string }) => id === 'rome/pt-BR');
      return [change?.after?.fingerprint, texts?.[0]?.fallbacks, texts?.[0]?.first];
    };
    const first = await plan();
    expect(first.slice(1)).toEqual([1, { video: 'rome/pt-BR', state: 'fallback', name: 'videos/images/pt-BR/photo.png', used: 'videos/images/pt/photo.png', file: 'videos/rome.yaml', line: 7 }]); // biome-ignore format: one expectation
    expect(await plan()).toEqual(first);
    expect((await reelform(root, ['validate'])).stderr).toContain('locale_fallback');
    mkdirSync(join(root, 'videos/images/pt-BR'));
    writeFileSync(join(root, 'videos/images/pt-BR/photo.png'), solidPng('#0000ff'));
    const [fingerprint, ...rest] = await plan();
    expect([fingerprint === first[0], ...rest]).toEqual([false, undefined, undefined]);
    rmSync(join(root, 'videos/images/pt-BR/photo.png'));
    expect(await plan()).toEqual(first);
    rmSync(join(root, 'videos/images/pt/photo.png'));
    const { stderr } = await reelform(root, ['plan']);
    expect(stderr).toContain('The file "videos/images/pt-BR/photo.png" does not exist, nor does "videos/images/pt/photo.png"'); // biome-ignore format: one expectation
  });
});
