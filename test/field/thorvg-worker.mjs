// Draws frames of an animation with ThorVG: a thread of its own, because some animations keep it busy for ever.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { DotLottie } from '@lottiefiles/dotlottie-web';

const wasm = join(createRequire(import.meta.url).resolve('@lottiefiles/dotlottie-web'), '../dotlottie-player.wasm');
DotLottie.setWasmUrl(`data:application/wasm;base64,${readFileSync(wasm).toString('base64')}`);

parentPort.on('message', async ({ text, frames, width, height, ground, font, fontNames }) => {
  for (const name of fontNames) await DotLottie.registerFont(name, font);
  const player = new DotLottie({
    canvas: { width, height },
    data: text,
    autoplay: false,
    useFrameInterpolation: false,
    layout: { fit: 'cover', align: [0.5, 0.5] },
  });
  player.addEventListener('loadError', ({ error }) => parentPort.postMessage({ failure: String(error) }));
  player.addEventListener('load', () => {
    const pictures = frames.map((frame) => {
      // Below a whole frame ThorVG shows the one before it.
      player.setFrame(frame + 0.001);
      return onGround(player.buffer, ground === 'white' ? 255 : 0);
    });
    parentPort.postMessage({ pictures });
    player.destroy();
  });
});

/** Returns RGBA on an opaque ground. ThorVG's own background is nearly transparent, and its colours are not premultiplied. */
function onGround(rgba, level) {
  const opaque = new Uint8Array(rgba.length).fill(255);
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] / 255;
    for (let part = at; part < at + 3; part++) opaque[part] = Math.round(rgba[part] * alpha + level * (1 - alpha));
  }
  return opaque;
}
