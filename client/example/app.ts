/**
 * A small licensed app: it shows what a developer writes to use the client library. `client/example/README.md` explains it.
 * The commands `setup` and `states` are not part of the app; they are in separate files.
 */
import { LicenseClient, type InvalidInput, type LicenseState } from '@license-key-service/client';
import { fileStorage, fingerprint } from '@license-key-service/client/node';
import { hostname, platform } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readProduct, setup, type Product } from './setup';
import { showStates } from './states';

const folder = process.env['EXAMPLE_DIR'] ?? join(__dirname, '.local');

/** Creates the app's license client. */
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
    // The example shifts its clock to show later states. A real app leaves this option out.
    now: () => Date.now() + daysAhead * 86_400_000,
  });

/** The sentence that the app shows to its user in each state. */
export function sentenceFor(state: LicenseState | InvalidInput): string {
  switch (state.status) {
    case 'licensed':
      return `Licensed (${state.license.type.kind}, by ${state.source}), without a network until ${state.offlineUntil.toISOString()}.`;
    case 'expired':
      return 'Your license has expired. Renew it to continue.';
    case 'revoked':
      return 'Your license was revoked. Contact the seller.';
    case 'suspended':
      return 'Your license is on hold. Contact the seller.';
    case 'reissued':
      return 'Your license key was replaced. Enter the new key from your mail.';
    case 'sign_in_required':
      return 'Sign in again to use your license on this machine.';
    case 'denied':
      return 'The activation was refused in the browser.';
    case 'request_expired':
      return 'Nobody confirmed the activation in time. Sign in again.';
    case 'refused':
      return `Your license can't be used now (${state.reason}). Contact the seller.`;
    case 'no_seats':
      return `Every seat is taken${state.seats ? ` (${state.seats.used} of ${state.seats.max})` : ''}. Deactivate another machine first.`;
    case 'too_many_devices':
      return 'This license was activated on too many new machines this week. Try again in a few days.';
    case 'unknown_key':
      return 'There is no such license key. Look for a typing mistake.';
    case 'no_trial':
      return 'There is no trial. Enter a license key.';
    case 'not_covered':
      return 'Your license does not cover this version. Renew its updates, or install an older version.';
    case 'unbound':
      return state.key === undefined
        ? 'Not activated: enter your license key.'
        : `This machine's seat was freed. Activate ${state.key} again.`;
    case 'offline_without_token':
      return `Connect to the internet once, so that the license can be checked (${state.reason}).`;
    case 'invalid_input':
      return `The ${state.field} ${state.message}.`;
  }
}

const usage =
  'Commands: setup, states, activate <key>, sign-in, check, validate, deactivate, import <token>. The last six accept --days-ahead <number>, which sets the clock ahead.';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'days-ahead': { type: 'string', default: '0' } } });
  const { 'days-ahead': daysAhead } = values;
  if (!/^\d{1,6}$/.test(daysAhead)) throw new Error('--days-ahead must be a whole number from 0 to 999999.');
  const [command = '', argument = ''] = positionals;
  if (command === 'setup') return setup(folder);
  if (command === 'states') return showStates(sentenceFor);

  const client = createClient(await readProduct(folder), Number(daysAhead));
  // The client may report more states after the result, such as a refreshed token or a revocation.
  client.subscribe((state) => console.log(sentenceFor(state)));
  switch (command) {
    case 'activate': {
      const result = await client.activate(argument, { name: hostname(), platform: platform() });
      if (result.status === 'invalid_input') console.log(sentenceFor(result));
      break;
    }
    case 'sign-in':
      await client.activateInBrowser({
        name: hostname(),
        platform: platform(),
        onCode: (code) => console.log(`Compare this code with the one in the browser: ${code}`),
        // An app with a window opens the browser here.
        open: (url) => console.log(`Open ${url}`),
      });
      break;
    case 'check':
      await client.check();
      break;
    case 'validate':
      await client.validate();
      break;
    case 'deactivate': {
      const result = await client.deactivate();
      if (result.status === 'failed') console.log(`The seat may still be taken: ${result.fault.message}`);
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
  // Before the process ends, background work is finished and its results are stored.
  await client.idle();
  await client.close();
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
