import type { Json } from '../../kernel/digest.ts';

/** Voices that are built in. All speak English. */
export const BUILTIN_VOICES = ['slt', 'rms', 'awb', 'kal16'] as const;

/** A voice of reelform.yaml. */
export type Voice = CommandVoice | BuiltinVoice;

interface VoiceFacts {
  readonly name: string;
  /** Raised by the user when the voice speaks otherwise, so that its texts are spoken again. */
  readonly version: number;
  /** What the command receives besides the text. */
  readonly options: Readonly<Record<string, Json>>;
  /** Price of speech; null if it costs nothing or is not known. */
  readonly price: VoicePrice | null;
}

export interface VoicePrice {
  /** ISO 4217 code. */
  readonly currency: string;
  readonly per1000Characters: number;
}

/** A program that speaks. */
export interface CommandVoice extends VoiceFacts {
  readonly kind: 'command';
  readonly command: readonly [program: string, ...args: string[]];
  /** Names of environment variables that the command receives. */
  readonly env: readonly string[];
  readonly timeoutMs: number;
}

export interface BuiltinVoice extends VoiceFacts {
  readonly kind: 'builtin';
  readonly builtin: (typeof BUILTIN_VOICES)[number];
}
