import {
  BookIcon,
  BoxIcon,
  CardIcon,
  ChartIcon,
  HistoryIcon,
  KeyIcon,
  LayersIcon,
  MailIcon,
  PackageIcon,
  PlugIcon,
  SeatIcon,
  TokenIcon,
  WebhookIcon,
} from './ui/icons';

/** The pages in the menu and the command palette, each with the endpoint that it needs. */

/** Pages of a product, below `/products/{id}`. */
export const productPages = [
  { path: '', label: 'Overview', Icon: ChartIcon, needs: 'getOverview' },
  { path: '/licenses', label: 'Licenses', Icon: KeyIcon, needs: 'listLicenses' },
  { path: '/types', label: 'License types', Icon: LayersIcon, needs: 'listLicenseTypes' },
  { path: '/releases', label: 'Releases', Icon: PackageIcon, needs: 'listReleases' },
  { path: '/payments', label: 'Payments', Icon: CardIcon, needs: 'listPaymentConnections' },
  { path: '/portal', label: 'Portal', Icon: SeatIcon, needs: 'getPortal' },
  { path: '/webhooks', label: 'Webhooks', Icon: WebhookIcon, needs: 'listDeliveries' },
  { path: '/integration', label: 'Integration', Icon: PlugIcon, needs: 'getProduct' },
  { path: '/audit', label: 'Audit log', Icon: HistoryIcon, needs: 'listAudit' },
] as const;

/** Pages of the whole deployment. */
export const globalPages = [
  { path: '/', label: 'Products', Icon: BoxIcon, needs: 'listProducts' },
  { path: '/mail', label: 'Mail', Icon: MailIcon, needs: 'getMailStatus' },
  { path: '/tokens', label: 'Admin tokens', Icon: TokenIcon, needs: 'listTokens' },
  { path: '/audit', label: 'Audit log', Icon: HistoryIcon, needs: 'listAudit' },
] as const;

/** Pages of this origin outside the admin page. */
export const otherPages = [{ path: '/docs', label: 'API docs', Icon: BookIcon }] as const;
