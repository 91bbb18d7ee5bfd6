/**
 * Types of the few parts of Electron that the sample uses, so that the sample can be type-checked without installing Electron. A real app
 * uses Electron's own types.
 */
declare module 'electron' {
  export const app: {
    getPath(name: 'userData'): string;
    whenReady(): Promise<void>;
    on(event: 'before-quit', listener: (event: { preventDefault(): void }) => void): void;
    quit(): void;
  };
  export class BrowserWindow {
    constructor(options: { webPreferences: { preload: string } });
    readonly webContents: { send(channel: string, ...values: unknown[]): void };
    loadFile(path: string): Promise<void>;
    static getAllWindows(): BrowserWindow[];
  }
  export const ipcMain: { handle(channel: string, handler: (event: unknown, ...values: never[]) => unknown): void };
  export const ipcRenderer: {
    invoke(channel: string, ...values: unknown[]): Promise<unknown>;
    on(channel: string, listener: (event: unknown, value: unknown) => void): void;
    off(channel: string, listener: (event: unknown, value: unknown) => void): void;
  };
  export const contextBridge: { exposeInMainWorld(name: string, api: object): void };
  export const shell: { openExternal(url: string): Promise<void> };
  export const net: { fetch(url: string, init?: object): Promise<Response> };
}
