import { fromBase64Url, fromUtf8, parseObject, toBase64Url, toUtf8 } from './bytes';

/**
 * The request of a device without a network. The device's user gives the request to the operator on paper, in a file or as a QR code. It is
 * one line of ASCII: `LKS1-REQUEST.` and base64url of a JSON object.
 */
export interface OfflineRequest {
  /** The product's id. */
  readonly product: number;
  readonly key: string;
  readonly fingerprint: string;
  readonly name?: string | undefined;
  readonly platform?: string | undefined;
}

const PREFIX = 'LKS1-REQUEST.';

/** @param request its members must have the order of {@link OfflineRequest} */
export const writeOfflineRequest = (request: OfflineRequest): string => PREFIX + toBase64Url(toUtf8(JSON.stringify(request)));

/**
 * Reads an offline request, for tools of the operator. White space anywhere is ignored, because mail programs break lines. @returns
 * undefined if the text is not a request
 */
export function readOfflineRequest(text: string): OfflineRequest | undefined {
  const compact = text.replace(/\s/g, '');
  const bytes = compact.startsWith(PREFIX) ? fromBase64Url(compact.slice(PREFIX.length)) : undefined;
  const { product, key, fingerprint, name, platform } = parseObject((bytes && fromUtf8(bytes)) ?? '') ?? {};
  const isText = (value: unknown): value is string => typeof value === 'string';
  if (!Number.isSafeInteger(product) || !isText(key) || !isText(fingerprint)) return undefined;
  return { product: Number(product), key, fingerprint, ...(isText(name) && { name }), ...(isText(platform) && { platform }) };
}
