import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { chromium } from 'playwright-core';

export interface PeerJob {
  /** The animation as JSON with embedded assets. */
  readonly json: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frameCount: number;
}

export interface PeerOptions {
  /** A folder where the peer's packages are installed; a temporary one by default. */
  readonly packages?: string | undefined;
  /** Encodes lossless pictures with CRF 1, as the reference for SSIM. */
  readonly isLossless?: boolean;
}

export interface Peer {
  readonly name: string;
  /** Milliseconds from the animation to the file, or the reason why the peer cannot run here. */
  render(job: PeerJob, options: PeerOptions): Promise<{ readonly ms: number; readonly video: Uint8Array } | string>;
}

const CHROMIUM = '/usr/bin/chromium';
const REMOTION = '4.0.520';
const PACKAGES = [
  ...['remotion', '@remotion/bundler', '@remotion/renderer', '@remotion/lottie'].map((name) => `${name}@${REMOTION}`),
  ...['react@19.2.0', 'react-dom@19.2.0', 'lottie-web@5.13.0'],
];

/** Other programs that render the same animation in the same Chromium. */
export const peers: readonly Peer[] = [
  { name: 'lottie-web in Chromium, screenshots to ffmpeg `veryfast` CRF 20', render: byScreenshots },
  { name: `Remotion ${REMOTION}, \`veryfast\` CRF 20, concurrency 2`, render: byRemotion },
];

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'reelform-peer-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Works like puppeteer-lottie: a page with the animation, a JPEG of each frame, and x264 with our settings. */
async function byScreenshots(
  { json, width, height, fps, frameCount }: PeerJob,
  { isLossless = false }: PeerOptions,
): ReturnType<Peer['render']> {
  if (!existsSync(CHROMIUM)) return `there is no ${CHROMIUM}`;
  return inFolder(async (folder) => {
    const start = performance.now();
    const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
    const page = await browser.newPage({ viewport: { width, height } });
    await page.setContent('<body style="margin:0;background:#000"><div id="a" style="width:100vw;height:100vh"></div>');
    await page.addScriptTag({ path: createRequire(import.meta.url).resolve('lottie-web/build/player/lottie.min.js') });
    await page.evaluate(
      `new Promise((resolve) => { const a = lottie.loadAnimation({ container: document.getElementById('a'), renderer: 'svg',
        autoplay: false, animationData: ${json} }); globalThis.a = a; a.isLoaded ? resolve() : a.addEventListener('DOMLoaded', () => resolve()); })`,
    );
    const file = join(folder, 'video.mp4');
    const input = [
      '-v',
      'error',
      '-f',
      'image2pipe',
      '-c:v',
      isLossless ? 'png' : 'mjpeg',
      '-framerate',
      String(fps),
      '-i',
      'pipe:0',
    ];
    const output = [
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-crf',
      isLossless ? '1' : '20',
      '-pix_fmt',
      'yuv420p',
      file,
    ];
    const encoder = execa('ffmpeg', [...input, ...output], { stdin: 'pipe' });
    for (let frame = 0; frame < frameCount; frame++) {
      await page.evaluate(`a.goToAndStop(${frame}, true)`);
      const picture = await page.screenshot(isLossless ? { type: 'png' } : { type: 'jpeg', quality: 90 });
      await new Promise((resolve) => encoder.stdin.write(picture, resolve));
    }
    encoder.stdin.end();
    await encoder;
    await browser.close();
    return { ms: performance.now() - start, video: await readFile(file) };
  });
}

const ENTRY = `import React from 'react';
import { Composition, registerRoot } from 'remotion';
import { Lottie } from '@remotion/lottie';
import animation from './animation.json';
import job from './job.json';
const Video = () => <Lottie animationData={animation} style={{ width: '100%', height: '100%' }} />;
registerRoot(() => <Composition id="video" component={Video} fps={job.fps} durationInFrames={job.frameCount}
  width={job.width} height={job.height} />);
`;

const SCRIPT = `import { bundle } from '@remotion/bundler';
import { renderMedia, selectComposition } from '@remotion/renderer';
const browserExecutable = ${JSON.stringify(CHROMIUM)};
const serveUrl = await bundle({ entryPoint: process.cwd() + '/index.jsx' });
const composition = await selectComposition({ serveUrl, id: 'video', browserExecutable });
const isLossless = process.argv[3] === 'lossless';
await renderMedia({ serveUrl, composition, browserExecutable, codec: 'h264', crf: isLossless ? 1 : 20, x264Preset: 'veryfast',
  imageFormat: isLossless ? 'png' : 'jpeg', concurrency: Number(process.argv[2]), outputLocation: 'video.mp4', logLevel: 'error' });
`;

/** Measures from the bundle to the file, without the time to install packages. */
async function byRemotion(
  { json, ...job }: PeerJob,
  { packages, isLossless = false }: PeerOptions,
): ReturnType<Peer['render']> {
  if (!existsSync(CHROMIUM)) return `there is no ${CHROMIUM}`;
  return inFolder(async (folder) => {
    await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    if (packages !== undefined) {
      await symlink(resolve(packages, 'node_modules'), join(folder, 'node_modules'));
    } else {
      const flags = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES];
      const installed = await execa('npm', flags, { cwd: folder, reject: false });
      if (installed.failed) return `its packages cannot be installed: ${installed.stderr.slice(0, 200)}`;
    }
    await mkdir(join(folder, 'public'));
    await writeFile(join(folder, 'index.jsx'), ENTRY);
    await writeFile(join(folder, 'render.mjs'), SCRIPT);
    await writeFile(join(folder, 'animation.json'), json);
    await writeFile(join(folder, 'job.json'), JSON.stringify(job));
    const start = performance.now();
    // As many tabs as Remotion chooses on two cores.
    const args = ['render.mjs', '2', isLossless ? 'lossless' : 'lossy'];
    const run = await execa('node', args, { cwd: folder, reject: false });
    if (run.failed) return `it failed: ${run.stderr.slice(-400)}`;
    return { ms: performance.now() - start, video: await readFile(join(folder, 'video.mp4')) };
  });
}
