import { t } from './texts';
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

/** The pages in the menu and the command palette, and the actions in the palette, each with the endpoint that it needs. */

/** Pages of a product, below `/products/{id}`. */
export const productPages = [
  { path: '', label: t('Overview'), Icon: ChartIcon, needs: 'getOverview' },
  { path: '/licenses', label: t('Licenses'), Icon: KeyIcon, needs: 'listLicenses' },
  { path: '/types', label: t('License types'), Icon: LayersIcon, needs: 'listLicenseTypes' },
  { path: '/releases', label: t('Releases'), Icon: PackageIcon, needs: 'listReleases' },
  { path: '/payments', label: t('Payments'), Icon: CardIcon, needs: 'listPaymentConnections' },
  { path: '/portal', label: t('Portal'), Icon: SeatIcon, needs: 'getPortal' },
  { path: '/webhooks', label: t('Webhooks'), Icon: WebhookIcon, needs: 'listDeliveries' },
  { path: '/integration', label: t('Integration'), Icon: PlugIcon, needs: 'getProduct' },
  { path: '/audit', label: t('Audit log'), Icon: HistoryIcon, needs: 'listAudit' },
] as const;

/** Pages of the whole deployment. */
export const globalPages = [
  { path: '/', label: t('Products'), Icon: BoxIcon, needs: 'listProducts' },
  { path: '/mail', label: t('Mail'), Icon: MailIcon, needs: 'getMailStatus' },
  { path: '/tokens', label: t('Admin tokens'), Icon: TokenIcon, needs: 'listTokens' },
  { path: '/audit', label: t('Audit log'), Icon: HistoryIcon, needs: 'listAudit' },
] as const;

/** Dialogs for a new item. The parameter `new` in the URL of a page opens the page's dialog (use-new-dialog.ts). */
export const productActions = [
  { path: '/licenses', label: t('New license'), needs: 'createLicense' },
  { path: '/types', label: t('New license type'), needs: 'createLicenseType' },
  { path: '/releases', label: t('New release'), needs: 'createRelease' },
] as const;
export const globalActions = [
  { path: '/', label: t('New product'), needs: 'createProduct' },
  { path: '/tokens', label: t('New admin token'), needs: 'createToken' },
] as const;

/** Pages of the same origin that are not part of the admin site. */
export const otherPages = [{ path: '/docs', label: t('API docs'), Icon: BookIcon }] as const;
