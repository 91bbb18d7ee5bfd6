import type { Processor } from '../../../lambdas/contract/processors';
import { guides } from './processors';

/** A link to the processor's own page; nothing if its address is not known. */
export function AtProcessor({ processor, what, to }: { processor: Processor; what: 'order' | 'subscription'; to: string | null }) {
  if (to === null) return null;
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {`Show the ${what} at ${guides[processor].name}`}
    </a>
  );
}
