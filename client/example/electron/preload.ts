/** Preload script: gives the windows access to the license functions of the main process, and to no other function. */
import type { LicenseState } from '@license-key-service/client';
import { contextBridge, ipcRenderer } from 'electron';
import type { LicenseBridge } from './bridge';

const bridge: LicenseBridge = {
  state: () => ipcRenderer.invoke('license:state') as ReturnType<LicenseBridge['state']>,
  activate: (key) => ipcRenderer.invoke('license:activate', key) as ReturnType<LicenseBridge['activate']>,
  deactivate: () => ipcRenderer.invoke('license:deactivate') as ReturnType<LicenseBridge['deactivate']>,
  onState(listener) {
    const forward = (_event: unknown, state: unknown): void => listener(state as LicenseState);
    ipcRenderer.on('license:changed', forward);
    return () => ipcRenderer.off('license:changed', forward);
  },
};

contextBridge.exposeInMainWorld('license', bridge);
