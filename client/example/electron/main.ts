/** Main process: it has the app's only license client. Windows receive license states, never the API key or the token. */
import { LicenseClient } from '@license-key-service/client';
import { fileStorage, fingerprint } from '@license-key-service/client/node';
import { app, BrowserWindow, ipcMain, net, shell } from 'electron';
import { hostname, platform } from 'node:os';
import { join } from 'node:path';
import product from './product.json';

async function start(): Promise<void> {
  await app.whenReady();
  const license = new LicenseClient({
    ...product,
    fingerprint,
    storage: fileStorage(app.getPath('userData')),
    graceDays: 3,
    // Chromium's network stack, which follows the system's proxy settings, PAC files and proxy logins.
    fetch: (url, init) => net.fetch(url, init),
  });

  const labels = { name: hostname(), platform: platform() };
  const send = (channel: string, value: unknown): void => {
    for (const window of BrowserWindow.getAllWindows()) window.webContents.send(channel, value);
  };
  let signingIn = new AbortController();

  ipcMain.handle('license:state', () => license.state);
  ipcMain.handle('license:activate', (_event, key: string) => license.activate(key, labels));
  ipcMain.handle('license:sign-in', () => {
    signingIn = new AbortController();
    return license.activateInBrowser({
      ...labels,
      open: (url) => shell.openExternal(url),
      onCode: (code) => send('license:code', code),
      signal: signingIn.signal,
    });
  });
  ipcMain.handle('license:cancel-sign-in', () => signingIn.abort());
  ipcMain.handle('license:deactivate', () => license.deactivate());
  license.subscribe((state) => send('license:changed', state));

  // The check runs before the first window opens, so that a licensed app never shows the license dialog. The check usually needs no
  // request.
  const state = await license.check();
  // This device's seat was freed, for example because the license is floating and the app was closed. The app activates the license again.
  if (state.status === 'unbound' && state.key !== undefined) await license.activate(state.key, labels);

  const window = new BrowserWindow({ webPreferences: { preload: join(__dirname, 'preload.js') } });
  await window.loadFile('index.html');

  let isReleased = false;
  app.on('before-quit', (event) => {
    if (isReleased) return;
    event.preventDefault();
    const { state: last } = license;
    const isLeased = last?.status === 'licensed' && last.leaseExpiresAt !== null;
    void license.close({ release: isLeased }).finally(() => {
      isReleased = true;
      app.quit();
    });
  });
}

void start();
