import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Thread of `latency-probe.ts`: what delays the other threads of a test does not delay its clock. */
const { url, token, everyMs } = workerData;
let milliseconds = [];
const failures = [];

parentPort.on('message', () => {
  parentPort.postMessage({ milliseconds, failures });
  milliseconds = [];
});

for (;;) {
  const start = performance.now();
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } }).catch((error) => error);
  if (answer.status !== 200) failures.push(String(answer.status ?? answer));
  else await answer.arrayBuffer();
  milliseconds.push(performance.now() - start);
  await sleep(everyMs);
}
