import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LicenseView, ProductView } from '../../lambdas/contract/resources';
import { UNREADABLE_HEADER } from '../../lambdas/contract/edge';
import { stopBeforeRemoval, temporaryFolder } from '../infra/local/support';
import { send } from '../support/http';
import { startStackChild, type StackChild } from '../support/stack-child';

/**
 * Opens the data directory that the last release wrote (test/fixtures/release). If this fails, an update of the service makes data
 * unreadable.
 */

interface Facts {
  readonly apiKey: string;
  readonly key: string;
  readonly fingerprint: string;
}

const dataDir = temporaryFolder();
execFileSync('tar', ['-xzf', join(__dirname, '../fixtures/release/data.tar.gz'), '-C', dataDir]);
const { apiKey, key, fingerprint } = JSON.parse(readFileSync(join(dataDir, 'facts.json'), 'utf8')) as Facts;
let stack: StackChild;
beforeAll(async () => {
  stack = await startStackChild(dataDir);
}, 60_000);
stopBeforeRemoval(() => stack.stop());

const ask = <Body>(path: string, { method = 'GET', headers = {}, body }: { method?: string; headers?: object; body?: object } = {}) =>
  send<Body>(path, {
    method,
    ...(body && { body }),
    baseUrl: stack.baseUrl,
    headers: { 'X-Svc-Admin-Token': stack.adminToken, ...headers },
  });

test('an app that the last release activated still validates, and activates again without a further seat', async () => {
  const headers = { 'X-API-Key': apiKey };
  expect(await ask(`/v1/products/1/validate?key=${key}&fingerprint=${fingerprint}`, { headers })).toMatchObject({
    status: 200,
    body: { valid: true },
  });
  expect(await ask('/v1/products/1/activate', { method: 'POST', headers, body: { key, fingerprint } })).toMatchObject({
    status: 200,
    body: { seats: { used: 1 } },
  });
});

test('the licenses have the states that the last release gave them', async () => {
  const { body } = await ask<LicenseView[]>('/v1/products/1/licenses?limit=1000');
  const statusOf = (wanted: string): string | undefined => body.find((license) => license.key === wanted)?.status;
  expect([key, 'SUSPENDED-0001', 'REVOKED-0001'].map(statusOf)).toEqual(['active', 'suspended', 'revoked']);
  // The others are the reissued license, the trial and the license that a processor sold.
  expect(body).toHaveLength(6);
});

test('its secrets open', async () => {
  expect((await ask<ProductView>('/v1/products/1')).body.api_key).toBe(apiKey);
  const { body: license } = await ask<LicenseView[]>(`/v1/products/1/licenses?key=${key}`);
  expect((await ask(`/v1/licenses/${license[0]?.id}/offline`, { method: 'POST', body: {} })).status).toBe(200);
});

test.each([
  '/v1/products/1/license-types',
  '/v1/products/1/licenses',
  '/v1/products/1/deliveries',
  '/v1/products/1/payments',
  '/v1/products/1/payment-connections',
  '/v1/products/1/releases',
  '/v1/products/1/signing-keys',
  '/v1/licenses/1/notes',
  '/v1/licenses/1/events',
  '/v1/tokens',
  '/v1/audit',
])('every row of %s can be read', async (path) => {
  const { status, body, headers } = await ask<unknown[]>(path);
  expect([status, headers[UNREADABLE_HEADER.toLowerCase()] ?? '0']).toEqual([200, '0']);
  expect(body.length).toBeGreaterThan(0);
});
