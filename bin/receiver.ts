/** `npm run receiver`: a minimal webhook receiver. It verifies each event and prints it in one line. With --fail it refuses attempts. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { print, printError, printErrorText, printText } from './terminal';

const USAGE = `Receives the events of a webhook, and prints each event in one line.

  WEBHOOK_SECRET=whsec_… npm run receiver -- [--port 8788] [--fail 2]

GET /v1/products/{id}/webhook shows the webhook's secret. --fail 2 refuses the first 2 attempts of each event with 500.`;
/** Maximum size of a request body, far above the size of the largest event. */
const MAX_BYTES = 1024 * 1024;

const text = { type: 'string' } as const;

function readArguments() {
  try {
    return parseArgs({ options: { port: text, secret: text, fail: text, help: { type: 'boolean' } } }).values;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** Ends the program because an argument is invalid. */
function refuse(problem: string): never {
  printErrorText(`${problem}\n\n${USAGE}`);
  process.exit(2);
}

const wholeNumber = (option: string, value: string, maximum: number): number =>
  /^\d+$/.test(value) && Number(value) <= maximum
    ? Number(value)
    : refuse(`${option} must be a whole number from 0 to ${maximum}, not "${value}".`);

const values = readArguments();
if (values.help) {
  printText(USAGE);
  process.exit();
}
const secret = (values.secret ?? process.env['WEBHOOK_SECRET']) || refuse("The webhook's secret is needed: set WEBHOOK_SECRET.");
const port = wholeNumber('--port', values.port ?? (process.env['PORT'] || '8788'), 65_535);
const failures = wholeNumber('--fail', values.fail ?? '0', 1000);

interface Event {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly product: string; readonly license?: { readonly key: string; readonly sequence: number } };
}

/** Verifies the signature of the raw bytes in constant time, before the bytes are parsed. */
function isSigned(body: Buffer, signature: string): boolean {
  const expected = createHmac('sha256', secret).update(body).digest('hex');
  return signature.length === expected.length && timingSafeEqual(Buffer.from(signature, 'latin1'), Buffer.from(expected, 'latin1'));
}

/** For each event id, the number of delivery attempts so far. An event may arrive more than once. */
const attempts = new Map<string, number>();
const done = new Set<string>();

function receive(body: Buffer, signature: string): number {
  if (!isSigned(body, signature)) {
    printLine('NOT VERIFIED: the signature does not match the secret of this receiver', 401);
    return 401;
  }
  const { id, event, data } = JSON.parse(body.toString()) as Event;
  const attempt = (attempts.get(id) ?? 0) + 1;
  attempts.set(id, attempt);
  const status = attempt <= failures ? 500 : 200;
  const again = done.has(id);
  if (status === 200) done.add(id);
  const subject = data.license ? `${data.license.key.slice(0, 5)}-… #${data.license.sequence}` : data.product;
  printLine(`${event.padEnd(19)}  ${subject.padEnd(12)}  attempt ${attempt}  verified${again ? ', known already' : ''}`, status);
  return status;
}

const printLine = (line: string, status: number): void => print(`${new Date().toISOString().slice(11, 23)}  ${line}  → ${status}`);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) request.destroy();
    else chunks.push(chunk);
  });
  request.on('end', () => response.writeHead(receive(Buffer.concat(chunks), String(request.headers['x-svc-signature'] ?? ''))).end());
});
server.on('error', (error) => {
  printError(error.message);
  process.exit(1);
});
server.listen(port, '127.0.0.1', () =>
  print(
    `Receiving at http://127.0.0.1:${(server.address() as AddressInfo).port}/${failures > 0 ? `, refusing the first ${failures} attempts of each event` : ''}`,
  ),
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
