/** `receiver`: a minimal webhook receiver. It verifies each event and prints it in one line. With --fail it refuses attempts. */
import type { Command } from 'commander';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addExamples, UsageError, wholeNumber } from './command-line';
import { print, printError } from './terminal';

/** Maximum size of a request body, far above the size of the largest event. */
const MAX_BYTES = 1024 * 1024;

interface Values {
  readonly secret?: string;
  readonly port: number;
  readonly fail: number;
}

export function define(command: Command): void {
  command
    .addOption(
      command.createOption('--secret <secret>', "the webhook's secret, as GET /v1/products/{id}/webhook shows it").env('WEBHOOK_SECRET'),
    )
    .addOption(command.createOption('--port <port>', 'the port to listen on').env('PORT').argParser(wholeNumber(0, 65_535)).default(8788))
    .option('--fail <number>', 'refuses this number of first attempts of each event with 500', wholeNumber(0, 1000), 0)
    .action(receiveEvents);
  addExamples(command, 'WEBHOOK_SECRET=whsec_… license-key-service receiver --port 8788 --fail 2');
}

interface Event {
  readonly id: string;
  readonly event: string;
  readonly data: { readonly product: string; readonly license?: { readonly key: string; readonly sequence: number } };
}

/** Receives events until the process is stopped. @throws UsageError */
function receiveEvents({ secret = '', port, fail: failures }: Values): void {
  if (secret === '') throw new UsageError("The webhook's secret is needed: set WEBHOOK_SECRET.");

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
}
