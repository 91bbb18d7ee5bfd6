import { decodeObject, fromAscii, fromBase64Url } from './bytes';
import type { VerifyKey } from './keys';
import { firstTrue, type JsonObject } from './shape';

/** Verifies compact JWS (RFC 7515) with EdDSA over Ed25519 (RFC 8037), the form in which the service signs tokens and verdicts. */

/**
 * Why a JWS is not accepted, in the order of the checks:
 * - `malformed`: the text is not a compact JWS of JSON objects
 * - `algorithm`: `alg` is not `EdDSA` (RFC 8725, section 3.1)
 * - `type`: `typ` is not the expected type
 * - `critical`: the header requires an extension (`crit`, RFC 7515 section 4.1.11); the client supports none
 * - `signature`: none of the product's keys has signed the JWS
 * - `unsupported`: this platform has no Ed25519, and the app provided none (the entry point `/fallback`)
 */
export type JwsProblem = 'malformed' | 'algorithm' | 'type' | 'critical' | 'signature' | 'unsupported';

/** Maximum length of an accepted token, in characters; a longer one is not parsed. */
const MAX_LENGTH = 8192;

const readPart = (part: string): JsonObject | undefined => decodeObject(fromBase64Url(part) ?? new Uint8Array());

/** Returns the claims of a JWS if one of the keys has signed it; otherwise the name of the first check that fails. */
export async function openJws(
  keys: readonly VerifyKey[],
  text: string,
  type: string,
): Promise<{ readonly claims: JsonObject } | { readonly claims?: undefined; readonly problem: JwsProblem }> {
  const parts = text.length > MAX_LENGTH ? [] : text.split('.');
  const [headerPart = '', claimsPart = '', signaturePart = ''] = parts;
  const header = readPart(headerPart);
  const claims = readPart(claimsPart);
  const signature = fromBase64Url(signaturePart);
  if (parts.length !== 3 || !header || !claims || !signature) return { problem: 'malformed' };
  // The client chooses the algorithm, and uses only the given keys. A token can't choose another algorithm, and a key within the token is
  // never used.
  const { alg, typ, crit, kid } = header;
  const problem = firstTrue<JwsProblem>({ algorithm: alg !== 'EdDSA', type: typ !== type, critical: crit !== undefined });
  if (problem) return { problem };

  const content = fromAscii(`${headerPart}.${claimsPart}`);
  for (const key of keys) {
    const mayHaveSigned = key.kid === undefined || kid === undefined || key.kid === kid;
    const isSigned = mayHaveSigned && (await key.verifies(content, signature));
    if (isSigned === undefined) return { problem: 'unsupported' };
    if (isSigned) return { claims };
  }
  return { problem: 'signature' };
}
