import type { Processor } from '../../../lambdas/contract/processors';
import { t } from '../texts';
import { guides } from './processors';

/** A link to the processor's own page; nothing if the page's URL is not known. */
export function AtProcessor({ processor, kind, to }: { processor: Processor; kind: 'order' | 'subscription'; to: string | null }) {
  if (to === null) return null;
  const { name } = guides[processor];
  return (
    <a href={to} target="_blank" rel="noreferrer">
      {kind === 'order' ? t('Show the order at {name}', { name }) : t('Show the subscription at {name}', { name })}
    </a>
  );
}
