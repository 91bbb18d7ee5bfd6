import * as activations from './activations';
import { listAudit } from './audit';
import { eraseCustomer, exportCustomer } from './customers';
import { downloadArtifact, downloadFeedFile, getElectronFeed, getLatestRelease, getSparkleFeed, getTauriFeed } from './downloads';
import type { Endpoint } from './endpoint';
import * as licenseTypes from './license-types';
import { deleteActivation, reinstateLicense, reissueLicense, suspendLicense, updateLicense } from './license-operations';
import * as licenses from './licenses';
import * as mail from './mail';
import { createNote, deleteNote, listNotes } from './notes';
import { getDeploymentOverview, getOverview } from './overview';
import * as productCredentials from './product-credentials';
import {
  createPaymentConnection,
  getPayment,
  getPaymentConnection,
  getPurchase,
  listPaymentConnections,
  listPayments,
  processPayment,
  processPayments,
  receivePayment,
  reconcilePayments,
  updatePaymentConnection,
} from './payments';
import { listLicenseRefusals, listProductRefusals } from './refusals';
import * as portal from './portal';
import * as portalSettings from './portal-settings';
import * as products from './products';
import {
  createArtifact,
  createRelease,
  deleteArtifact,
  deleteRelease,
  getDownloads,
  getRelease,
  listReleases,
  publishRelease,
  setDownloads,
  unyankRelease,
  updateRelease,
  yankRelease,
} from './releases';
import { showUnsubscribe, unsubscribeFromReminders } from './reminders';
import * as service from './service';
import * as tokens from './tokens';
import { getDelivery, getWebhook, listDeliveries, listLicenseEvents, redeliver, redeliverMany, setWebhook, testWebhook } from './webhooks';

const releases = {
  createRelease,
  listReleases,
  getRelease,
  updateRelease,
  deleteRelease,
  createArtifact,
  deleteArtifact,
  publishRelease,
  yankRelease,
  unyankRelease,
  getDownloads,
  setDownloads,
};
const downloads = { getLatestRelease, downloadArtifact, downloadFeedFile, getElectronFeed, getTauriFeed, getSparkleFeed };
const { MAX_PORTAL_LICENSES: _, offlineRequest: __, ...portalRows } = portal;
const audit = { listAudit };
const customers = { exportCustomer, eraseCustomer };
const overview = { getDeploymentOverview, getOverview };
const licenseOperations = { suspendLicense, reinstateLicense, updateLicense, deleteActivation, reissueLicense };
const refusals = { listLicenseRefusals, listProductRefusals };
const notes = { createNote, listNotes, deleteNote };
const webhooks = { getWebhook, setWebhook, testWebhook, listDeliveries, listLicenseEvents, getDelivery, redeliver, redeliverMany };

const payments = {
  createPaymentConnection,
  listPaymentConnections,
  getPaymentConnection,
  updatePaymentConnection,
  reconcilePayments,
  receivePayment,
  listPayments,
  getPayment,
  processPayment,
  processPayments,
  getPurchase,
};

/** Sorts endpoints by path, because the order of a module's exports depends on the loader. */
const byPath = (a: Endpoint, b: Endpoint): number => {
  const [x, y] = [`${a.path} ${a.method}`, `${b.path} ${b.method}`];
  return x < y ? -1 : 1;
};

/** The contract table: all endpoints of the service, grouped as in the documentation. */
export const endpoints: readonly Endpoint[] = [
  service,
  products,
  productCredentials,
  overview,
  licenseTypes,
  { ...licenses, ...licenseOperations, ...notes, ...refusals },
  activations,
  releases,
  downloads,
  webhooks,
  payments,
  { ...mail, showUnsubscribe, unsubscribeFromReminders },
  tokens,
  customers,
  { ...portalRows, ...portalSettings },
  audit,
].flatMap((rows) => Object.values<Endpoint>(rows).sort(byPath));
