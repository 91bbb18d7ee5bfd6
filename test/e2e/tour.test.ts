import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { commandsOf, runCommands, SETTING } from '../support/document-commands';

const tour = commandsOf('docs/tour.md');
const receiverPort = /^RECEIVER_PORT=.*$/m;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Replaces the pauses between the commands of the tour. The pauses in the document are long enough for a reader, but too short for a slow
 * machine. After the start of a receiver, the changed script waits until the receiver listens. In all other pauses, it waits until no event
 * is pending.
 */
const unhurried = (script: string): string => {
  const whenListening = 'until (: < /dev/tcp/127.0.0.1/$RECEIVER_PORT) 2> /dev/null; do sleep 0.1; done; SINCE=$(date -u +%FT%TZ)';
  const whenDelivered =
    'until [ "$(admin "$BASE/v1/products/$ID/deliveries?status=pending&created_after=$SINCE")" = "[]" ]; do sleep 0.1; done';
  return script
    .replace(/& sleep 2$/gm, (pause) => `${pause}; ${whenListening}`)
    .replace(/; sleep [18]$/gm, (pause) => `${pause}; ${whenDelivered}`);
};

test("a newcomer who pastes the tour's commands gets a product, a verified token, a revoked license, and a backend that receives every event", async () => {
  expect(tour).toMatch(SETTING);
  expect(tour).toMatch(receiverPort);
  const { stdout, stderr } = await runCommands(unhurried(tour.replace(receiverPort, `RECEIVER_PORT=${await freePort()}`)));
  expect(stderr).toBe('');
  for (const expected of [
    '"slug":"aurora-notes-',
    '"max_seats":2',
    '"customer_email":"ada@example.com"',
    '"seats":{"used":1,"max":2}',
    // Node prints the claims of the verified token.
    "iss: 'license-key-service'",
    '{"valid":true,"status":"active"',
    '{"freed":true}',
    '{"freed":false}',
    '"seats":{"used":0,"max":4}',
    '"features":["export","sync"]',
    '{"valid":false,"status":"suspended"}',
    '"suspended_reason":"unpaid invoice"',
    '"lease_minutes":30',
    '"self_service":true',
    '"license_type":{"name":"Trial","kind":"trial"}',
    '{"token":"ey',
    '"token":"svc_',
    '{"status":"reset","freed":0}',
    '"status":"revoked"',
    '{"valid":false,"status":"revoked"}',
    '"order":{"processor":"stripe"',
    '"customer_email":"grace@example.com"',
    'HTTP/1.1 403',
    '{"detail":"The license is revoked"}',
  ]) {
    expect(stdout).toContain(expected);
  }

  // The lines that the receiver printed. If the output of a command does not end with a line break, the receiver's line follows on the same
  // line.
  const printed = [
    ...stdout.matchAll(/[\d:.]{12} {2}(\S+) +(\S+) (?:#(\d))? +attempt (\d) {2}verified(, known already)? {2}→ (\d+)$/gm),
  ].map(([, event, , sequence = '', attempt, known = '', status]) => `${event} ${sequence} attempt ${attempt}${known}: ${status}`);
  const changes = ['license.created 1', 'license.activated 2', 'license.deactivated 3', 'license.revoked 4'];
  // On a slow machine an event may be sent while one receiver replaces the other. The service then retries the event.
  const missing = changes.filter((change) => !printed.some((line) => line.startsWith(change) && line.endsWith(': 200')));
  expect({ printed, missing }).toMatchObject({ missing: [] });
  expect(printed.filter((line) => line.startsWith('webhook.test'))).toEqual([
    'webhook.test  attempt 1: 500',
    'webhook.test  attempt 2: 500',
    'webhook.test  attempt 3: 200',
    'webhook.test  attempt 4, known already: 200',
  ]);
  expect(stdout).toMatch(/"event":"webhook\.test".*"status":"delivered","attempts":3,/);
  expect(stdout).toMatch(/"event":"webhook\.test".*"status":"pending","attempts":3,/);
});
