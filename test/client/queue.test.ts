import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fetch } from '../../client/src';
import { fileStorage } from '../../client/src/node';
import { closeShops } from '../support/shop';
import { noNetwork, openWorld, type World } from './support';

/** Amounts that wait in files, while several processes of the app use the same folder. The vectors in meters.json test the queue's rules. */

let world: World;
let folder: string;
beforeEach(async () => {
  world = await openWorld();
  folder = await mkdtemp(join(tmpdir(), 'lks-queue-'));
});
afterEach(async () => {
  closeShops();
  await rm(folder, { recursive: true, force: true });
});

test('amounts of two processes that were offline are sent once each, those of one process in their order', async () => {
  const { license, fingerprint } = await world.licensed({ storage: fileStorage(folder) });
  const sent: { readonly id: string; readonly key: string; readonly fingerprint: string }[] = [];
  const meter = { meter: 'exports', used: 1, included: 100, remaining: 99, period: 'month', resets_at: null };
  let network: Fetch = noNetwork;
  const open = () =>
    world.install({
      storage: fileStorage(folder),
      fingerprint,
      offline: 'queue',
      timeoutMs: 60_000,
      fetch: (url, init) => network(url, init),
    }).client;
  const processes = [open(), open()];

  const ids = processes.map((_, place) => Array.from({ length: 10 }, (_unused, count) => `amount-${place}-${count}`));
  await Promise.all(
    processes.map(async (client, place) => {
      for (const id of ids[place] ?? []) expect(await client.consume('exports', 1, { id })).toEqual({ status: 'queued', id });
    }),
  );
  expect(await processes[0]?.pending()).toMatchObject({ amounts: { length: 20 }, dropped: [] });

  network = async (_url, { body = '' }) => {
    sent.push(JSON.parse(body) as (typeof sent)[number]);
    return { status: 200, headers: new Headers(), text: () => Promise.resolve(JSON.stringify(meter)) };
  };
  const restarted = [open(), open()];
  await Promise.all(restarted.map((client) => client.check()));
  await Promise.all(restarted.map((client) => client.idle()));

  expect(sent.map(({ id }) => id).sort()).toEqual(ids.flat().sort());
  for (const [place, own] of ids.entries()) expect(sent.map(({ id }) => id).filter((id) => id.startsWith(`amount-${place}`))).toEqual(own);
  expect(new Set(sent.map((fields) => `${fields.key} ${fields.fingerprint}`))).toEqual(new Set([`${license.key} ${fingerprint}`]));
  expect(await restarted[1]?.pending()).toMatchObject({ amounts: [], dropped: [] });
});
