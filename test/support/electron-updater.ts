import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request, type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders, type RequestOptions } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ElectronHttpExecutor } from 'electron-updater/out/electronHttpExecutor';
import { NsisUpdater } from 'electron-updater/out/NsisUpdater';

/**
 * Runs electron-builder's updater for Windows apps, unchanged from npm. Only Electron is replaced: an adapter takes the place of Electron's
 * app object. Requests use Node's network instead of Chromium's, and emit the same events.
 */

/**
 * Simulates a request through Chromium's network. A redirect only emits an event. The request follows the redirect when the caller calls
 * `followRedirect`.
 */
class NetRequest extends EventEmitter {
  private current: ClientRequest | undefined;
  private follow: (() => void) | undefined;
  private aborted = false;

  constructor(
    private readonly options: RequestOptions,
    private readonly note: (sent: SentRequest) => void,
  ) {
    super();
  }

  end(): this {
    this.send(this.options);
    return this;
  }

  private send(options: RequestOptions): void {
    const headers = options.headers as OutgoingHttpHeaders;
    const sent = request({ ...options, headers }, (response) => this.receive(options, headers, response));
    sent.on('error', (error) => (this.aborted ? undefined : this.emit('error', error)));
    this.current = sent;
    sent.end();
  }

  private receive(options: RequestOptions, headers: OutgoingHttpHeaders, response: IncomingMessage): void {
    const url = `http://${options.hostname}:${options.port}${options.path}`;
    const { statusCode = 0, headers: received } = response;
    this.note({ url, range: headers['range'], status: statusCode });
    const location = received.location;
    if (statusCode < 300 || statusCode > 399 || location === undefined) {
      this.emit('response', response);
      return;
    }
    response.resume();
    const to = new URL(location, url);
    this.follow = () =>
      this.send({ ...options, hostname: to.hostname, port: to.port, path: `${to.pathname}${to.search}`, headers: { ...headers } });
    this.emit('redirect', statusCode, options.method ?? 'GET', to.href, received);
  }

  followRedirect(): void {
    this.follow?.();
  }

  abort(): void {
    this.aborted = true;
    this.current?.destroy();
  }

  setTimeout(): this {
    return this;
  }
}

/** A request that the updater sent. */
export interface SentRequest {
  readonly url: string;
  readonly range: string | undefined;
  readonly status: number;
}

class Executor extends ElectronHttpExecutor {
  constructor(private readonly note: (sent: SentRequest) => void) {
    super();
  }

  override createRequest(options: RequestOptions, callback: (response: IncomingMessage) => void): never {
    // The headers are copied, because the updater may change them after it has created the request.
    const made = new NetRequest({ ...options, headers: { ...(options.headers as OutgoingHttpHeaders) } }, this.note);
    made.on('response', callback);
    return made as never;
  }
}

export interface AppOptions {
  /** The URL of the update feed. */
  readonly url: string;
  /** The installed version of the app. */
  readonly version: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The installer of the installed version. The updater keeps it and then downloads only the parts that differ in a new version. */
  readonly installer?: Uint8Array;
}

/** The result of a search for an update. */
export interface Outcome {
  /** The version that the updater would install; undefined if it found no update. */
  readonly installs: string | undefined;
  readonly bytes: Buffer | undefined;
  readonly requests: readonly SentRequest[];
  /** The lines that the updater wrote to its log. */
  readonly log: string;
}

/**
 * Looks for an update and downloads it, like an app after its start.
 *
 * @throws the updater's error
 */
export async function runUpdater({ url, version, headers, installer }: AppOptions): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'lks-updater-'));
  const requests: SentRequest[] = [];
  const lines: string[] = [];
  const write = (message?: unknown): void => void lines.push(String(message));
  try {
    // The last 4 bytes are the random number by which the updater decides whether it takes part in a staged rollout: 0.25 of the maximum.
    writeFileSync(join(folder, '.updaterId'), 'b7f1c3de-5d3a-4c6b-8f00-000040000000');
    const config = join(folder, 'app-update.yml');
    writeFileSync(config, 'updaterCacheDirName: cache\n');
    mkdirSync(join(folder, 'cache'));
    if (installer) writeFileSync(join(folder, 'cache', 'installer.exe'), installer);
    const updater = new NsisUpdater(null, {
      version,
      name: 'sample',
      isPackaged: true,
      appUpdateConfigPath: config,
      userDataPath: folder,
      baseCachePath: folder,
      whenReady: () => Promise.resolve(),
      relaunch: () => undefined,
      quit: () => undefined,
      onQuit: () => undefined,
    });
    const executor = new Executor((sent) => requests.push(sent));
    Object.assign(updater, {
      httpExecutor: executor,
      createProviderRuntimeOptions: () => ({ isUseMultipleRangeRequest: false, platform: 'win32', executor }),
    });
    updater.logger = { info: write, warn: write, error: write, debug: write };
    updater.disableWebInstaller = true;
    updater.requestHeaders = { ...headers };
    updater.allowPrerelease = true;
    updater.setFeedURL({ provider: 'generic', url, useMultipleRangeRequest: false });
    const found = await updater.checkForUpdates();
    const [file] = (await found?.downloadPromise) ?? [];
    return {
      installs: file === undefined ? undefined : found?.updateInfo.version,
      bytes: file === undefined ? undefined : readFileSync(file),
      requests,
      log: lines.join('\n'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
