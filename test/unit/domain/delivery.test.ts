import { isAccepted, settle, type Delivery, type DeliveryRecord } from '../../../lambdas/domain/delivery';
import { NOW } from './fixtures';

const pending: Delivery = {
  id: '0'.repeat(32),
  event: 'license.created',
  product_id: 3,
  license_id: 7,
  body: '{}',
  status: 'pending',
  created_at: NOW,
};

test('a status from 200 to 399 accepts an event, and an invalid status such as 000 does not', () => {
  expect([0, 99, 100, 199, 200, 204, 301, 399, 400, 401, 404, 500].filter(isAccepted)).toEqual([200, 204, 301, 399]);
});

test('only the newest four attempts keep the response, so that the row of an event that is redelivered for weeks stays small', () => {
  const result = { at: NOW, durationMs: 5, status: 500, error: 'refused', response: 'x' };
  const failed = Array.from({ length: 60 }).reduce<DeliveryRecord>((delivery) => settle(delivery, 'https://example.com/', result), pending);
  const kept = failed.history?.filter(({ response }) => response === 'x').map(({ attempt }) => attempt);
  expect([failed.history?.length, kept]).toEqual([50, [57, 58, 59, 60]]);
});

test('a long response of a receiver is shortened in the log, so that fifty attempts fit into a row', () => {
  const failed = settle(pending, 'https://example.com/', { at: NOW, durationMs: 5, status: 500, error: 'x'.repeat(10_000) });
  expect(failed.history).toEqual([{ attempt: 1, at: NOW, status: 500, error: 'x'.repeat(300), duration_ms: 5 }]);
});
