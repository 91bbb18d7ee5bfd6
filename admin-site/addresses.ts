import { addressInBrackets } from '../lambdas/domain/email';

/** Reads e-mail addresses that people have typed or pasted. The service checks every address again. */

export const looksLikeAddress = (text: string): boolean => /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/.test(text);

interface Pasted {
  /** Each address once, in the order of the text. */
  readonly addresses: readonly string[];
  /** The parts of the text that are no addresses. */
  readonly others: readonly string[];
}

/**
 * Reads a list of addresses, separated by spaces, commas, semicolons or lines. An address may follow a name: `Ada Lovelace
 * <ada@example.com>`.
 */
export function addressesIn(text: string): Pasted {
  const parts = text.split(/[\n,;]+/).flatMap((part) => {
    const inBrackets = addressInBrackets(part);
    return inBrackets === undefined ? part.split(/\s+/) : [inBrackets];
  });
  const byComparison = new Map(parts.filter(looksLikeAddress).map((address) => [address.toLowerCase(), address]));
  return { addresses: [...byComparison.values()], others: parts.filter((part) => part !== '' && !looksLikeAddress(part)) };
}
