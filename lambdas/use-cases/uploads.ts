import { UPLOAD_SECONDS } from '../contract/upload';
import { timestampOf } from '../domain/time';
import type { StoredFile } from '../runtime/file-store';
import { filesOf } from '../runtime/files';

/** Signs the upload of a file, and describes the request that the caller must send. @param now epoch ms */
export async function signedUpload(app: Parameters<typeof filesOf>[0], file: StoredFile, now: number) {
  const { url, headers } = await filesOf(app).signUpload(file, UPLOAD_SECONDS, now);
  return { method: 'PUT' as const, url, headers: { ...headers }, expires_at: timestampOf(now + UPLOAD_SECONDS * 1000) };
}
