import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProductView } from '../../lambdas/contract/resources';
import { baseUrl, getLicense, newLicense, newProduct, newType, post, unique } from '../support/http';
import { languages, runnerOf, type Program } from '../support/languages';

/**
 * Runs the command-line samples of the clients in several languages against the service. All samples share one folder. If a test fails, a
 * user who has two apps of the same vendor pays for two seats, or loses the only seat.
 */

const work = mkdtempSync(join(tmpdir(), 'lks-languages-'));
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** Creates an app folder on this machine, with the product that the samples use. */
function newAppFolder({ id, slug, api_key: apiKey, public_key: publicKey }: ProductView): string {
  const folder = mkdtempSync(join(work, 'app-'));
  writeFileSync(join(folder, 'product.json'), JSON.stringify({ baseUrl: baseUrl(), id, slug, apiKey, publicKey }));
  return folder;
}

async function oneSeat() {
  const product = await newProduct();
  const license = await newLicense(await newType(product, { max_seats: 1 }));
  return {
    ...license,
    folder: newAppFolder(product),
    /** The devices of the license, and the number of taken seats. */
    async seats() {
      const { activations, seats } = await getLicense(license.id);
      return { devices: activations.map(({ fingerprint }) => fingerprint), used: seats.used };
    },
  };
}

const LICENSED_BY_NETWORK = expect.stringMatching(/^Licensed \(lifetime, by network\)/);
const LICENSED_BY_CACHE = expect.stringMatching(/^Licensed \(lifetime, by cache\)/);
const NOT_ACTIVATED = 'Not activated: enter your license key.';
const REVOKED = 'Your license was revoked. Contact the seller.';

type Run = ReturnType<typeof runnerOf>;
const programs = new Map<string, Program>();
const runners = new Map<string, Run>();
const runner = (name: string): Run => {
  const found = runners.get(name);
  if (!found) throw new Error(`${name} was not prepared`);
  return found;
};
const present = languages.filter(({ missing }) => missing === undefined);
beforeAll(async () => {
  for (const { name, prepare } of present) programs.set(name, await prepare(work));
  for (const [name, program] of programs) runners.set(name, runnerOf(program));
});

describe.each(languages.filter(({ name }) => name !== 'TypeScript'))('an app in TypeScript and an app in $name', ({ name, missing }) => {
  (missing === undefined ? test : test.skip)(
    missing === undefined ? 'share one seat from the activation to the end' : `(skipped: there is no ${missing} on this machine)`,
    async () => {
      const { id, key, folder, seats } = await oneSeat();
      const ours = runner('TypeScript');
      const theirs = runner(name);
      expect(await theirs(folder, 'check')).toBe(NOT_ACTIVATED);
      expect(await ours(folder, 'activate', key)).toEqual(LICENSED_BY_NETWORK);
      expect(await theirs(folder, 'check')).toEqual(LICENSED_BY_CACHE);
      expect(await theirs(folder, 'validate')).toEqual(LICENSED_BY_NETWORK);
      expect(await theirs(folder, 'activate', key.toLowerCase())).toEqual(LICENSED_BY_NETWORK);
      expect(await ours(folder, 'check')).toEqual(LICENSED_BY_CACHE);
      const { devices, used } = await seats();
      expect([devices.length, used]).toEqual([1, 1]);

      expect(await theirs(folder, 'deactivate')).toBe(NOT_ACTIVATED);
      expect((await seats()).used).toBe(0);
      expect(await ours(folder, 'check')).toBe(NOT_ACTIVATED);
      expect(await theirs(folder, 'activate', key)).toEqual(LICENSED_BY_NETWORK);
      expect(await ours(folder, 'validate')).toEqual(LICENSED_BY_NETWORK);
      expect((await seats()).devices).toEqual(devices);

      await post(`/v1/licenses/${id}/revoke`);
      expect(await theirs(folder, 'check')).toEqual(LICENSED_BY_CACHE);
      expect(await theirs(folder, 'validate')).toBe(REVOKED);
      expect(await ours(folder, 'check')).toBe(REVOKED);
    },
  );
});

test(`apps in ${present.map(({ name }) => name).join(', ')} that activate at the same time on one device take one seat`, async () => {
  const { key, folder, seats } = await oneSeat();
  const activations = [...runners.values()].map(async (run) => run(folder, 'activate', key));
  expect(await Promise.all(activations)).toEqual(present.map((): unknown => LICENSED_BY_NETWORK));
  expect((await seats()).used).toBe(1);
  for (const run of runners.values()) expect(await run(folder, 'check')).toEqual(LICENSED_BY_CACHE);
});

