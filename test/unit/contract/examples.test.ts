import { createPublicKey } from 'node:crypto';
import { calculateJwkThumbprint, compactVerify, decodeJwt, importJWK, importSPKI } from 'jose';
import {
  clientLicenseExample,
  deviceExample,
  deviceTokenExample,
  jwkExample,
  licenseExample,
  offlineTokenExample,
  productExample,
  publicKeyExample,
} from '../../../lambdas/contract/examples';
import { normalizeKey } from '../../../lambdas/domain/license-key';

describe('a reader can try the examples of the documentation', () => {
  test('the license key has a right check symbol', () => expect(normalizeKey(licenseExample.key.toLowerCase())).toBe(licenseExample.key));

  test('the JWK is the public key, under its thumbprint', async () => {
    const { kty, crv, x } = createPublicKey(publicKeyExample).export({ format: 'jwk' });
    expect({ kty, crv, x }).toEqual({ kty: jwkExample.kty, crv: jwkExample.crv, x: jwkExample.x });
    expect(await calculateJwkThumbprint(jwkExample)).toBe(jwkExample.kid);
  });

  test.each([
    ['device', deviceTokenExample],
    ['offline', offlineTokenExample],
  ])('the %s token verifies with the public key and with the JWK', async (_name, token) => {
    const { protectedHeader } = await compactVerify(token, await importSPKI(publicKeyExample, 'EdDSA'));
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: jwkExample.kid });
    await compactVerify(token, await importJWK(jwkExample, 'EdDSA'));
  });

  test('the tokens contain the claims of the example license, and only the bound token contains a device', () => {
    const claims = {
      iss: 'license-key-service',
      aud: productExample.slug,
      sub: String(licenseExample.id),
      jti: expect.any(String) as unknown,
      iat: expect.any(Number) as unknown,
      exp: expect.any(Number) as unknown,
      kind: licenseExample.license_type.kind,
      license_expires_at: licenseExample.expires_at,
    };
    expect(decodeJwt(deviceTokenExample)).toEqual({ ...claims, fingerprint: deviceExample.fingerprint });
    expect(decodeJwt(offlineTokenExample)).toEqual(claims);
  });

  test('the client view is the admin view without private fields', () => {
    expect(licenseExample).toMatchObject(clientLicenseExample);
    expect(Object.keys(clientLicenseExample).sort()).toEqual(['expires_at', 'id', 'key', 'license_type', 'status']);
  });
});
