import { randomBytes } from 'node:crypto';
import { KEY_RANDOM_BYTES } from '../../lambdas/domain/license-key';
import { deviceRefOf } from '../support/devices';
import { intercept } from '../support/intercept';
import { captureLogs } from '../support/logs';
import { anotherInstance, closeShops, openShop, type Fields, type Shop } from '../support/shop';
import { clockStart } from '../support/start';
import { eventsOf, expectWholeHistory } from '../support/table';

/** Tests simultaneous changes of several function instances, without the local stack's limit on their number. */

captureLogs();
afterEach(closeShops);

const start = clockStart();
/** The waits are real, but the clock stands still, so that no request reaches its time limit on a slow machine. */
const patient = { clock: () => start, sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
const times = <T>(count: number, make: (place: number) => T): T[] => Array.from({ length: count }, (_, place) => make(place));
const tally = (answers: readonly { status: number }[]): Record<number, number> =>
  answers.reduce<Record<number, number>>((counts, { status }) => ({ ...counts, [status]: (counts[status] ?? 0) + 1 }), {});

describe('a BatchGetItem call is not a snapshot: another request may change the license and its device between the reads of the two', () => {
  /** A row in the form of the network protocol. */
  interface Row {
    readonly sk: { readonly S: string };
  }
  /**
   * Runs a function between the reads of a license and of its device, when both are read for the first time. The row named by `late` is
   * read after the function has run, the other row before.
   */
  function between({ client }: Shop, happens: () => Promise<unknown>, late: 'LICENSE' | 'DEVICE'): void {
    let done = false;
    intercept(client, async (call, next) => {
      if (call.operation !== 'BatchGetItem' || done) return next();
      done = true;
      const before = (await next()) as { Responses: Record<string, Row[]> };
      await happens();
      const after = (await next()) as typeof before;
      const isLate = ({ sk }: Row): boolean => sk.S.startsWith(late);
      const [table] = Object.keys(after.Responses);
      return {
        ...after,
        Responses: {
          [table!]: [...(before.Responses[table!] ?? []).filter((row) => !isLate(row)), ...(after.Responses[table!] ?? []).filter(isLate)],
        },
      };
    });
  }

  test.each([
    ['LICENSE', 1],
    ['LICENSE', 5],
    ['DEVICE', 1],
    ['DEVICE', 5],
  ] as const)(
    'two simultaneous activations of one device both succeed and take one seat (%s read late, %i seats)',
    async (late, max_seats) => {
      const first = await openShop({ kind: 'lifetime', max_seats });
      const { id, key } = await first.newLicense();
      const second = anotherInstance(first);
      between(second, () => first.activate(key, 'fingerprint-1'), late);
      expect((await second.activate(key, 'fingerprint-1')).status).toBe(200);
      expect(await first.license(id)).toMatchObject({ seats: { used: 1 }, activations: [{ fingerprint: 'fingerprint-1' }] });
      expect((await eventsOf(id)).map(({ event }) => event)).toEqual(['license.created', 'license.activated']);
    },
  );

  test.each(['LICENSE', 'DEVICE'] as const)('a seat that is freed by two requests at once is freed once (%s read late)', async (late) => {
    const first = await openShop();
    const { id, key } = await first.newLicense();
    await first.activate(key, 'fingerprint-1');
    await first.activate(key, 'fingerprint-2');
    const second = anotherInstance(first);
    between(second, () => first.deactivate(key, 'fingerprint-1'), late);
    expect((await second.deactivate(key, 'fingerprint-1')).body).toEqual({ freed: false });
    expect(await first.license(id)).toMatchObject({ seats: { used: 1 }, activations: [{ fingerprint: 'fingerprint-2' }] });
  });

  test.each(['LICENSE', 'DEVICE'] as const)(
    'a device that was freed and bound again in between is freed in its new state: the event does not contain its old state (%s read late)',
    async (late) => {
      const first = await openShop();
      const { id, key } = await first.newLicense();
      const bind = (name: string) => first.activate(key, 'fingerprint-1', { name });
      await bind('Old name');
      const second = anotherInstance(first);
      between(second, () => first.deactivate(key, 'fingerprint-1').then(() => bind('New name')), late);
      expect((await second.deactivate(key, 'fingerprint-1')).body).toEqual({ freed: true });
      expect(await first.license(id)).toMatchObject({ seats: { used: 0 }, activations: [] });
      const told = (await eventsOf(id)).map(({ event, payload }) => `${event} ${payload.data.device?.name ?? ''}`);
      expect(told).toEqual([
        'license.created ',
        'license.activated Old name',
        'license.deactivated Old name',
        'license.activated New name',
        'license.deactivated New name',
      ]);
    },
  );

  test.each(['LICENSE', 'DEVICE'] as const)(
    'a device that a reset has unbound in between is bound again, with one seat (%s read late)',
    async (late) => {
      const first = await openShop({ kind: 'lifetime', max_seats: 1 });
      const { id, key } = await first.newLicense();
      await first.activate(key, 'fingerprint-1');
      const second = anotherInstance(first);
      between(second, () => first.call('resetLicense', { params: { id } }).then(() => first.activate(key, 'fingerprint-1')), late);
      expect((await second.activate(key, 'fingerprint-1')).status).toBe(200);
      expect(await first.license(id)).toMatchObject({ seats: { used: 1 }, activations: [{ fingerprint: 'fingerprint-1' }] });
      expect((await eventsOf(id)).map(({ event }) => event)).toEqual([
        'license.created',
        'license.activated',
        'license.reset',
        'license.activated',
      ]);
    },
  );
});

describe('other requests commit first, several times in a row', () => {
  /**
   * Runs a function, which changes the license, before each of the first `races` commits of `loser`. Returns `commits`, which counts all
   * commits of `loser`. Also returns `reads`, which has an entry for each repeated read of `loser`: the number of commits before that read.
   */
  function outrun(loser: Shop, races: number, happens: (race: number) => Promise<unknown>): { reads: number[]; commits: () => number } {
    let commits = 0;
    const reads: number[] = [];
    intercept(loser.client, async ({ operation }, next) => {
      if (operation === 'BatchGetItem' && commits > 0) reads.push(commits);
      if (operation === 'TransactWriteItems' && (commits += 1) <= races) await happens(commits);
      return next();
    });
    return { reads, commits: () => commits };
  }

  test('a validation that finds an expiry sees a renewal and an activation of its device that came first; otherwise the app would get a wrong signed refusal', async () => {
    const first = await openShop({ kind: 'subscription', duration_days: 1 });
    const { id, key } = await first.newLicense();
    first.advance(2 * 86_400_000);
    const second = anotherInstance(first, { clock: first.now });
    outrun(second, 1, async () => {
      await first.call('renewLicense', { params: { id }, body: {} });
      expect((await first.activate(key, 'fingerprint-1')).status).toBe(200);
    });
    const { body } = await second.validate(key, 'fingerprint-1');
    expect(body).toMatchObject({
      valid: true,
      seats: { used: 1 },
      device: { fingerprint: 'fingerprint-1' },
    });
  });

  test('an activation that sends a warning sees that its seat was freed: the app must not run on a seat that is no longer taken', async () => {
    const first = await openShop({ kind: 'subscription', duration_days: 30, max_seats: 1 });
    const { id, key } = await first.newLicense();
    await first.activate(key, 'fingerprint-1');
    first.advance(20 * 86_400_000);
    const second = anotherInstance(first, { config: { ...first.app.config, expiringDays: 14 }, clock: first.now });
    outrun(second, 1, async () => {
      expect((await first.deactivate(key, 'fingerprint-1')).body).toEqual({ freed: true });
      expect((await first.activate(key, 'fingerprint-2')).status).toBe(200);
    });
    expect((await second.activate(key, 'fingerprint-1')).status).toBe(429);
    expect((await first.license(id)).activations.map(({ fingerprint }) => fingerprint)).toEqual(['fingerprint-2']);
  });

  test('an activation that sends a warning takes a new seat if its seat was freed', async () => {
    const first = await openShop({ kind: 'subscription', duration_days: 30, max_seats: 1 });
    const { id, key } = await first.newLicense();
    await first.activate(key, 'fingerprint-1');
    first.advance(20 * 86_400_000);
    const second = anotherInstance(first, { config: { ...first.app.config, expiringDays: 14 }, clock: first.now });
    outrun(second, 1, () => first.deactivate(key, 'fingerprint-1'));
    expect((await second.activate(key, 'fingerprint-1')).status).toBe(200);
    expect((await first.license(id)).activations.map(({ fingerprint }) => fingerprint)).toEqual(['fingerprint-1']);
    expectWholeHistory(await eventsOf(id));
  });

  test('a list of devices that finds an expiry sees a renewal and a reset that came first: it contains the devices that are bound now', async () => {
    const first = await openShop({ kind: 'subscription', duration_days: 1, max_seats: 2 });
    const { id, key } = await first.newLicense();
    await first.call('updateProduct', { params: { id: first.productId }, body: { list_devices: true } });
    await first.activate(key, 'fingerprint-1');
    first.advance(2 * 86_400_000);
    const second = anotherInstance(first, { clock: first.now });
    outrun(second, 1, async () => {
      await first.call('renewLicense', { params: { id }, body: {} });
      await first.call('resetLicense', { params: { id } });
      expect((await first.activate(key, 'fingerprint-2')).status).toBe(200);
    });
    const listed = await second.call('listDevices', {
      params: { id: first.productId },
      apiKey: first.apiKey,
      body: { key, fingerprint: 'fingerprint-2' },
    });
    expect(listed.body).toMatchObject([{ this: true }]);
  });

  test.each([1, 9])('a device whose commit fails %i times because other requests came first still gets a seat', async (races) => {
    const first = await openShop({ kind: 'lifetime' });
    const { id, key } = await first.newLicense();
    const second = anotherInstance(first);
    const { reads, commits } = outrun(second, races, (race) => first.activate(key, `fingerprint-${race}`));
    expect(await second.activate(key, 'own-fingerprint')).toMatchObject({ status: 200, body: { seats: { used: races + 1 } } });
    expect(commits()).toBe(races + 1);
    // The request decides again on a state that it read after the lost race, not on an older one.
    expect(reads).toEqual(Array.from({ length: races }, (_, place) => place + 1));
    expectWholeHistory(await eventsOf(id));
  });

  test.each([
    [3, 3],
    [3, 0],
    [12, 12],
    [12, 0],
  ])(
    'if another request binds the device in the last of %i lost races, the device takes no second seat, and nothing more is committed (%i seats)',
    async (races, max_seats) => {
      const first = await openShop({ kind: 'lifetime', max_seats });
      const { id, key } = await first.newLicense();
      const second = anotherInstance(first);
      const { commits } = outrun(second, races, (race) => first.activate(key, race === races ? 'own-fingerprint' : `fingerprint-${race}`));
      expect((await second.activate(key, 'own-fingerprint')).status).toBe(200);
      expect(commits()).toBe(races);
      expect(await first.license(id)).toMatchObject({ seats: { used: races } });
    },
  );

  test.each([3, 12])(
    'a seat that another request freed in the last of %i lost races is not freed twice, and no commit tries to free it again',
    async (races) => {
      const first = await openShop({ kind: 'lifetime' });
      const { id, key } = await first.newLicense();
      await first.activate(key, 'own-fingerprint');
      const second = anotherInstance(first);
      const { commits } = outrun(second, races, (race) =>
        race === races ? first.deactivate(key, 'own-fingerprint') : first.activate(key, `fingerprint-${race}`),
      );
      expect((await second.deactivate(key, 'own-fingerprint')).body).toEqual({ freed: false });
      expect(commits()).toBe(races);
      expect(await first.license(id)).toMatchObject({ seats: { used: races - 1 } });
      expectWholeHistory(await eventsOf(id));
    },
  );

  test('a request that loses races for five seconds gets 503, and its first two retries start without a wait', async () => {
    const slept: number[] = [];
    const first = await openShop({ kind: 'lifetime' });
    const { id, key } = await first.newLicense();
    let now = first.now();
    const second = anotherInstance(first, {
      clock: () => now,
      // These random bytes result in the longest possible waits.
      random: (bytes) => (bytes === 2 ? Uint8Array.of(255, 255) : randomBytes(bytes)),
      sleep: (ms) => {
        slept.push(ms);
        now += 400;
        return Promise.resolve();
      },
    });
    const { commits } = outrun(second, Number.POSITIVE_INFINITY, (race) => first.activate(key, `fingerprint-${race}`));
    expect((await second.activate(key, 'own-fingerprint')).status).toBe(503);
    // The first three tries start without a wait, and each of the other 13 tries after a wait. 13 waits of 400 ms take more than five
    // seconds.
    expect([slept.length, commits()]).toEqual([13, 16]);
    // The waits grow, and then shrink with the time that is left: 5 s minus the 400 ms of each earlier wait.
    expect(slept.map(Math.round)).toEqual([20, 40, 80, 160, ...times(8, (place) => Math.floor((5000 - (place + 4) * 400) / 16)), 20]);
    expect((await first.license(id)).activations.map(({ fingerprint }) => fingerprint)).not.toContain('own-fingerprint');
  });

  test.each([
    ['at the last millisecond of its five seconds', 5000, 503],
    ['a millisecond sooner', 4999, 200],
  ])('after a race that is lost %s (after %i ms), the response is %i', async (_when, ms, status) => {
    const first = await openShop({ kind: 'lifetime' });
    const { id, key } = await first.newLicense();
    let now = first.now();
    const second = anotherInstance(first, { clock: () => now, sleep: () => Promise.resolve() });
    const { commits } = outrun(second, 1, async () => {
      await first.activate(key, 'fingerprint-1');
      now += ms;
    });
    expect([(await second.activate(key, 'own-fingerprint')).status, commits()]).toEqual([status, status === 200 ? 2 : 1]);
    expect(await first.license(id)).toMatchObject({ seats: { used: status === 200 ? 2 : 1 } });
  });
});

describe('the first check of a day, whose device is freed before the day is written', () => {
  const DAY = 86_400_000;
  const takeAway: Readonly<Record<string, (shop: Shop, license: { id: number; key: string }) => Promise<{ status: number }>>> = {
    freed: (shop, { key }) => shop.deactivate(key, 'fingerprint-1'),
    reset: (shop, { id }) => shop.call('resetLicense', { params: { id } }),
    reissued: (shop, { id }) => shop.call('reissueLicense', { params: { id } }),
    replaced: (shop, { id, key }) => shop.activate(key, 'fingerprint-2', { replace: deviceRefOf({ id }, 'fingerprint-1') }),
  };

  test.each(
    Object.entries(takeAway).flatMap(([name, act]) => (['validate', 'activate'] as const).map((check) => [name, check, act] as const)),
  )(
    '%s: the %s succeeds, because the device was bound when it was decided, but does not bind the device again',
    async (name, check, act) => {
      const first = await openShop({ kind: 'lifetime', max_seats: 1 });
      const license = await first.newLicense();
      await first.activate(license.key, 'fingerprint-1');
      const second = anotherInstance(first);
      for (const shop of [first, second]) shop.advance(DAY);
      let done = false;
      intercept(second.client, async (call, next) => {
        if (call.operation !== 'UpdateItem' || done) return next();
        done = true;
        expect((await act(first, license)).status).toBe(200);
        return next();
      });
      expect((await second[check](license.key, 'fingerprint-1')).status).toBe(200);
      expect(done).toBe(true);
      const { seats, activations } = await first.license(license.id);
      const bound = name === 'replaced' ? ['fingerprint-2'] : [];
      expect([seats.used, activations.map(({ fingerprint }) => fingerprint)]).toEqual([bound.length, bound]);
      expectWholeHistory(await eventsOf(license.id));
    },
  );
});

test('a license is never sold under an existing key: the sale fails, and the first license is unchanged', async () => {
  const service = await openShop(
    { kind: 'lifetime' },
    { random: (bytes) => (bytes === KEY_RANDOM_BYTES ? new Uint8Array(bytes) : randomBytes(bytes)) },
  );
  const sale = { params: { id: service.productId }, body: { license_type_id: service.typeId } };
  const first = await service.call('createLicense', { ...sale, body: { ...sale.body, customer_email: 'ada@example.com' } });
  expect(first.status).toBe(201);
  expect((await service.call('createLicense', sale)).status).toBe(500);
  expect((await service.call('listLicenses', { params: sale.params })).body).toEqual([first.body]);
});

test.each([{ name: 'Renamed' }, { self_service: true }])(
  'two equal changes of a license type at once both succeed, instead of a conflict with the type itself (%j)',
  async (body) => {
    const first = await openShop({ kind: 'trial', duration_days: 14 });
    const second = anotherInstance(first);
    const change = ({ call, typeId }: Shop) => call('updateLicenseType', { params: { id: typeId }, body });
    let done = false;
    intercept(second.client, async ({ operation }, next) => {
      if (operation === 'TransactWriteItems' && !done) {
        done = true;
        expect((await change(first)).status).toBe(200);
      }
      return next();
    });
    expect(await change(second)).toMatchObject({ status: 200, body });
  },
);

test('of 40 requests that notice an expiry at once, exactly one reports it', async () => {
  const service = await openShop({ kind: 'subscription', duration_days: 1 });
  const { id, key } = await service.newLicense();
  // A webhook is needed, because only events that must be posted are sent to the queue.
  await service.call('setWebhook', { params: { id: service.productId }, body: { url: 'https://example.com/' } });
  await service.activate(key, 'fingerprint-1');
  const instances = times(4, () => anotherInstance(service));
  for (const instance of [service, ...instances]) instance.advance(86_400_000 + service.now() - instance.now());
  const answers = await Promise.all(
    times(40, (place) => {
      const instance = instances[place % instances.length]!;
      const fingerprint = `fingerprint-${place % 5}`;
      return place % 2 ? instance.activate(key, fingerprint) : instance.validate(key, fingerprint);
    }),
  );
  for (const [place, { status, body }] of answers.entries()) {
    if (place % 2) expect(status).toBe(403);
    else expect(body).toEqual({ valid: false, status: 'expired' });
  }
  expect((await eventsOf(id)).map(({ event }) => event)).toEqual(['license.created', 'license.activated', 'license.expired']);
  // Only the instance that committed the expiry sends the event to the queue.
  const told = [service, ...instances].flatMap(({ sent }) => sent);
  const expired = (await eventsOf(id)).at(-1)!;
  expect(told.filter((message) => message.includes(expired.id))).toHaveLength(1);
});

test.each([
  [0, 20],
  [5, 30],
])(
  'any number of function instances at once activate exactly as many devices as the license has seats (%i seats, %i devices)',
  async (max_seats, devices) => {
    const service = await openShop({ kind: 'lifetime', max_seats }, patient);
    const { id, key } = await service.newLicense();
    const answers = await Promise.all(times(devices, (place) => service.activate(key, `fingerprint-${place}`)));
    expect(tally(answers)).toEqual(max_seats === 0 ? { 200: devices } : { 200: max_seats, 429: devices - max_seats });
    const admitted = answers.filter(({ status }) => status === 200).length;
    const { seats, activations } = await service.license(id);
    expect([seats.used, activations.length]).toEqual([admitted, admitted]);
    expectWholeHistory(await eventsOf(id));
  },
);

test('the admin view of a license in use is consistent: its used seats are its devices', async () => {
  const service = await openShop({ kind: 'subscription', duration_days: 30 }, patient);
  const { id, key } = await service.newLicense();
  const shown = await Promise.all(
    times(45, (place) => {
      if (place % 3 === 0) return service.call('renewLicense', { params: { id }, body: { days: 1 } });
      return place % 3 === 1 ? service.activate(key, `fingerprint-${place}`) : service.call('getLicense', { params: { id } });
    }),
  );
  const views = [...shown, await service.call('revokeLicense', { params: { id } })]
    .map(({ body }) => body as Fields)
    .filter((body) => 'activations' in body);
  expect(views.length).toBe(31);
  for (const { seats, activations } of views) expect((activations as unknown[]).length).toBe((seats as { used: number }).used);
});

test('a product gets exactly 20 payment connections, even if 30 are requested at once', async () => {
  const service = await openShop({ kind: 'lifetime' }, patient);
  const params = { id: service.productId };
  const create = (): Promise<{ status: number }> => service.call('createPaymentConnection', { params, body: { processor: 'gumroad' } });
  expect(tally([await create(), ...(await Promise.all(times(30, create)))])).toEqual({ 201: 20, 422: 11 });
  expect((await service.call('listPaymentConnections', { params })).body).toHaveLength(20);
});
