import { erasedBody } from '../../../lambdas/domain/erasure';

/** After an erasure, an event must contain no data about the buyer from before the erasure, but must keep all data that was added later. */

const body = JSON.stringify({
  id: '0',
  event: 'license.activated',
  data: {
    product: 'aurora',
    license: { id: 1, customer_email: 'ada@example.com', label: 'mine', metadata: { note: 'x' }, sequence: 2 },
    device: { fingerprint: 'f', platform: 'linux', name: 'laptop' },
  },
});
const erasure = { sequence: 3, devices_erased_at: 1000 };
const data = (text: string): { license: object; device: object } => (JSON.parse(text) as { data: never }).data;

test('an event from before the erasure loses the e-mail address, the label, the metadata and the labels, and keeps its other fields in the same order', () => {
  const after = erasedBody(body, { sequence: 2, created_at: 5000 }, erasure);
  expect(after).toBe(
    body
      .replace('"ada@example.com"', 'null')
      .replace('"mine"', 'null')
      .replace('{"note":"x"}', '{}')
      .replace('"linux"', '""')
      .replace('"laptop"', '""'),
  );
  expect(erasedBody(after, { sequence: 2, created_at: 5000 }, erasure)).toBe(after);
});

test('an event from after the erasure keeps values that were set after it; labels that a device got before it are removed', () => {
  expect(erasedBody(body, { sequence: 4, created_at: 1001 }, erasure)).toBe(body);
  const meanwhile = data(erasedBody(body, { sequence: 4, created_at: 1000 }, erasure));
  expect(meanwhile).toMatchObject({ license: { customer_email: 'ada@example.com' }, device: { name: '', platform: '' } });
});

test('an event without a license stays unchanged', () => {
  const test = JSON.stringify({ event: 'webhook.test', data: { product: 'aurora' } });
  expect(erasedBody(test, { sequence: 1, created_at: 1 }, erasure)).toBe(test);
});
