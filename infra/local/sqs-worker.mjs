// Runs fauxqs on a thread of its own, on loopback only. Plain JavaScript because fauxqs is an ES
// module, which neither tsx's nor jest's CommonJS can load.
import { buildApp } from 'fauxqs';
import { parentPort, workerData } from 'node:worker_threads';

const app = buildApp({ logger: false, defaultRegion: workerData.region });

// fauxqs names queues after a host that does not resolve everywhere; to the outside they carry the
// address that it listens on.
let origin = '';
const inner = () => `http://sqs.${workerData.region}.localhost:${new URL(origin).port}`;
const swap = (holder, from, to) => {
  if (typeof holder?.QueueUrl === 'string') holder.QueueUrl = holder.QueueUrl.replace(from, to);
  if (Array.isArray(holder?.QueueUrls)) holder.QueueUrls = holder.QueueUrls.map((url) => url.replace(from, to));
};
app.addHook('preHandler', async ({ body }) => swap(body, origin, inner()));
app.addHook('preSerialization', async (_request, _reply, payload) => {
  swap(payload, inner(), origin);
  return payload;
});

origin = await app.listen({ host: '127.0.0.1', port: 0 });
parentPort.postMessage(origin);
