import { eventsOf, expectWholeHistory } from '../support/table';
import { app, getLicense, newFingerprint, newLicense, newProduct, newType, post, type Answer } from '../support/http';
import { serveInProcess } from '../support/in-process';
import type { ProductView } from '../../lambdas/contract/resources';

/** Customers pay for seats, so the number of seats must be exact, even with many requests at the same time. */

serveInProcess();

const CROWD = 60;
let product: ProductView;
let client: ReturnType<typeof app>;
beforeAll(async () => {
  product = await newProduct();
  client = app(product);
});

const tally = (answers: readonly Answer<unknown>[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** Expects that a license, its list of devices and its history are consistent. */
async function expectConsistent(id: number): Promise<void> {
  const { seats, activations } = await getLicense(id);
  expect(activations).toHaveLength(seats.used);
  expect(new Set(activations.map(({ fingerprint }) => fingerprint)).size).toBe(seats.used);
  if (seats.max !== 0) expect(seats.used).toBeLessThanOrEqual(seats.max);

  const events = await eventsOf(id);
  expectWholeHistory(events);
  // The devices that result from replaying the events must be the listed devices.
  const bound = new Set<string>();
  for (const { event, payload } of events) {
    const fingerprint = payload.data.device?.fingerprint ?? '';
    if (event === 'license.activated') {
      expect(bound).not.toContain(fingerprint);
      bound.add(fingerprint);
    } else if (event === 'license.deactivated') expect(bound.delete(fingerprint)).toBe(true);
    else if (event === 'license.reset') bound.clear();
    expect(payload.data.license.seats.used).toBe(bound.size);
  }
  expect([...bound].sort()).toEqual(activations.map(({ fingerprint }) => fingerprint).sort());
}

test.each([1, 20])(
  `if ${CROWD} devices activate a license at once, exactly as many succeed as the license has seats: %i`,
  async (max_seats) => {
    const { id, key } = await newLicense(await newType(product, { max_seats }));
    const answers = await Promise.all(Array.from({ length: CROWD }, () => client.activate(key, newFingerprint())));
    expect(tally(answers)).toEqual({ 200: max_seats, 429: CROWD - max_seats });
    for (const { status, headers } of answers) if (status === 429) expect(headers['x-svc-error-code']).toBe('no_seats');

    const license = await getLicense(id);
    expect(license.seats).toEqual({ used: max_seats, max: max_seats });
    const admitted = answers.filter(({ status }) => status === 200).map(({ body }) => body.device.fingerprint);
    expect(license.activations.map(({ fingerprint }) => fingerprint).sort()).toEqual(admitted.sort());
    // Each successful activation returned a different number of used seats, so no seat was given twice.
    expect(
      answers
        .filter(({ status }) => status === 200)
        .map(({ body }) => body.seats.used)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: max_seats }, (_, place) => place + 1));
    await expectConsistent(id);
  },
);

test(`a device that activates ${CROWD} times at once always succeeds, and takes one seat`, async () => {
  const { id, key } = await newLicense(await newType(product, { max_seats: 1 }));
  const fingerprint = newFingerprint();
  const answers = await Promise.all(Array.from({ length: CROWD }, () => client.activate(key, fingerprint)));
  expect(tally(answers)).toEqual({ 200: CROWD });
  for (const { body } of answers) expect(body.seats).toEqual({ used: 1, max: 1 });
  expect((await eventsOf(id)).map(({ event }) => event)).toEqual(['license.created', 'license.activated']);
  await expectConsistent(id);
});

test('if seats are freed and taken at the same time, the number of used seats stays correct', async () => {
  const { id, key } = await newLicense(await newType(product, { max_seats: 3 }));
  const fingerprints = Array.from({ length: 6 }, newFingerprint);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, place) => {
      const fingerprint = fingerprints[place % fingerprints.length]!;
      return Math.floor(place / fingerprints.length) % 2 === 0 ? client.activate(key, fingerprint) : client.deactivate(key, fingerprint);
    }),
  );
  for (const { status } of answers) expect([200, 429]).toContain(status);
  await expectConsistent(id);
});

test.each([0, 4])(
  'a storm of all requests at once leaves one consistent state and one event for each change (%i seats)',
  async (max_seats) => {
    const { id, key } = await newLicense(await newType(product, { kind: 'subscription', duration_days: 30, max_seats }));
    const fingerprints = Array.from({ length: 8 }, newFingerprint);
    const operations: readonly ((place: number) => Promise<Answer<unknown>>)[] = [
      (place) => client.activate(key, fingerprints[place % 8]!),
      (place) => client.activate(key, fingerprints[(place + 3) % 8]!, { name: `label ${place}` }),
      (place) => client.deactivate(key, fingerprints[(place + 5) % 8]!),
      (place) => client.validate(key, fingerprints[place % 8]!),
      (place) => (place % 3 === 0 ? post(`/v1/licenses/${id}/reset`) : client.activate(key, fingerprints[place % 8]!)),
      () => post(`/v1/licenses/${id}/renew`, { days: 1 }),
    ];
    const answers = await Promise.all(Array.from({ length: 75 }, (_, place) => operations[place % operations.length]!(place)));
    for (const { status, text } of answers) expect({ text, ok: status === 200 || status === 429 }).toEqual({ text, ok: true });
    await expectConsistent(id);

    const last = await Promise.all([
      ...Array.from({ length: 20 }, (_, place) => operations[place % 3]!(place)),
      post(`/v1/licenses/${id}/revoke`),
      post(`/v1/licenses/${id}/revoke`),
      ...Array.from({ length: 20 }, (_, place) => operations[place % 5]!(place)),
    ]);
    for (const { status, text } of last) expect({ text, ok: [200, 403, 429].includes(status) }).toEqual({ text, ok: true });
    await expectConsistent(id);
    const events = (await eventsOf(id)).map(({ event }) => event);
    expect(events.filter((event) => event === 'license.revoked')).toHaveLength(1);
    // No device was activated after the revocation.
    expect(events.slice(events.indexOf('license.revoked'))).not.toContain('license.activated');
    expect((await getLicense(id)).status).toBe('revoked');
  },
);
