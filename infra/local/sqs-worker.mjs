// Runs fauxqs on a thread of its own, for this run alone. Plain JavaScript because fauxqs is an ES
// module, which neither tsx's nor jest's CommonJS can load.
import { buildApp } from 'fauxqs';
import { existsSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

// As functions do: see lambda-worker.ts.
const comm = '/proc/thread-self/comm';
if (existsSync(comm)) writeFileSync(comm, 'queues');

const app = buildApp({ logger: false, defaultRegion: workerData.region });

// As `guard` in door.ts does for the other services, before anything is read.
app.addHook('onRequest', async ({ headers }, reply) => {
  if (headers.origin === undefined && headers.host === new URL(origin).host && headers['x-amz-security-token'] === workerData.token) return;
  const message = 'The request does not carry the security token of this run';
  await reply
    .code(400)
    .header('content-type', 'application/x-amz-json-1.0')
    .send(JSON.stringify({ __type: 'com.amazonaws.sqs#AccessDenied', message, Message: message }));
});

// fauxqs names queues after a host that does not resolve everywhere; to the outside they carry the
// address that it listens on.
let origin = '';
const inner = () => `http://sqs.${workerData.region}.localhost:${new URL(origin).port}`;
const swap = (holder, from, to) => {
  if (typeof holder?.QueueUrl === 'string') holder.QueueUrl = holder.QueueUrl.replace(from, to);
  if (Array.isArray(holder?.QueueUrls)) holder.QueueUrls = holder.QueueUrls.map((url) => url.replace(from, to));
};
app.addHook('preHandler', async ({ body }) => swap(body, origin, inner()));

// A message of a standard queue keeps its group, which fauxqs forgets: it travels as an attribute in between.
const GROUP = 'local.MessageGroupId';
app.addHook('preHandler', async ({ headers, body }) => {
  if (!headers['x-amz-target']?.startsWith('AmazonSQS.SendMessage') || body.QueueUrl?.endsWith('.fifo')) return;
  for (const message of body.Entries ?? [body]) {
    if (message.MessageGroupId === undefined) continue;
    message.MessageAttributes = { ...message.MessageAttributes, [GROUP]: { DataType: 'String', StringValue: message.MessageGroupId } };
  }
});
app.addHook('preSerialization', async (_request, _reply, payload) => {
  swap(payload, inner(), origin);
  for (const message of payload?.Messages ?? []) {
    const { [GROUP]: group, ...attributes } = message.MessageAttributes ?? {};
    if (group === undefined) continue;
    message.Attributes = { ...message.Attributes, MessageGroupId: group.StringValue };
    // The digest covers the attribute that is gone again.
    delete message.MD5OfMessageAttributes;
    message.MessageAttributes = attributes;
  }
  return payload;
});

origin = await app.listen({ host: workerData.host, port: 0 });
parentPort.postMessage(origin);
