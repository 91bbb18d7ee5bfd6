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

/** Views of a product's pages that have no entry in the menu. */
export const productViews = [
  { path: '/payments', view: undefined, label: t('Orders'), Icon: CardIcon, needs: 'listOrders' },
  { path: '/payments', view: 'log', label: t('Payments log'), Icon: CardIcon, needs: 'listPayments' },
  { path: '/payments', view: 'mails', label: t('Sent mails'), Icon: MailIcon, needs: 'listDeliveries' },
] as const;

/** Dialogs for new items. The parameter `new` in the URL of a page opens the dialog with this name (use-new-dialog.ts). */
export const productActions = [
  { path: '/licenses', dialog: '1', label: t('New license'), needs: 'createLicense' },
  { path: '/licenses', dialog: 'many', label: t('Issue many licenses'), needs: 'createLicense' },
  { path: '/licenses', dialog: 'import', label: t('Import licenses'), needs: 'createLicense' },
  { path: '/types', dialog: '1', label: t('New license type'), needs: 'createLicenseType' },
  { path: '/releases', dialog: '1', label: t('New release'), needs: 'createRelease' },
  { path: '/payments', dialog: '1', label: t('Connect a processor'), needs: 'createPaymentConnection' },
] as const;
export const globalActions = [
  { path: '/', label: t('New product'), needs: 'createProduct' },
  { path: '/tokens', label: t('New admin token'), needs: 'createToken' },
] as const;

/** Pages of the same origin that are not part of the admin site. */
export const otherPages = [{ path: '/docs', label: t('API docs'), Icon: BookIcon }] as const;
