/** All pages except the first page. They are built into a separate script. */
export { AuditPage, ProductAuditPage } from './audit';
export { EventPage } from './event';
export { FindPage } from './find';
export { IntegrationPage } from './integration';
export { LicensePage } from './license';
export { LicensesPage } from './licenses';
export { MailPage } from './mail';
export { OverviewPage } from './overview';
export { PaymentConnectionPage } from './payment-connection';
export { PaymentsPage } from './payments';
export { PortalPage } from './portal';
export { ReleasePage } from './release';
export { ReleasesPage } from './releases';
export { TokensPage } from './tokens';
export { TypesPage } from './types';
export { WebhooksPage } from './webhooks';
