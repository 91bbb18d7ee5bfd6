/**
 * A small app that is licensed: what a developer writes to use the client library. `README.md` beside it is the tour.
 * `setup` and `states` are not the app's part; they stand in files of their own.
 */
import { LicenseClient, type LicenseState } from '@license-key-service/client';
import { fileStorage, fingerprint } from '@license-key-service/client/node';
import { hostname, platform } from 'node:os';
import { join } from 'node:path';
import { readProduct, setup, type Product } from './setup';
import { showStates } from './states';

const folder = process.env['EXAMPLE_DIR'] ?? join(__dirname, '.local');

/** Everything that the app needs to be licensed. */
const createClient = ({ baseUrl, id, apiKey, publicKey, slug }: Product, daysAhead: number): LicenseClient =>
  new LicenseClient({
    baseUrl,
    productId: id,
    apiKey,
    publicKey,
    audience: slug,
    fingerprint,
    storage: fileStorage(folder),
    graceDays: 3,
    allowUnboundTokens: true,
    // Only this example travels in time.
    now: () => Date.now() + daysAhead * 86_400_000,
  });

/** What the app tells its user in each state. */
export function sentenceFor(state: LicenseState): string {
  switch (state.status) {
    case 'licensed':
      return `Licensed (${state.license.kind}, by ${state.source}), without a network until ${state.offlineUntil.toISOString()}.`;
    case 'expired':
      return 'The license has expired. Renew it to go on.';
    case 'revoked':
      return 'The license was revoked. Ask where you bought it.';
    case 'no_seats':
      return 'Every seat is taken. Deactivate another machine first.';
    case 'unknown_key':
      return 'There is no such license key. Look for a typing mistake.';
    case 'unbound':
      return state.key === undefined ? 'Not activated: enter your license key.' : `This machine's seat was freed. Activate ${state.key} again.`;
    case 'offline_without_token':
      return `Connect to the internet once, so that the license can be checked (${state.reason}).`;
  }
}

const usage = 'Commands: setup, states; activate <key>, check, validate, deactivate, import <token>; each with --days-ahead <number> to set the clock ahead.';

async function main(args: readonly string[]): Promise<void> {
  const at = args.indexOf('--days-ahead');
  const daysAhead = at < 0 ? 0 : Number(args[at + 1]);
  const [command = '', argument = ''] = at < 0 ? args : args.filter((_, place) => place !== at && place !== at + 1);
  if (command === 'setup') return setup(folder);
  if (command === 'states') return showStates(sentenceFor);

  const client = createClient(await readProduct(folder), daysAhead);
  // The background may bring news after the answer: a refreshed token, a revocation.
  client.subscribe((state) => console.log(sentenceFor(state)));
  switch (command) {
    case 'activate':
      await client.activate(argument, { name: hostname(), platform: platform() });
      break;
    case 'check':
      await client.check();
      break;
    case 'validate':
      await client.validate();
      break;
    case 'deactivate': {
      const result = await client.deactivate();
      if (result.status === 'failed') console.log(`The seat is still taken: ${result.fault.message}`);
      break;
    }
    case 'import': {
      const result = await client.importToken(argument);
      if (result.status === 'invalid_token') console.log(`The token is not accepted: ${result.problem}`);
      break;
    }
    default:
      console.log(usage);
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
