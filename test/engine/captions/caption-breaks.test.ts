import { describe, expect, it } from 'vitest';
import { captionBreaks } from '../../../src/engine/captions/caption-breaks.ts';

async function pieces(text: string, lang: string | null = null): Promise<string> {
  const { phrases } = await captionBreaks(text, lang);
  const at = [0, ...[...phrases].sort((a, b) => a - b), text.length];
  return at
    .slice(1)
    .map((end, index) => text.slice(at[index], end))
    .join('|');
}

describe('captionBreaks()', () => {
  it('breaks between words', async () => {
    expect(await pieces('Light that lands')).toBe('Light |that |lands');
    expect(await pieces('빛이 부드럽게')).toBe('빛이 |부드럽게');
    expect(await pieces('12월 24일까지 DUNE을')).toBe('12월 |24일까지 |DUNE을');
    expect(await pieces('and/or at olune.example/lamps')).toBe('and/or |at |olune.example/lamps');
    expect(await pieces('Est-ce clair ? « Oui », dit-elle', 'fr')).toBe('Est-|ce |clair ? |« Oui », |dit-|elle');
  });

  it('breaks Japanese, Chinese and Thai between phrases', async () => {
    expect(await pieces('春の新作コレクションを今すぐチェック。', 'ja')).toBe(
      '春の|新作コレクションを|今すぐ|チェック。',
    );
    expect(await pieces('今天是晴天。', 'zh')).toBe('今天|是|晴天。');
    expect(await pieces('今天是晴天。', 'zh-TW')).toBe('今天|是|晴天。');
    expect(await pieces('วันนี้อากาศดี')).toBe('วัน|นี้|อากาศ|ดี');
  });

  it('takes kana as Japanese, whatever the language', async () => {
    expect(await pieces('春の新作コレクションを今すぐチェック。')).toBe(
      await pieces('春の新作コレクションを今すぐチェック。', 'ja'),
    );
  });

  it.each(['「光」、部屋へ。', '本当（ほんとう）に？', '「え」っと…', 'キャッチーな、ロゴー！'])(
    'never begins a line of %s with a closing mark or ends it with an opening one',
    async (text) => {
      const { characters } = await captionBreaks(text, 'ja');
      for (const at of characters) {
        expect(text.charAt(at), text.slice(at)).not.toMatch(/[、。」）？！…ーっッゃャ]/);
        expect(text.charAt(at - 1), text.slice(0, at)).not.toMatch(/[「（]/);
      }
    },
  );
});
