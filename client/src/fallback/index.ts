import nacl from 'tweetnacl';
import type { Ed25519 } from '../ed25519';

/**
 * An implementation of Ed25519 for the option `ed25519` of a client, needed on platforms without Ed25519. It is a separate entry point
 * because it is as large as the client.
 */
export const ed25519: Ed25519 = (content, signature, publicKey) => nacl.sign.detached.verify(content, signature, publicKey);
