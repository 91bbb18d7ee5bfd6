// Runs fauxqs, an emulator of SQS, in a separate thread. This file is plain JavaScript because fauxqs is an ES module, and the CommonJS
// loaders of tsx and jest can't load it.
import { buildApp } from 'fauxqs';
import { existsSync, writeFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

// Gives the thread a name, which tools such as `top -H` show.
const comm = '/proc/thread-self/comm';
if (existsSync(comm)) writeFileSync(comm, 'queues');

const app = buildApp({ logger: false, defaultRegion: workerData.region });

// Checks each caller before the request is read, as `guard` in door.ts does for the other services.
app.addHook('onRequest', async ({ headers }, reply) => {
  if (headers.origin === undefined && headers.host === new URL(origin).host && headers['x-amz-security-token'] === workerData.token) return;
  const message = 'The request does not contain the security token of this run';
  await reply
    .code(400)
    .header('content-type', 'application/x-amz-json-1.0')
    .send(JSON.stringify({ __type: 'com.amazonaws.sqs#AccessDenied', message, Message: message }));
});

// fauxqs writes a host name into queue URLs. Some systems can't resolve this name, so the hooks replace it with the address that fauxqs
// listens on.
let origin = '';
const inner = () => `http://sqs.${workerData.region}.localhost:${new URL(origin).port}`;
const swap = (holder, from, to) => {
  if (typeof holder?.QueueUrl === 'string') holder.QueueUrl = holder.QueueUrl.replace(from, to);
  if (Array.isArray(holder?.QueueUrls)) holder.QueueUrls = holder.QueueUrls.map((url) => url.replace(from, to));
};
app.addHook('preHandler', async ({ body }) => swap(body, origin, inner()));

// In standard queues, fauxqs loses the group id of a message. Therefore a message attribute stores the group id until the message is
// received.
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
    // The digest MD5OfMessageAttributes is removed too, because it covers the removed attribute.
    delete message.MD5OfMessageAttributes;
    message.MessageAttributes = attributes;
  }
  return payload;
});

origin = await app.listen({ host: workerData.host, port: 0 });
parentPort.postMessage(origin);
