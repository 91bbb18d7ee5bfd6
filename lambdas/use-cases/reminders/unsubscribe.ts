import { addressHash } from '../../domain/audit';
import { UnreadableSeal } from '../../domain/seal';
import type { App } from '../../runtime/app';

/**
 * Tokens in the links that end reminders. A token is sealed: it reveals nothing, nobody can make one, and no row is
 * needed for it. It is valid as long as the deployment has the key that sealed it.
 */

/** Who wants no more reminders, and of which product. */
export interface Unsubscription {
  readonly product_id: number;
  readonly address_hash: string;
}

/** Binds the sealed value to its use. */
const PLACE = 'unsubscribe';

/** The token for an address. */
export async function unsubscribeToken({ secrets }: App, productId: number, address: string): Promise<string> {
  const seal = await secrets.sealer('unsubscribe');
  const unsubscription: Unsubscription = { product_id: productId, address_hash: addressHash(address) };
  return seal('unsubscribe', JSON.stringify(unsubscription), PLACE);
}

/** What a token is for; undefined if this deployment did not make it, or has no longer the key. */
export async function openUnsubscribeToken({ secrets }: App, token: string): Promise<Unsubscription | undefined> {
  try {
    return JSON.parse((await secrets.open('unsubscribe', token, PLACE)).toString('utf8')) as Unsubscription;
  } catch (error) {
    if (error instanceof UnreadableSeal) return undefined;
    throw error;
  }
}
