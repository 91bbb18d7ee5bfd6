import { Button } from '@mantine/core';
import { useState } from 'react';
import type { SOON_DAYS as ContractSoonDays } from '../../../lambdas/contract/overview';
import { dateOf, DAY_MS } from '../../../lambdas/domain/time';
import { useAttention } from '../queries/overview';
import { useProducts } from '../queries/products';
import { href, Link } from '../router';
import type { ResponseOf } from '../routes';
import { number, plural, t } from '../texts';
import { CardIcon, CheckIcon, ClockIcon, MailIcon, WarningIcon, WebhookIcon } from '../ui/icons';
import { Panel } from '../ui/page';
import { Loaded } from '../ui/states';
import classes from './attention.module.css';

/** The problems of all products: one line per problem, with a link to the page on which the operator can solve the problem. */

type Troubled = NonNullable<ResponseOf<'getDeploymentOverview'>['attention']>[number];
type Listed = ResponseOf<'listProducts'>[number];

interface Line {
  readonly Icon: typeof WarningIcon;
  readonly words: string;
  /** An explanation of the problem. */
  readonly note: string;
  readonly product: string;
  readonly to: string;
}

/**
 * The number of days, including today, within which the service counts a license as expiring soon. The type allows only the number in the
 * contract.
 */
const SOON_DAYS: typeof ContractSoonDays = 7;

/** The lines for held sales and for failures. Held sales come first, because their buyers have paid. */
function troubles(rows: readonly Troubled[]): Line[] {
  const lines = rows.flatMap(
    ({ product_id: id, name, held_sales: held, failed_deliveries: failed, failed_mails: mails, rejecting_connections: rejecting }) => {
      const [product, base] = [name ?? t('Product {id}', { id: String(id) }), `/products/${id}`];
      const line = (order: number, count: number, rest: Omit<Line, 'product'>) =>
        count > 0 ? [{ order, line: { ...rest, product } }] : [];
      return [
        ...line(0, held, {
          Icon: CardIcon,
          words: plural(held, '{count} sale held', '{count} sales held'),
          note: t('Paid, but no license was issued yet.'),
          to: href(`${base}/payments`, { view: 'log', status: 'held' }),
        }),
        ...line(0, rejecting, {
          Icon: CardIcon,
          words: plural(rejecting, '{count} processor sends a wrong signature', '{count} processors send a wrong signature'),
          note: t('Its notifications are refused. Paste the signing secret again.'),
          to: href(`${base}/payments`),
        }),
        ...line(1, failed, {
          Icon: WebhookIcon,
          words: plural(failed, '{count} webhook delivery failed', '{count} webhook deliveries failed'),
          note: t('Your backend did not get these events.'),
          to: href(`${base}/webhooks`, { status: 'failed', channel: 'webhook' }),
        }),
        ...line(2, mails, {
          Icon: MailIcon,
          words: plural(mails, '{count} mail failed', '{count} mails failed'),
          note: t('The buyers did not get these mails.'),
          to: href(`${base}/webhooks`, { status: 'failed', channel: 'mail' }),
        }),
      ];
    },
  );
  return lines.sort((a, b) => a.order - b.order).map(({ line }) => line);
}

/** Licenses that expire soon, and those that can't be read. */
function expiries(rows: readonly Listed[]): Line[] {
  const now = Date.now();
  const expires = { expires_from: `${dateOf(now)}Z`, expires_to: `${dateOf(now + (SOON_DAYS - 1) * DAY_MS)}Z`, sort: 'expires_at' };
  return rows.flatMap(({ id, name: product, expiring }) => {
    if (!expiring) return [];
    const { licenses, capped, unreadable } = expiring;
    const to = href(`/products/${id}/licenses`, { status: 'active', ...expires });
    return [
      ...(unreadable > 0
        ? [
            {
              Icon: WarningIcon,
              words: plural(unreadable, '{count} license can’t be read', '{count} licenses can’t be read'),
              note: t('The runbook explains how to repair them.'),
              product,
              to,
            },
          ]
        : []),
      ...(licenses > 0
        ? [
            {
              Icon: ClockIcon,
              words: capped
                ? t('{licenses} or more licenses expire this week', { licenses: number(licenses) })
                : plural(licenses, '{count} license expires this week', '{count} licenses expire this week'),
              note: t('In the next {days} days, without trials.', { days: String(SOON_DAYS) }),
              product,
              to,
            },
          ]
        : []),
    ];
  });
}

/** The number of lines that are shown before the operator asks for more. */
const FIRST_LINES = 10;

function Lines({ lines, more }: { lines: readonly Line[]; more: boolean }) {
  const [all, setAll] = useState(false);
  return (
    <Panel title={t('Needs attention')} {...(more && { note: t('Expiring licenses are counted for the first 100 products.') })}>
      <ul className={classes['lines']}>
        {lines.slice(0, all ? undefined : FIRST_LINES).map(({ Icon, words, note, product, to }) => (
          <li key={to + words}>
            <Icon size={18} />
            <span>
              <Link to={to}>{words}</Link>
              <span className={classes['note']}>{note}</span>
            </span>
            <bdi title={product}>{product}</bdi>
          </li>
        ))}
      </ul>
      {!all && lines.length > FIRST_LINES && (
        <Button variant="default" size="xs" onClick={() => setAll(true)}>
          {t('Show all {count}', { count: number(lines.length) })}
        </Button>
      )}
    </Panel>
  );
}

/** @param unreadable the number of products that the service can't read; the list of products shows this number, not this component */
export function Attention({ unreadable }: { unreadable: number }) {
  const attention = useAttention();
  const products = useProducts('expiring');
  const listed = products.data?.pages[0];
  const query = {
    data: attention.data && listed && [...troubles(attention.data), ...expiries(listed.rows)],
    error: attention.error ?? products.error,
    isFetching: attention.isFetching || products.isFetching,
    refetch: () => Promise.all([attention, products].filter(({ error }) => error !== null).map(({ refetch }) => refetch())),
  };
  return (
    <Loaded query={query} lines={2}>
      {(lines) =>
        lines.length > 0 ? (
          <Lines lines={lines} more={listed?.next !== undefined} />
        ) : unreadable > 0 ? null : (
          <p className={classes['fine']}>
            <CheckIcon size={18} />
            {t('All is well: every event and mail was delivered, no sale is held, and no license expires this week.')}
          </p>
        )
      }
    </Loaded>
  );
}
