import { sendRequest } from '../../../src/kernel/http/send-request.ts';

/** Posts to each URL, and prints the outcomes. A process of its own, because Node reads NODE_EXTRA_CA_CERTS as it starts. */
for (const url of process.argv.slice(2)) {
  const sent = await sendRequest({ method: 'POST', url, headers: {}, body: '{}' }, 100);
  console.log(`${sent.kind} ${'code' in sent ? sent.code : sent.status}`);
}
console.log('end');
