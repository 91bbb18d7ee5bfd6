import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { AuditPage, ProductAuditPage } from './pages/audit';
import { spanOf } from './pages/daily';
import { EventPage } from './pages/event';
import { FindPage } from './pages/find';
import { IntegrationPage } from './pages/integration';
import { LicensePage } from './pages/license';
import { LicensesPage } from './pages/licenses';
import { MailPage } from './pages/mail';
import { NotFoundPage } from './pages/not-found';
import { OverviewPage } from './pages/overview';
import { PaymentConnectionPage } from './pages/payment-connection';
import { PaymentsPage } from './pages/payments';
import { ReleasePage } from './pages/release';
import { ReleasesPage, releaseStatusOf } from './pages/releases';
import { ProductsPage } from './pages/products';
import { SignInPage } from './pages/sign-in';
import { TokensPage } from './pages/tokens';
import { TypesPage } from './pages/types';
import { WebhooksPage } from './pages/webhooks';
import { useLocation, type Location } from './router';
import { useSession } from './session';
import { Shell } from './shell';
import { Toasts } from './ui/toast';

const idOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;

function Page({ path, query, trail }: Location) {
  const [area, idText, section, item] = path;
  const id = idOf(idText);
  if (area === undefined) return <ProductsPage query={query} />;
  if (area === 'mail') return <MailPage />;
  if (area === 'audit')
    return (
      <AuditPage
        filter={{
          product: query.get('product') ?? undefined,
          license: query.get('license') ?? undefined,
          actor: query.get('actor') ?? undefined,
        }}
      />
    );
  if (area === 'tokens') return <TokensPage />;
  if (area === 'find') return <FindPage search={query.get('q') ?? ''} key={query.get('q')} />;
  if (area === 'events' && idText !== undefined) return <EventPage id={idText} key={idText} />;
  if (area === 'licenses' && id !== undefined)
    return <LicensePage id={id} asked={query.get('request') ?? undefined} key={`${id} ${query.get('request') ?? ''}`} />;
  if (area === 'releases' && id !== undefined) return <ReleasePage id={id} key={id} />;
  if (area === 'products' && id !== undefined) {
    if (section === undefined) return <OverviewPage productId={id} span={spanOf(query.get('days'))} key={id} />;
    if (section === 'licenses') return <LicensesPage productId={id} query={query} trail={trail} key={id} />;
    if (section === 'types') return <TypesPage productId={id} key={id} />;
    const itemId = idOf(item);
    if (section === 'payments' && itemId !== undefined) return <PaymentConnectionPage productId={id} connectionId={itemId} key={itemId} />;
    if (section === 'payments') return <PaymentsPage productId={id} query={query} paymentId={item} key={id} />;
    if (section === 'releases')
      return (
        <ReleasesPage
          productId={id}
          filter={{ channel: query.get('channel') ?? undefined, status: releaseStatusOf(query.get('status')) }}
          key={id}
        />
      );
    if (section === 'webhooks') return <WebhooksPage productId={id} eventId={item} key={id} />;
    if (section === 'audit') return <ProductAuditPage productId={id} key={id} />;
    if (section === 'integration') return <IntegrationPage productId={id} isNew={query.has('new')} key={id} />;
  }
  return <NotFoundPage />;
}

/** Milliseconds after which a page is drawn again, because licenses expire and relative times change without new data. */
const TICK = 10_000;

export function App() {
  const { token, ended, asking = false } = useSession();
  const location = useLocation();
  const client = useQueryClient();
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), TICK);
    return () => clearInterval(timer);
  }, []);
  // The next operator must not see the data of the previous one.
  useEffect(() => {
    if (token === null) client.clear();
  }, [token, client]);

  return (
    <>
      {asking ? null : token === null ? (
        <SignInPage ended={ended} />
      ) : (
        <Shell location={location}>
          <Page {...location} />
        </Shell>
      )}
      <Toasts />
    </>
  );
}
