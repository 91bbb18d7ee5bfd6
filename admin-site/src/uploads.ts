import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { useMemo, useSyncExternalStore } from 'react';
import { targetOf, type Target } from '../../lambdas/domain/releases/target';
import { ApiError, call, Unreachable } from './api';
import { date } from './format';
import type { ResponseOf } from './routes';
import { t } from './texts';

/**
 * Uploads of release files. The browser sends a file directly to the object store, with a URL that the service has signed. Uploads continue
 * while the operator looks at other pages.
 */

/** The maximum number of files that are uploaded at the same time. */
const AT_ONCE = 3;
/** The number of bytes that are read and hashed at a time: small enough to keep the page responsive. */
const CHUNK = 1024 ** 2;

export interface Upload {
  readonly id: number;
  readonly releaseId: number;
  readonly file: File;
  readonly filename: string;
  /** The platform and architecture that the file runs on. If one of them is undefined, the operator must choose it before the upload. */
  readonly target: Partial<Target>;
  /** The text of the `.sig` file that was chosen together with this file; null if there is none. */
  readonly signature: string | null;
  readonly phase: 'chosen' | 'waiting' | 'hashing' | 'sending' | 'failed';
  /** The progress of the current phase, from 0 to 1. */
  readonly share: number;
  readonly error?: string;
}

let uploads: readonly Upload[] = [];
let count = 0;
const listeners = new Set<() => void>();
const running = new Map<number, AbortController>();

function change(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}
const update = (id: number, fields: Partial<Upload>): void =>
  change(uploads.map((upload) => (upload.id === id ? { ...upload, ...fields } : upload)));
const find = (id: number): Upload | undefined => uploads.find((upload) => upload.id === id);
const remove = (id: number): void => change(uploads.filter((upload) => upload.id !== id));

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The chosen and running uploads of a release. */
export function useUploads(releaseId: number): readonly Upload[] {
  const all = useSyncExternalStore(subscribe, () => uploads);
  return useMemo(() => all.filter((upload) => upload.releaseId === releaseId), [all, releaseId]);
}

const isUnderWay = ({ phase }: Upload): boolean => phase === 'waiting' || phase === 'hashing' || phase === 'sending';

// The browser asks the operator before it closes the tab, because closing the tab would stop the uploads.
window.addEventListener('beforeunload', (event) => {
  if (uploads.some(isUnderWay)) event.preventDefault();
});

/** True for files that are not uploaded: update feeds, which the service generates, and hidden files of the operating system. */
const isLeftOut = ({ name }: File): boolean => /\.ya?ml$|^\./.test(name);

/**
 * Adds files to a release. A `.sig` file becomes the signature of the file with the same name without `.sig`.
 *
 * @returns the names of the files that were left out
 */
export async function chooseFiles(releaseId: number, files: readonly File[]): Promise<readonly string[]> {
  const signatures = new Map<string, string>();
  for (const file of files) if (file.name.endsWith('.sig')) signatures.set(file.name.slice(0, -'.sig'.length), (await file.text()).trim());
  const wanted = files.filter((file) => !isLeftOut(file) && !file.name.endsWith('.sig'));
  const names = new Set(wanted.map(({ name }) => name));
  const known = new Set(uploads.filter((upload) => upload.releaseId === releaseId).map(({ filename }) => filename));
  const added = wanted
    .map((file) => ({ file, filename: file.name.replaceAll(' ', '-') }))
    .filter(({ filename }) => !known.has(filename))
    .map(({ file, filename }): Upload => {
      const signature = signatures.get(file.name) ?? null;
      return { id: (count += 1), releaseId, file, filename, target: targetOf(filename) ?? {}, signature, phase: 'chosen', share: 0 };
    });
  change([...uploads, ...added]);
  return [
    ...files.filter(isLeftOut).map(({ name }) => name),
    ...[...signatures.keys()].filter((name) => !names.has(name)).map((name) => `${name}.sig`),
  ];
}

export const setTarget = (id: number, target: Partial<Target>): void => update(id, { target });

/**
 * Starts the chosen uploads of a release. An upload without a platform or an architecture is not started.
 *
 * @param onUploaded is called after each file
 */
export function startUploads(releaseId: number, onUploaded: () => void): void {
  for (const { id, target, phase } of uploads.filter((upload) => upload.releaseId === releaseId))
    if (phase === 'chosen' && target.platform && target.arch) update(id, { phase: 'waiting' });
  next(onUploaded);
}

