import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../../infra/bundle';
import { endpoints } from '../../lambdas/contract';
import { fileName } from '../../lambdas/contract/endpoint';
import { workers } from '../../lambdas/contract/workers';
import { app, newFingerprint, newShop } from '../support/http';
import { gatewayEvent } from './gateway-event';
import type { BenchStack } from './bench-stack';
import { atMost, type Result, type Section } from './report';
import { inTurns, median } from './rounds';

const ROUNDS = 9;

/** Whether an app waits for the function's response, for example when the app starts. */
const isHot = (name: string): boolean => ['validate', 'activate'].includes(name);

interface Start {
  /** The time to load the bundle, in ms. */
  readonly loaded: number;
  /** The time from the start of loading until the response to the first call, in ms. */
  readonly answered: number;
}

/** The program of a separate process. It loads a bundle, and calls the bundle's handler if an event is given. */
const CHILD = `
const begun = performance.now();
const { handler } = require(process.argv[1]);
const loaded = performance.now() - begun;
const answer = process.argv[2] ? handler(JSON.parse(process.argv[2]), { getRemainingTimeInMillis: () => 20_000 }) : undefined;
Promise.resolve(answer).then((result) => {
  if (result?.statusCode >= 400) throw new Error(result.body);
  console.log('\\n' + JSON.stringify({ loaded, answered: performance.now() - begun }));
  process.exit(0);
});`;

function startOf(folder: string, env: Readonly<Record<string, string>>, event?: object): Start {
  const output = execFileSync(process.execPath, ['-e', CHILD, join(folder, 'index.js'), ...(event ? [JSON.stringify(event)] : [])], {
    env: { ...env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return JSON.parse(output.toString().trim().split('\n').at(-1) ?? '') as Start;
}

const EMPTY = 'test/bench/baseline/empty.ts';
const CLIENT = 'test/bench/baseline/client.ts';

/** Compares the cold start of each function with that of an empty function, and with that of a function that only has the SDK's client. */
export async function functions(stack: BenchStack): Promise<Section> {
  const files = new Map<string, string>([
    ...endpoints.map((row) => [row.name, `lambdas/api/${fileName(row)}.ts`] as const),
    ...workers.map(({ name }) => [name, `lambdas/events/${name}.ts`] as const),
    ['empty', EMPTY],
    ['client', CLIENT],
  ]);
  const folders = bundle([...files.values()], { sourceMaps: false });
  const folderOf = (name: string): string => folders.get(files.get(name) ?? '') ?? '';
  const bytesOf = (name: string): number => statSync(join(folderOf(name), 'index.js')).size;

  const { product, license, client } = await newShop({ max_seats: 0 });
  const fingerprint = newFingerprint();
  await client.activate(license.key, fingerprint);
  await app(product).validate(license.key, fingerprint);
  const claim = { key: license.key, fingerprint };
  const firstCalls: Readonly<Record<string, object | undefined>> = {
    empty: {},
    client: {},
    validate: gatewayEvent(product, 'validate', { query: claim }),
    activate: gatewayEvent(product, 'activate', { body: claim }),
    deliver: { Records: [{ messageId: '1', body: JSON.stringify({ event_id: '0'.repeat(32) }) }] },
  };
  const found = await inTurns(
    ROUNDS,
    Object.fromEntries(
      [...files.keys()].map((name) => [name, () => Promise.resolve(startOf(folderOf(name), stack.env, firstCalls[name]))]),
    ),
  );
  const loaded = (name: string): number => median((found[name] ?? []).map((start) => start.loaded));
  const answered = (name: string): number => median((found[name] ?? []).map((start) => start.answered));

  const own = [...files.keys()].filter((name) => name !== 'empty' && name !== 'client');
  const against = { what: 'bare client', value: loaded('client') };
  const results = [
    { what: 'empty function: load', value: loaded('empty'), unit: 'ms' },
    { what: 'bare client: load', value: loaded('client'), unit: 'ms' },
    ...own.flatMap((name): Result[] => [
      { what: `${name}: bundle`, kind: 'a bundle', value: bytesOf(name) / 1000, unit: 'KB', goal: atMost(370) },
      {
        what: `${name}: load`,
        ...(!isHot(name) && { kind: 'loading another bundle' }),
        value: loaded(name),
        unit: 'ms',
        against,
        goal: atMost(isHot(name) ? 1.35 : 1.5),
      },
      ...(firstCalls[name]
        ? [
            {
              what: `${name}: load and first call`,
              value: answered(name),
              unit: 'ms',
              against: { what: 'bare client', value: answered('client') },
            },
          ]
        : []),
    ]),
  ];
  return {
    title: 'Cold start',
    how: `Each bundle is loaded in a new process, and the measurements alternate. The values are medians of ${ROUNDS} rounds. The bare client is a bundle of the SDK's document client that reads two items. All first calls use the local stack.`,
    results,
  };
}
