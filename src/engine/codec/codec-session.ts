import { platform } from 'node:process';
import { RenderError, type RenderErrorCode } from '../render-error.ts';
import {
  type Libav,
  loadLibav,
  type NativeCodec,
  type NativeCodecContext,
  type NativeFrame,
  type NativePacket,
} from './libav.ts';

const AGAIN = platform === 'darwin' ? -35 : -11;
const END = -541_478_725;

interface SessionErrors {
  readonly code: RenderErrorCode;
  /** Start of the message about a call on a closed session. */
  readonly subject: string;
  /** Start of the message about a failed call, followed by the reason. */
  readonly failed: string;
  readonly imageName?: string;
}

/**
 * An open FFmpeg codec with the frame and packet that it works on. A single codec call runs at a time, on a thread of Node's
 * pool. The native memory is freed after `close`, once no thread uses it.
 */
export class CodecSession {
  readonly libav: Libav;
  readonly context: NativeCodecContext;
  readonly frame: NativeFrame;
  readonly packet: NativePacket;
  readonly #errors: SessionErrors;
  /** The call that runs on another thread; never rejects. */
  #pending: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  readonly #freeOnClose: (() => void)[] = [];
  #failure: RenderError | undefined;

  /** @throws ReelformError encoder_missing */
  constructor(errors: SessionErrors) {
    this.libav = loadLibav();
    this.#errors = errors;
    this.context = new this.libav.CodecContext();
    this.frame = new this.libav.Frame();
    this.packet = new this.libav.Packet();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /**
   * Opens the codec with a single thread, so that its output is the same on any number of cores.
   *
   * @param configure sets the fields of the context before it is opened
   * @param options FFmpeg's names and values; FFmpeg ignores unknown names
   * @throws Error with FFmpeg's message
   */
  async open(
    codec: NativeCodec,
    configure: (context: NativeCodecContext) => void,
    options: Readonly<Record<string, string>>,
  ): Promise<void> {
    this.frame.alloc();
    this.packet.alloc();
    this.context.allocContext3(codec);
    configure(this.context);
    const dictionary = new this.libav.Dictionary();
    dictionary.alloc();
    for (const [key, value] of Object.entries({ threads: '1', ...options })) dictionary.set(key, value, 0);
    try {
      this.check(await this.context.open2(codec, dictionary));
    } finally {
      dictionary.free();
    }
  }

  /** Runs a codec call. @throws RenderError if this or an earlier call failed, or the session is closed */
  async run(call: () => Promise<void>): Promise<void> {
    const { code, subject, failed, imageName } = this.#errors;
    if (this.#isClosed) this.#failure ??= new RenderError(code, `${subject} is closed`, { imageName });
    if (this.#failure !== undefined) throw this.#failure;
    const running = call().catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      this.#failure =
        cause instanceof RenderError ? cause : new RenderError(code, `${failed}: ${reason}`, { imageName, cause });
    });
    this.#pending = running;
    await running;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /**
   * Calls `take` for each frame or packet that the codec has ready.
   *
   * @param receive calls the context's own receive method
   * @throws Error with FFmpeg's message
   */
  async drain(receive: () => number | Promise<number>, take: () => void): Promise<void> {
    for (;;) {
      const status = await receive();
      if (status === AGAIN || status === END) return;
      this.check(status);
      take();
    }
  }

  /** @throws Error with FFmpeg's message for a negative status */
  check(status: number): void {
    if (status < 0) throw new Error(this.libav.FFmpegError.strerror(status));
  }

  /** Registers native memory to free together with the codec's. */
  freeOnClose(free: () => void): void {
    this.#freeOnClose.push(free);
  }

  /** May be called again. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    void this.#pending.then(() => {
      for (const free of this.#freeOnClose) free();
      this.context.freeContext();
      this.frame.free();
      this.packet.free();
    });
  }
}
