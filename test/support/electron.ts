import { buildSync, type BuildOptions } from 'esbuild';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/**
 * Simulates, in this process, the parts of Electron that the sample uses. The real Electron is not used, because the npm package
 * `electron` only contains a program that downloads Electron. Values that are sent between the app's processes are cloned as in Electron.
 * Therefore a value that can't be cloned causes an error here too.
 */

const root = resolve(__dirname, '../..');
const requireModule = createRequire(__filename);

type Listener = (...values: unknown[]) => unknown;

/** A running Electron app. */
export interface Run {
  /** The objects that the preload script has exposed to the window, by name. */
  readonly window: Readonly<Record<string, Readonly<Record<string, Listener>>>>;
  /** The URLs that the app requested through Chromium's network. */
  readonly requests: readonly string[];
  /** Resolves when the app has shown its window. */
  readonly shown: Promise<void>;
  /** Simulates that the user quits the app. Resolves when the app allows it. */
  quit(): Promise<void>;
}

/**
 * Copies the sample and the values of a product into a folder. Then bundles the sample's main process, preload script and page, as the
 * build of an app does.
 */
export function buildSample(folder: string, product: object): void {
  cpSync(join(root, 'client/example/electron'), folder, { recursive: true });
  writeFileSync(join(folder, 'product.json'), JSON.stringify(product));
  const packages = {
    '@license-key-service/client/node': join(root, 'client/src/node/index.ts'),
    '@license-key-service/client': join(root, 'client/src/index.ts'),
  };
  const options: BuildOptions = {
    bundle: true,
    alias: packages,
    nodePaths: [join(root, 'node_modules')],
    outdir: folder,
    tsconfigRaw: {},
    logLevel: 'warning',
  };
  buildSync({
    ...options,
    entryPoints: [join(folder, 'main.ts'), join(folder, 'preload.ts')],
    platform: 'node',
    format: 'cjs',
    external: ['electron'],
  });
  buildSync({
    ...options,
    entryPoints: [join(folder, 'page.tsx')],
    platform: 'browser',
    format: 'iife',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
}

/**
 * Starts the app that {@link buildSample} has built.
 *
 * @param userData the folder of the app's data
 * @param isOnline if false, every request fails
 */
export function startSample(folder: string, userData: string, isOnline = true): Run {
  const handlers = new Map<string, Listener>();
  const quitters: Listener[] = [];
  const windowListeners = new Map<string, Set<Listener>>();
  const window: Record<string, Record<string, Listener>> = {};
  const requests: string[] = [];
  let markShown = (): void => undefined;
  const shown = new Promise<void>((resolve) => (markShown = resolve));
  let markEnded = (): void => undefined;
  const ended = new Promise<void>((resolve) => (markEnded = resolve));

  const renderer = {
    contextBridge: { exposeInMainWorld: (name: string, api: Record<string, Listener>) => void (window[name] = api) },
    ipcRenderer: {
      invoke: async (channel: string, ...values: unknown[]): Promise<unknown> =>
        structuredClone(await handlers.get(channel)?.({}, ...structuredClone(values))),
      on: (channel: string, listener: Listener) =>
        void windowListeners.set(channel, (windowListeners.get(channel) ?? new Set()).add(listener)),
      off: (channel: string, listener: Listener) => void windowListeners.get(channel)?.delete(listener),
    },
  };
  const windows: object[] = [];
  class BrowserWindow {
    readonly webContents = {
      send: (channel: string, ...values: unknown[]): void => {
        for (const listener of windowListeners.get(channel) ?? []) listener({}, ...structuredClone(values));
      },
    };
    constructor({ webPreferences }: { webPreferences: { preload: string } }) {
      run(webPreferences.preload, renderer);
      windows.push(this);
    }
    loadFile(): Promise<void> {
      markShown();
      return Promise.resolve();
    }
    static getAllWindows = (): object[] => windows;
  }
  function quit(): void {
    let isPrevented = false;
    for (const listener of quitters) listener({ preventDefault: () => (isPrevented = true) });
    if (!isPrevented) markEnded();
  }
  const main = {
    app: {
      getPath: () => userData,
      whenReady: () => Promise.resolve(),
      on: (_event: string, listener: Listener) => void quitters.push(listener),
      quit,
    },
    BrowserWindow,
    ipcMain: { handle: (channel: string, handler: Listener) => void handlers.set(channel, handler) },
    shell: { openExternal: () => Promise.resolve() },
    net: {
      fetch: (url: string, init?: RequestInit): Promise<Response> => {
        requests.push(url);
        return isOnline ? fetch(url, init) : Promise.reject(new Error('net::ERR_INTERNET_DISCONNECTED'));
      },
    },
  };

  run(join(folder, 'main.js'), main);
  return {
    window,
    requests,
    shown,
    quit: () => {
      quit();
      return ended;
    },
  };
}

/** Runs the code of a bundle. If the bundle imports `electron`, it gets the simulated Electron. */
function run(file: string, electron: object): void {
  const load = (name: string): unknown => (name === 'electron' ? electron : requireModule(name));
  // oxlint-disable-next-line typescript/no-implied-eval -- runs a file like Node does, with one module replaced
  (new Function('require', 'module', 'exports', '__dirname', readFileSync(file, 'utf8')) as Listener)(
    load,
    { exports: {} },
    {},
    dirname(file),
  );
}
