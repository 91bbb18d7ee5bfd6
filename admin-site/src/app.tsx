import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { FindPage } from './pages/find';
import { IntegrationPage } from './pages/integration';
import { LicensePage } from './pages/license';
import { LicensesPage } from './pages/licenses';
import { MailPage } from './pages/mail';
import { NotFoundPage } from './pages/not-found';
import { OverviewPage } from './pages/overview';
import { ProductsPage } from './pages/products';
import { SignInPage } from './pages/sign-in';
import { TypesPage } from './pages/types';
import { WebhooksPage } from './pages/webhooks';
import { useLocation, type Location } from './router';
import { useSession } from './session';
import { Shell } from './shell';
import { Toasts } from './ui/toast';

const idOf = (text: string | undefined): number | undefined => (text !== undefined && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined);

function Page({ path, query }: Location) {
  const [area, idText, section, item] = path;
  const id = idOf(idText);
  if (area === undefined) return <ProductsPage />;
  if (area === 'mail') return <MailPage />;
  if (area === 'find') return <FindPage search={query.get('q') ?? ''} key={query.get('q')} />;
  if (area === 'licenses' && id !== undefined) return <LicensePage id={id} key={id} />;
  if (area === 'products' && id !== undefined) {
    if (section === undefined) return <OverviewPage productId={id} key={id} />;
    if (section === 'licenses') return <LicensesPage productId={id} query={query} key={id} />;
    if (section === 'types') return <TypesPage productId={id} key={id} />;
    if (section === 'webhooks') return <WebhooksPage productId={id} eventId={item} key={id} />;
    if (section === 'integration') return <IntegrationPage productId={id} isNew={query.has('new')} key={id} />;
  }
  return <NotFoundPage />;
}

export function App() {
  const { token, ended } = useSession();
  const location = useLocation();
  const client = useQueryClient();
  // What one operator saw is not there for the next.
  useEffect(() => {
    if (token === null) client.clear();
  }, [token, client]);

  return (
    <>
      {token === null ? (
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
