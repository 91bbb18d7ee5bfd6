/** `states`: takes an app through most license states, and shows for each state what the app would tell its user. */
import { LicenseClient, memoryStorage, type InvalidInput, type LicenseClientOptions, type LicenseState } from '@license-key-service/client';
import { createLicense, createProduct, operator } from './setup';

const DAY = 86_400_000;

/** Prints each state with the sentence that an app would show. */
export async function showStates(sentenceFor: (state: LicenseState | InvalidInput) => string): Promise<void> {
  const admin = operator();
  const product = await createProduct(admin);
  const { id, key } = await createLicense(admin, product);
  const over = await createLicense(admin, product, { expires_at: '2020-01-01T00:00:00Z' });

  const storage = memoryStorage();
  const storageName = 'states';
  const start = (options: Partial<LicenseClientOptions> = {}): LicenseClient =>
    new LicenseClient({
      baseUrl: product.baseUrl,
      productId: product.id,
      apiKey: product.apiKey,
      publicKey: product.publicKey,
      storage,
      storageName,
      fingerprint: 'first-machine',
      retryDelayMs: 0,
      ...options,
    });
  const inDays = (days: number) => ({ now: () => Date.now() + days * DAY });
  const offline = { fetch: () => Promise.reject(new Error('no network')) };
  const otherMachine = { storage: memoryStorage(), fingerprint: 'second-machine' };
  /** Copies the cache, so that a check with a later clock leaves the original unchanged. */
  const copy = async (): Promise<Partial<LicenseClientOptions>> => {
    const copied = memoryStorage();
    await copied.setItem(storageName, (await storage.getItem(storageName)) ?? '');
    return { storage: copied };
  };

  const show = async (what: string, result: Promise<LicenseState | InvalidInput>): Promise<void> => {
    const state = await result;
    const label = state.status === 'licensed' ? `${state.status} (${state.source})` : state.status;
    console.log(`${label.padEnd(22)} ${what}\n${' '.repeat(22)} "${sentenceFor(state)}"`);
  };
  await show('first start', start().check());
  await show('a key with a typing mistake', start(otherMachine).activate('9M0RP-TTE3D-2HVX8-KQ51N-4WZ7Z'));
  await show('activated', start().activate(key));
  await show('next start, without a network', start(offline).check());
  await show(
    'a day after the token has ended, without a network',
    start({ ...(await copy()), ...offline, ...inDays(8), graceDays: 3 }).check(),
  );
  await show('the same, where the app grants no grace', start({ ...(await copy()), ...offline, ...inDays(8) }).check());
  await show('a second machine', start(otherMachine).activate(key));
  await admin.post(`/v1/licenses/${id}/reset`);
  await show('after the operator has freed all seats', start().validate());
  await start().activate(key);
  await admin.post(`/v1/licenses/${id}/revoke`);
  await show('after a refund', start().validate());
  await show('a license that has run out', start(otherMachine).activate(over.key));
}