/** A license with one seat, whose buyer decides in the portal about the sign-ins of apps in one folder. */
async function buyer() {
  const product = await newProduct();
  await post(`/v1/products/${product.id}/portal`, { enabled: true, allow: ['sign_in'] });
  const email = `${unique('buyer')}@example.com`;
  const license = await newLicense(await newType(product, { max_seats: 1 }), { customer_email: email });
  const { body: link } = await post<{ url: string }>(`/v1/products/${product.id}/portal/links`, { customer_email: email });
  const { body: portal } = await post<{ session: string }>(`/v1/portal/${product.slug}/sessions`, { token: link.url.split('#t=')[1] });
  const folder = newAppFolder(product);
  return {
    license,
    folder,
    /**
     * Signs in on an app, and calls `onCode` as soon as the app shows the code. @returns the result of `onCode`, and the app's last sentence
     */
    async signIn<Outcome>(name: string, onCode: (code: string) => Promise<Outcome>) {
      let outcome: Promise<Outcome> | undefined;
      const run = runnerOf(programs.get(name) as Program, [], (text) => {
        const [, code] = /: ([0-9A-Z]{4}-[0-9A-Z]{4})\s[^]*#activate=\1\s/.exec(text) ?? [];
        if (code !== undefined) outcome ??= onCode(code);
      });
      const sentence = (await run(folder, 'sign-in')).split('\n').pop();
      return [await outcome, sentence] as const;
    },
    async decide(code: string, decision: 'approve' | 'deny'): Promise<number> {
      const body = { user_code: code, decision, license_id: license.id };
      return (await post(`/v1/portal/${product.slug}/activation-requests/decision`, body, { 'X-Portal-Session': portal.session })).status;
    },
  };
}

test.each(present)('a customer signs in on an app in $name instead of typing a key', async ({ name }) => {
  const { license, folder, signIn, decide } = await buyer();
  expect(await signIn(name, (code) => decide(code, 'approve'))).toEqual([200, LICENSED_BY_NETWORK]);
  expect(await runner(name)(folder, 'check')).toEqual(LICENSED_BY_CACHE);
  // The app has a key of its own, which ends with the seat.
  const [record = ''] = readdirSync(folder).filter((file) => /^license-key-service.*\.json$/.test(file));
  expect(readFileSync(join(folder, record), 'utf8')).not.toContain(license.key);
  await post(`/v1/licenses/${license.id}/reset`);
  expect(await runner(name)(folder, 'validate')).toBe('Sign in again to use your license on this machine.');
});

// A user could otherwise not tell why an app is not activated, or a request that somebody else has sent could be approved later.
test.each(present)('an app in $name says that its sign-in was refused, or that a newer one has replaced it', async ({ name }) => {
  const refused = await buyer();
  const denied = refused.signIn(name, (code) => refused.decide(code, 'deny'));
  const { license, signIn, decide } = await buyer();
  const [newer, older] = await signIn(name, () => signIn('TypeScript', (code) => decide(code, 'approve')));
  expect(await denied).toEqual([200, 'The activation was refused in the browser.']);
  expect(older).toBe('Nobody confirmed the activation in time. Sign in again.');
  expect(newer).toEqual([200, LICENSED_BY_NETWORK]);
  expect((await getLicense(license.id)).seats.used).toBe(1);
});

/** As root, a command without the permission to read the files of other users; otherwise the files themselves are made unreadable. */
const asOrdinaryUser = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

// A user who once started the app with `sudo` could otherwise never activate it again.
(process.platform === 'linux' ? test : test.skip)(
  'apps continue beside a record of another user, and all use the same second file',
  async () => {
    const { key, folder, seats } = await oneSeat();
    await runner('TypeScript')(folder, 'activate', key);
    for (const name of readdirSync(folder).filter((file) => file.startsWith('license-key-service'))) {
      if (asOrdinaryUser.length > 0) chownSync(join(folder, name), 65_534, 65_534);
      else chmodSync(join(folder, name), 0);
    }
    let isFirst = true;
    for (const { name, prepare } of present) {
      const run = runnerOf(await prepare(work), asOrdinaryUser);
      expect([name, await run(folder, 'check')]).toEqual([name, isFirst ? NOT_ACTIVATED : LICENSED_BY_CACHE]);
      expect([name, await run(folder, 'activate', key)]).toEqual([name, LICENSED_BY_NETWORK]);
      isFirst = false;
    }
    expect((await seats()).used).toBe(1);
  },
);

// An app would otherwise never start again, or use up the machine's memory.
(process.platform === 'win32' ? test.skip : test)(
  'apps in every language treat a record that is too large, a pipe or a device as damaged, and replace it',
  async () => {
    const { key, folder } = await oneSeat();
    await runner('TypeScript')(folder, 'activate', key);
    const [name = ''] = readdirSync(folder).filter((file) => /^license-key-service.*\.json$/.test(file));
    const record = join(folder, name);
    const content = readFileSync(record);
    const hazards: Readonly<Record<string, () => void>> = {
      'a link to an endless device': () => symlinkSync('/dev/zero', record),
      'a pipe': () => void execFileSync('mkfifo', [record]),
      'a large file': () => writeFileSync(record, Buffer.concat([content, Buffer.alloc(8_388_609, ' ')])),
    };
    for (const [language, run] of runners)
      for (const [hazard, place] of Object.entries(hazards)) {
        rmSync(record);
        place();
        expect([language, hazard, await run(folder, 'check')]).toEqual([language, hazard, NOT_ACTIVATED]);
        expect([language, hazard, await run(folder, 'activate', key)]).toEqual([language, hazard, LICENSED_BY_NETWORK]);
        expect([language, hazard, await run(folder, 'check')]).toEqual([language, hazard, LICENSED_BY_CACHE]);
      }
  },
);

test('apps in every language show the same text for an unknown key', async () => {
  const { folder } = await oneSeat();
  for (const run of runners.values())
    expect(await run(folder, 'activate', 'AAAAA-AAAAA-AAAAA-AAAAA-AAAAA')).toBe('There is no such license key. Look for a typing mistake.');
});
