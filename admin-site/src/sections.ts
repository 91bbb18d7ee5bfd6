import { BookIcon, BoxIcon, ChartIcon, HistoryIcon, KeyIcon, LayersIcon, MailIcon, PlugIcon, WebhookIcon } from './ui/icons';

/** The pages that the menu and the command palette lead to. */

/** Of one product, below `/products/{id}`. */
export const productPages = [
  { path: '', label: 'Overview', Icon: ChartIcon },
  { path: '/licenses', label: 'Licenses', Icon: KeyIcon },
  { path: '/types', label: 'License types', Icon: LayersIcon },
  { path: '/webhooks', label: 'Webhooks', Icon: WebhookIcon },
  { path: '/integration', label: 'Integration', Icon: PlugIcon },
  { path: '/audit', label: 'Audit log', Icon: HistoryIcon },
] as const;

/** Of the whole deployment. */
export const globalPages = [
  { path: '/', label: 'Products', Icon: BoxIcon },
  { path: '/mail', label: 'Mail', Icon: MailIcon },
  { path: '/audit', label: 'Audit log', Icon: HistoryIcon },
] as const;

/** Pages of this origin outside of the admin page. */
export const otherPages = [{ path: '/docs', label: 'API docs', Icon: BookIcon }] as const;
