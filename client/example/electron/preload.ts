/** Preload script: gives the windows access to the license functions of the main process, and to no other function. */
import type { LicenseState } from '@license-key-service/client';
import { contextBridge, ipcRenderer } from 'electron';
import type { LicenseBridge } from './bridge';

/** Passes the values of a channel to a listener. @returns a function that removes the listener */
function listen<Value>(channel: string, listener: (value: Value) => void): () => void {
  const forward = (_event: unknown, value: unknown): void => listener(value as Value);
  ipcRenderer.on(channel, forward);
  return () => ipcRenderer.off(channel, forward);
}

const bridge: LicenseBridge = {
  state: () => ipcRenderer.invoke('license:state') as ReturnType<LicenseBridge['state']>,
  activate: (key) => ipcRenderer.invoke('license:activate', key) as ReturnType<LicenseBridge['activate']>,
  deactivate: () => ipcRenderer.invoke('license:deactivate') as ReturnType<LicenseBridge['deactivate']>,
  signIn: () => ipcRenderer.invoke('license:sign-in') as ReturnType<LicenseBridge['signIn']>,
  cancelSignIn: () => ipcRenderer.invoke('license:cancel-sign-in') as ReturnType<LicenseBridge['cancelSignIn']>,
  onState: (listener) => listen<LicenseState>('license:changed', listener),
  onCode: (listener) => listen<string>('license:code', listener),
};

contextBridge.exposeInMainWorld('license', bridge);
