import { QueryClientProvider } from '@tanstack/react-query';
import { Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { later, loadEarly } from './later';
import { spanOf } from './pages/daily';
import { NotFoundPage } from './pages/not-found';
import { ProductsPage } from './pages/products';
import { SignInAgain, SignInPage } from './pages/sign-in';
import { newQueryClient } from './queries/client';
import { useLocation, type Location } from './router';
import { useSession } from './session';
import { Shell } from './shell';
import { Loading } from './ui/states';
import { Toasts } from './ui/toast';

const AuditPage = later((pages) => pages.AuditPage);
const ProductAuditPage = later((pages) => pages.ProductAuditPage);
const EventPage = later((pages) => pages.EventPage);
const FindPage = later((pages) => pages.FindPage);
const IntegrationPage = later((pages) => pages.IntegrationPage);
const LicensePage = later((pages) => pages.LicensePage);
const LicensesPage = later((pages) => pages.LicensesPage);
const MailPage = later((pages) => pages.MailPage);
const OverviewPage = later((pages) => pages.OverviewPage);
const PaymentConnectionPage = later((pages) => pages.PaymentConnectionPage);
const PaymentsPage = later((pages) => pages.PaymentsPage);
const PortalPage = later((pages) => pages.PortalPage);
const ReleasePage = later((pages) => pages.ReleasePage);
const ReleasesPage = later((pages) => pages.ReleasesPage);
const TokensPage = later((pages) => pages.TokensPage);
const TypesPage = later((pages) => pages.TypesPage);
const WebhooksPage = later((pages) => pages.WebhooksPage);

const idOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined;

function Page({ path, query, trail }: Location) {
  const [area, idText, section, item] = path;
  const id = idOf(idText);
  if (area === undefined) return <ProductsPage query={query} />;
  if (area === 'mail') return <MailPage />;
  if (area === 'audit') return <AuditPage query={query} />;
  if (area === 'tokens') return <TokensPage />;
  if (area === 'find')
    return (
      <FindPage
        search={query.get('q') ?? ''}
        showsAll={query.get('all') !== null}
        product={idOf(query.get('product') ?? undefined)}
        show={query.get('show')}
        key={query.get('q')}
      />
    );
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
    if (section === 'releases') return <ReleasesPage productId={id} query={query} key={id} />;
    if (section === 'portal') return <PortalPage productId={id} key={id} />;
    if (section === 'webhooks') return <WebhooksPage productId={id} eventId={item} key={id} />;
    if (section === 'audit') return <ProductAuditPage productId={id} query={query} key={id} />;
    if (section === 'integration') return <IntegrationPage productId={id} isNew={query.has('new')} key={id} />;
  }
  return <NotFoundPage />;
}

/** The interval, in ms, at which the page is rendered again. Licenses expire and relative times change even if no new data arrives. */
const TICK = 10_000;
/** The delay, in ms, before the first page loads the script of all other pages. During the delay, the first page loads its own data. */
const LOAD_OTHERS = 2000;

/**
 * The pages and the cache of their data. Signing out clears the cache, so that the next operator cannot see the data.
 */
function SignedIn({ token, children }: { token: string | null; children: ReactNode }) {
  const [client] = useState(newQueryClient);
  const previous = useRef(token);
  useEffect(() => {
    if (previous.current === null && token !== null) void client.invalidateQueries();
    previous.current = token;
  }, [token, client]);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}

export function App() {
  const { token, access, ended, asking = false } = useSession();
  const location = useLocation();
  // If the service rejects the token, the pages are hidden. They keep their unsaved input if the next sign-in has the same permissions.
  const isInterrupted = token === null && ended === 'rejected' && access !== undefined;
  const [, tick] = useState(0);
  const isFirst = location.path.length === 0;
  useEffect(() => {
    const timer = setTimeout(loadEarly, isFirst ? LOAD_OTHERS : 0);
    return () => clearTimeout(timer);
  }, [isFirst]);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), TICK);
    return () => clearInterval(timer);
  }, []);

  return (
    <>
      {asking ? null : token === null && !isInterrupted ? (
        <SignInPage ended={ended} />
      ) : (
        <SignedIn key={JSON.stringify([access?.scopes, access?.product_id])} token={token}>
          <Shell location={location}>
            <Suspense fallback={<Loading />}>
              <Page {...location} />
            </Suspense>
          </Shell>
        </SignedIn>
      )}
      {isInterrupted && <SignInAgain />}
      <Toasts />
    </>
  );
}
