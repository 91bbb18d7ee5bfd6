import { newLicense, newProduct, newType, post } from '../../support/http';
import { startReceiver, type Receiver } from '../../support/receiver';
import { until } from '../../support/until';

/** A receiver that hangs must not affect other products. */

const receivers: Receiver[] = [];
afterAll(() => Promise.all(receivers.map((receiver) => receiver.close())));

async function newShop(answer: () => number | void) {
  const product = await newProduct();
  const receiver = await startReceiver(answer);
  receivers.push(receiver);
  await post(`/v1/products/${product.id}/webhook`, { url: receiver.url });
  return { product, receiver, type: await newType(product) };
}

test('while a hundred events of a product wait for its hanging receiver, another product’s events are posted at once', async () => {
  const EVENTS = 100;
  const [hanging, other] = await Promise.all([newShop(() => undefined), newShop(() => 200)]);
  for (let created = 0; created < EVENTS; created += 10) await Promise.all(Array.from({ length: 10 }, () => newLicense(hanging.type)));
  await until('attempts hang', () => hanging.receiver.received.length >= 10);
  for (let n = 1; n <= 3; n += 1) {
    await newLicense(other.type);
    await until('the other product’s event has come', () => other.receiver.received.length === n);
  }
  // The events of the other product came last. When they were posted, most events for the hanging receiver had not been attempted yet.
  expect(hanging.receiver.received.length).toBeLessThan(EVENTS);
  await post(`/v1/products/${hanging.product.id}/webhook`, { url: '' });
});
