/** Main process: the one client of the app. Windows get its states, never the API key or the token. */
import { LicenseClient } from '@license-key-service/client';
import { fileStorage, fingerprint } from '@license-key-service/client/node';
import { app, BrowserWindow, ipcMain, net } from 'electron';
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
    // Chromium's network: it follows the system's proxy settings, PAC files and proxy logins.
    fetch: (url, init) => net.fetch(url, init),
  });

  ipcMain.handle('license:state', () => license.state);
  ipcMain.handle('license:activate', (_event, key: string) => license.activate(key, { name: hostname(), platform: platform() }));
  ipcMain.handle('license:deactivate', () => license.deactivate());
  license.subscribe((state) => {
    for (const window of BrowserWindow.getAllWindows()) window.webContents.send('license:changed', state);
  });

  // Before the first window: a licensed app starts without a request, and shows no dialog for a moment.
  const state = await license.check();
  // A floating license gave its seat back when the app was closed: take one again.
  if (state.status === 'unbound' && state.key !== undefined) await license.activate(state.key, { name: hostname(), platform: platform() });

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
