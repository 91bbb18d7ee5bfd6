import { addressHash } from '../../domain/audit';
import { UnreadableSeal } from '../../domain/seal';
import type { App } from '../../runtime/app';

/**
 * Tokens in the links that unsubscribe from reminders. Each token contains its data in encrypted and authenticated form. Therefore a token
 * reveals nothing, only this deployment can create tokens, and the table needs no rows for them. A token is valid while the deployment has
 * the key that encrypted it.
 */

/** The hash of an e-mail address that unsubscribes, and the product whose reminders the address no longer receives. */
export interface Unsubscription {
  readonly product_id: number;
  readonly address_hash: string;
}

/** The context to which the encrypted token is bound, so that no other encrypted value is accepted as a token. */
const PLACE = 'unsubscribe';

/** Creates the unsubscribe token of an e-mail address for a product. */
export async function unsubscribeToken({ secrets }: App, productId: number, address: string): Promise<string> {
  const seal = await secrets.sealer('unsubscribe');
  const unsubscription: Unsubscription = { product_id: productId, address_hash: addressHash(address) };
  return seal('unsubscribe', JSON.stringify(unsubscription), PLACE);
}

/** Decrypts a token; undefined if this deployment did not create it or no longer has the key. */
export async function openUnsubscribeToken({ secrets }: App, token: string): Promise<Unsubscription | undefined> {
  try {
    return JSON.parse((await secrets.open('unsubscribe', token, PLACE)).toString('utf8')) as Unsubscription;
  } catch (error) {
    if (error instanceof UnreadableSeal) return undefined;
    throw error;
  }
}
