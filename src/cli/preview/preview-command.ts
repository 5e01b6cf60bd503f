import { platform } from 'node:os';
import { resolve } from 'node:path';
import { execa } from 'execa';
import { EXIT } from '../../kernel/diagnostic.ts';
import { findRoot } from '../../reconciler/project/repository-layout.ts';
import { galleryBuiltText, previewExposedText, previewStartedText } from '../../report/terminal/preview-text.ts';
import { buildGallery } from '../../studio/build-gallery.ts';
import { startPreviewServer } from '../../studio/preview-server.ts';
import { isLoopback } from '../../studio/request-guard.ts';
import { type GlobalOptions, rejectConflictingOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { openPreviewPorts } from './open-preview-ports.ts';

interface PreviewCommandOptions extends GlobalOptions {
  readonly port?: number;
  readonly host?: string;
  readonly open?: boolean;
  /** Folder of a static gallery. */
  readonly build?: string;
}

const PORT = 4321;
const HOST = '127.0.0.1';

/** `reelform preview`: serves the preview page of the repository until it is interrupted, or writes it as static files. */
export async function previewCommand(options: PreviewCommandOptions, io: Io): Promise<number> {
  const { host = HOST } = options;
  const directory = workingDirectory(options, io);
  const ports = openPreviewPorts(findRoot(directory), io);
  try {
    if (options.build !== undefined) {
      rejectConflictingOptions('--build', options, { port: '--port', host: '--host', open: '--open' });
      const folder = resolve(directory, options.build);
      io.stdout.write(galleryBuiltText(options.build, await buildGallery(ports, folder)));
      return EXIT.ok;
    }
    const server = await startPreviewServer(ports, { host, port: options.port ?? PORT });
    const interrupted = new Promise<void>((resolve) => {
      const stopListening = io.onInterrupt(() => {
        stopListening();
        resolve();
      });
    });
    if (!isLoopback(host)) io.stderr.write(previewExposedText(host));
    io.stdout.write(previewStartedText(server.url));
    // The page begins with pictures of the videos.
    ports.pool.warm(1, 'pictures');
    if (options.open === true) openBrowser(server.url);
    await Promise.race([server.ready, interrupted]);
    await interrupted;
    // A second interruption does not wait for running renders.
    const stopListening = io.onInterrupt(() => io.leave(EXIT.interrupted));
    await server.close();
    stopListening();
    return EXIT.ok;
  } finally {
    await ports.close();
  }
}

const XDG = ['xdg-open'] as const;
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Best effort: the URL is printed, too. */
function openBrowser(url: string): void {
  const [program, ...args] = OPENERS[platform()] ?? XDG;
  execa(program, [...args, url], { stdio: 'ignore', detached: true, cleanup: false }).catch(() => undefined);
}
