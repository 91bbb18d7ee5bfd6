import { generateKeyPairSync, sign } from 'node:crypto';

/** Generates valid and invalid X.509 certificates with the modules of Node only. */

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const hex = (text: string): Buffer => Buffer.from(text, 'hex');

const ECDSA_WITH_SHA256 = sequence(der(0x06, hex('2a8648ce3d040302')));
const COMMON_NAME = der(0x06, hex('550403'));
const ALTERNATIVE_NAMES = der(0x06, hex('551d11'));
const BASIC_CONSTRAINTS = der(0x06, hex('551d13'));
const TRUE = der(0x01, hex('ff'));

const name = (text: string): Buffer => sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from(text)))));
const generalizedTime = (date: Date): Buffer => der(0x18, Buffer.from(`${date.toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
const extension = (id: Buffer, critical: boolean, value: Buffer): Buffer => sequence(id, ...(critical ? [TRUE] : []), der(0x04, value));

const DAY = 86_400_000;

/** A self-signed certificate for host names or IPv4 addresses. It is valid from yesterday for `days` days. */
export function selfSigned(names: readonly string[], days = 2): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const yesterday = Date.now() - DAY;
  const alternatives = names.map((text) =>
    /^[\d.]+$/.test(text) ? der(0x87, Buffer.from(text.split('.').map(Number))) : der(0x82, Buffer.from(text)),
  );
  const toSign = sequence(
    der(0xa0, der(0x02, hex('02'))),
    der(0x02, hex('01')),
    ECDSA_WITH_SHA256,
    name('test'),
    sequence(generalizedTime(new Date(yesterday)), generalizedTime(new Date(yesterday + days * DAY))),
    name('test'),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension(BASIC_CONSTRAINTS, true, sequence(TRUE)), extension(ALTERNATIVE_NAMES, false, sequence(...alternatives)))),
  );
  const signature = der(0x03, hex('00'), sign('sha256', toSign, privateKey));
  const body = sequence(toSign, ECDSA_WITH_SHA256, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${body.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
  };
}