export function retryUpload(id: number, onUploaded: () => void): void {
  const { error: _, ...upload } = find(id) ?? {};
  if (!('id' in upload)) return;
  change(uploads.map((one) => (one.id === id ? { ...(upload as Upload), phase: 'waiting', share: 0 } : one)));
  next(onUploaded);
}

/** Stops an upload and forgets the file. */
export function cancelUpload(id: number): void {
  running.get(id)?.abort();
  remove(id);
}

function next(onUploaded: () => void): void {
  const waiting = uploads.filter(({ phase }) => phase === 'waiting').slice(0, AT_ONCE - running.size);
  for (const upload of waiting) {
    const controller = new AbortController();
    running.set(upload.id, controller);
    update(upload.id, { phase: 'hashing' });
    uploadFile(upload, controller.signal)
      .then(
        () => {
          remove(upload.id);
          onUploaded();
        },
        (error: Error) => {
          if (!controller.signal.aborted) update(upload.id, { phase: 'failed', error: error.message });
        },
      )
      .finally(() => {
        running.delete(upload.id);
        next(onUploaded);
      });
  }
}

async function uploadFile(
  { id, releaseId, file, filename, target: { platform, arch }, signature }: Upload,
  signal: AbortSignal,
): Promise<void> {
  if (platform === undefined || arch === undefined) throw new Error(t('Choose the system and processor of the file.'));
  const hashes = await hashesOf(file, signal, (share) => update(id, { share }));
  update(id, { phase: 'sending', share: 0 });
  const declare = () =>
    call(
      'createArtifact',
      { params: { id: releaseId }, body: { filename, platform, arch, size: file.size, ...hashes, signature } },
      { signal },
    );
  const declared = await declare().catch(async (error: unknown) => {
    if (!(error instanceof ApiError && error.code === 'duplicate') || (await isUploaded(releaseId, filename))) throw error;
    // An interrupted upload has left an entry with this file name in the release. The entry is removed first.
    await withdraw(releaseId, filename);
    return declare();
  });
  try {
    await send(file, declared.upload, signal, (share) => update(id, { share }));
  } catch (error) {
    // A release with an incomplete file can't be published, so a cancelled file is removed from the release.
    if (signal.aborted) await withdraw(releaseId, filename).catch(() => undefined);
    throw error;
  }
}

const isUploaded = async (releaseId: number, filename: string): Promise<boolean> =>
  (await call('getRelease', { params: { id: releaseId } })).artifacts.some(
    (artifact) => artifact.filename === filename && artifact.uploaded,
  );

const withdraw = (releaseId: number, filename: string): Promise<unknown> => call('deleteArtifact', { params: { id: releaseId, filename } });

/** The hashes of a file, in hex. The file is read in parts, because it may be larger than the memory. */
async function hashesOf(file: File, signal: AbortSignal, onShare: (share: number) => void): Promise<{ sha256: string; sha512: string }> {
  if (file.size === 0) throw new Error(t('The file is empty.'));
  const [short, long] = [sha256.create(), sha512.create()];
  for (let at = 0; at < file.size; at += CHUNK) {
    signal.throwIfAborted();
    const part = await file
      .slice(at, at + CHUNK)
      .arrayBuffer()
      .catch(() => {
        throw new Error(
          t('The file could not be read. It may have changed since it was chosen (last change: {date}).', {
            date: date(new Date(file.lastModified).toISOString()),
          }),
        );
      });
    short.update(new Uint8Array(part));
    long.update(new Uint8Array(part));
    onShare(Math.min(1, (at + CHUNK) / file.size));
  }
  return { sha256: bytesToHex(short.digest()), sha512: bytesToHex(long.digest()) };
}

/** Sends a file to the object store. It does not use `fetch`, because `fetch` does not report the progress of an upload. */
function send(
  file: File,
  { method, url, headers }: ResponseOf<'createArtifact'>['upload'],
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => onShare(loaded / file.size);
    request.onload = () => {
      if (request.status < 300) return resolve();
      const [, reason = t('status {status}', { status: String(request.status) })] =
        /<Message>([^<]*)<\/Message>/.exec(request.responseText) ?? [];
      reject(new Error(t('The file storage refused the file: {reason}', { reason })));
    };
    request.onerror = () => reject(new Unreachable());
    request.onabort = () => reject(new Error(t('Cancelled')));
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}
