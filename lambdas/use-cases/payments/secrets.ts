import type { Connection } from '../../domain/payments/connection';
import { hashSecret } from '../../domain/credentials';
import type { App } from '../../runtime/app';

/**
 * Encrypts and decrypts the secrets of payment connections and the bodies of their notifications. The table contains both only in encrypted
 * form.
 */

/** Length of the random token in a connection's URL, in bytes. */
export const TOKEN_BYTES = 32;

/** The hash of a token, by which the token's connection is found. The token itself is stored only in encrypted form. */
export const tokenHashOf = (token: string): string => hashSecret(token).toString('base64url');

export type ConnectionSecret = 'token' | 'signing_secret' | 'api_key';

/**
 * The context to which an encrypted secret of a connection is bound. With a different context, for example that of a different connection,
 * the secret cannot be decrypted.
 */
export const secretPlace = (connectionId: number, secret: ConnectionSecret): string => `payment-connection/${connectionId}/${secret}`;
export const payloadPlace = (paymentId: string): string => `payment/${paymentId}`;

const openOne = async ({ secrets }: App, connectionId: number, secret: ConnectionSecret, sealed: string): Promise<string> =>
  (await secrets.open('payment_secret', sealed, secretPlace(connectionId, secret))).toString();

/** The signing secrets that are currently valid, newest first. */
export const signingSecrets = (app: App, { id, signing_secrets }: Connection, now: number): Promise<string[]> =>
  Promise.all(
    signing_secrets.filter(({ until }) => until === null || now < until).map(({ sealed }) => openOne(app, id, 'signing_secret', sealed)),
  );

/** The key for the processor's API; null if the connection has no key. */
export const apiKeyOf = async (app: App, { id, api_key }: Connection): Promise<string | null> =>
  api_key === null ? null : openOne(app, id, 'api_key', api_key);

/**
 * Decrypts the body of a notification.
 *
 * @throws UnreadableSeal if the body cannot be decrypted
 */
export const openPayload = async ({ secrets }: App, paymentId: string, sealed: string): Promise<string> =>
  (await secrets.open('payment_payload', sealed, payloadPlace(paymentId))).toString();

export const tokenOf = (app: App, { id, token }: Connection): Promise<string> => openOne(app, id, 'token', token);
