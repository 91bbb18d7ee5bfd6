import type { LicenseView, ProductView } from '../../lambdas/contract/resources';
import { newFingerprint, unique } from '../support/http';
import { MortalService } from '../support/mortal-service';
import { until } from '../support/until';

/**
 * Kills the local run under load. Afterwards every confirmed change must exist, and every change must be complete or missing. The test in
 * test/infra/local/start.test.ts runs `npm start` after a kill.
 */

const ROUNDS = 2;
const CUSTOMERS = 8;
const SEATS = 3;

const service = new MortalService();
afterAll(() => service.destroy());

/** What the service has confirmed to one customer about its license. The customer's last request may or may not have been executed. */
interface Customer {
  readonly id: number;
  readonly key: string;
  readonly devices: Set<string>;
  readonly unsure: Set<string>;
  revoked: boolean;
}

/** A customer buys and uses licenses over a separate connection, one request after another, until the service is killed. */
async function buyAndUse(product: ProductView, typeId: number, told: Customer[], sales: Map<string, number | undefined>): Promise<void> {
  const client = { 'X-API-Key': product.api_key };
  const path = `/v1/products/${product.id}`;
  for (;;) {
    const order = unique('order');
    sales.set(order, undefined);
    const sold = await service.post<LicenseView>(`${path}/licenses`, { license_type_id: typeId }, { 'Idempotency-Key': order });
    expect(sold.status).toBe(201);
    sales.set(order, sold.body.id);
    const customer: Customer = { id: sold.body.id, key: sold.body.key, devices: new Set(), unsure: new Set(), revoked: false };
    told.push(customer);
    for (let device = 0; device < SEATS; device += 1) {
      const fingerprint = newFingerprint();
      customer.unsure.add(fingerprint);
      const activated = await service.post(`${path}/activate`, { key: customer.key, fingerprint }, client);
      expect(activated.status).toBe(200);
      customer.devices.add(fingerprint);
      if (device === 1) {
        customer.devices.delete(fingerprint);
        expect((await service.post(`${path}/deactivate`, { key: customer.key, fingerprint }, client)).body).toEqual({ freed: true });
      }
      customer.unsure.delete(fingerprint);
    }
    if (customer.id % 3 === 0) {
      expect((await service.post(`/v1/licenses/${customer.id}/revoke`)).status).toBe(200);
      customer.revoked = true;
    }
  }
}

interface Delivery {
  readonly id: string;
  readonly event: string;
  readonly license_id: number;
  readonly payload: {
    readonly id: string;
    readonly data: { readonly license: LicenseView & { readonly sequence: number }; readonly device?: { readonly fingerprint: string } };
  };
}

/** Replays a license's events, and returns the resulting devices and status. */
function outcomeOf(events: readonly Delivery[]): { devices: string[]; status: string; seats: number } {
  const ordered = [...events].sort((a, b) => a.payload.data.license.sequence - b.payload.data.license.sequence);
  expect(ordered.map(({ payload }) => payload.data.license.sequence)).toEqual(ordered.map((_, place) => place + 1));
  expect(ordered[0]?.event).toBe('license.created');
  const devices = new Set<string>();
  for (const { event, payload } of ordered) {
    const fingerprint = payload.data.device?.fingerprint ?? '';
    if (event === 'license.activated') devices.add(fingerprint);
    if (event === 'license.deactivated') expect(devices.delete(fingerprint)).toBe(true);
    expect(payload.data.license.seats.used).toBe(devices.size);
  }
  return { devices: [...devices].sort(), status: ordered.at(-1)!.payload.data.license.status, seats: devices.size };
}

test('a power failure under load loses no confirmed change, and leaves no change half done', async () => {
  await service.start();
  const slug = unique('durable');
  const product = (await service.post<ProductView>('/v1/products', { name: slug, slug })).body;
  const type = (
    await service.post<{ id: number }>(`/v1/products/${product.id}/license-types`, { name: 'Team', kind: 'lifetime', max_seats: SEATS })
  ).body;
  const told: Customer[] = [];
  const sales = new Map<string, number | undefined>();

  for (let round = 0; round < ROUNDS; round += 1) {
    const enough = told.length + 8 + Math.floor(Math.random() * 16);
    const ends = Array.from({ length: CUSTOMERS }, () =>
      buyAndUse(product, type.id, told, sales).then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    const early = await Promise.race([until('enough was sold', () => told.length >= enough, 60_000).then(() => undefined), ...ends]);
    if (early) throw early as Error;
    await service.kill();
    // Every customer's last request failed because of the kill. Before the kill, no customer got a wrong response.
    for (const error of await Promise.all(ends))
      expect(error).toMatchObject({ code: expect.stringMatching(/^(ECONNRESET|ECONNREFUSED|EPIPE)$/) });

    await service.start();
    const licenses = await service.list<LicenseView>(`/v1/products/${product.id}/licenses`);
    const events = await service.list<Delivery>(`/v1/products/${product.id}/deliveries`);
    const byLicense = new Map<number, Delivery[]>();
    for (const event of events) byLicense.set(event.license_id, [...(byLicense.get(event.license_id) ?? []), event]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    // Every event belongs to an existing license, and every license has its events.
    expect([...byLicense.keys()].sort((a, b) => a - b)).toEqual(licenses.map(({ id }) => id));

    for (const { id, seats, activations, status } of licenses) {
      const listed = activations.map(({ fingerprint }) => fingerprint).sort();
      expect({ id, status, seats: seats.used, devices: listed }).toEqual({ id, ...outcomeOf(byLicense.get(id) ?? []) });
    }
    const stored = new Map(licenses.map((license) => [license.id, license]));
    for (const { id, key, devices, unsure, revoked } of told) {
      const license = stored.get(id);
      const listed = license?.activations.map(({ fingerprint }) => fingerprint) ?? [];
      expect({ id, key: license?.key, missing: [...devices].filter((device) => !unsure.has(device) && !listed.includes(device)) }).toEqual({
        id,
        key,
        missing: [],
      });
      expect(listed.filter((device) => !devices.has(device) && !unsure.has(device))).toEqual([]);
      if (revoked) expect(license?.status).toBe('revoked');
    }
    // A sale whose response was lost is requested again. The service creates the license, or returns the license that the first request
    // created.
    for (const [order] of [...sales].filter(([, id]) => id === undefined)) {
      const again = await service.post<LicenseView>(
        `/v1/products/${product.id}/licenses`,
        { license_type_id: type.id },
        { 'Idempotency-Key': order },
      );
      expect(again.status).toBe(201);
      sales.set(order, again.body.id);
    }
    expect(await service.list(`/v1/products/${product.id}/licenses`)).toHaveLength(sales.size);
    for (const customer of told) customer.unsure.clear();
    for (const customer of told) {
      customer.devices.clear();
      for (const { fingerprint } of stored.get(customer.id)?.activations ?? []) customer.devices.add(fingerprint);
    }
  }
});
