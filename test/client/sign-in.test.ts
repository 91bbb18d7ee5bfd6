import { memoryStorage, type LicenseClient } from '../../client/src';
import { closeShops } from '../support/shop';
import { openWorld, type World } from './support';

/** How an app ends a sign-in. The vectors in sign-in.json test the decisions. */

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(closeShops);

const asked = { request: 'secret', user_code: '7KQ2-9MXB', url: 'https://portal.example.com/aurora#activate=7KQ2-9MXB', interval: 0 };

/** An app whose sign-in nobody approves. `onPoll` is called for each question, with their number. */
function waitingApp(onPoll: (count: number, client: LicenseClient) => void) {
  let count = 0;
  const app = world.install({
    storage: memoryStorage(),
    fetch: async (url) => {
      const isPoll = url.endsWith('/poll');
      if (isPoll) onPoll((count += 1), app.client);
      const body = isPoll ? { status: 'pending', interval: 0 } : asked;
      return { status: isPoll ? 200 : 201, headers: new Headers(), text: () => Promise.resolve(JSON.stringify(body)) };
    },
  });
  return { app, polls: () => count };
}
const ignore = (): void => undefined;

test('if the user closes the dialog, the app asks no more, and its state stays', async () => {
  const controller = new AbortController();
  const { app, polls } = waitingApp((count) => count === 3 && controller.abort());
  const state = await app.client.activateInBrowser({ open: ignore, onCode: ignore, signal: controller.signal });
  expect(state).toMatchObject({ status: 'offline_without_token', fault: { kind: 'closed' } });
  expect([polls(), app.states]).toEqual([3, []]);
});

test('a sign-in that was ended before it began shows no further question', async () => {
  const { app, polls } = waitingApp(ignore);
  const state = await app.client.activateInBrowser({ open: ignore, onCode: ignore, signal: AbortSignal.abort() });
  expect(state).toMatchObject({ fault: { kind: 'closed' } });
  expect(polls()).toBe(0);
});

test('close ends a sign-in that waits, also during a pause of minutes', async () => {
  const { app } = waitingApp(ignore);
  const slow = app.restart({
    schedule: () => {
      queueMicrotask(() => void slow.client.close());
      return ignore;
    },
  });
  const state = await slow.client.activateInBrowser({ open: ignore, onCode: ignore });
  expect(state).toMatchObject({ fault: { kind: 'closed' } });
});

test('a browser that can not be opened is a warning, and the code still works', async () => {
  const controller = new AbortController();
  const { app } = waitingApp(() => controller.abort());
  const codes: string[] = [];
  await app.client.activateInBrowser({
    open: () => Promise.reject(new Error('there is no browser')),
    onCode: (code) => codes.push(code),
    signal: controller.signal,
  });
  expect([codes, app.warnings]).toEqual([[asked.user_code], [expect.stringContaining('there is no browser')]]);
});
