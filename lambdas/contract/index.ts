import * as activationRequests from './activation-requests';
import * as activations from './activations';
import * as audit from './audit';
import * as customers from './customers';
import * as downloads from './downloads';
import { isEndpoint, type Endpoint } from './endpoint';
import * as licenseOperations from './license-operations';
import * as licenseTypes from './license-types';
import * as licenses from './licenses';
import * as mail from './mail';
import * as members from './members';
import * as meters from './meters';
import * as notes from './notes';
import * as orders from './orders';
import * as overview from './overview';
import * as payments from './payments';
import * as portal from './portal';
import * as portalMembers from './portal-members';
import * as portalSettings from './portal-settings';
import * as productCredentials from './product-credentials';
import * as products from './products';
import * as refusals from './refusals';
import * as releases from './releases';
import * as reminders from './reminders';
import * as service from './service';
import * as tokens from './tokens';
import * as webhooks from './webhooks';

/** The exports of all modules with rows. Besides the rows, the modules export schemas, limits and functions. */
const exported = {
  ...activationRequests,
  ...activations,
  ...audit,
  ...customers,
  ...downloads,
  ...licenseOperations,
  ...licenseTypes,
  ...licenses,
  ...mail,
  ...members,
  ...meters,
  ...notes,
  ...orders,
  ...overview,
  ...payments,
  ...portal,
  ...portalMembers,
  ...portalSettings,
  ...productCredentials,
  ...products,
  ...refusals,
  ...releases,
  ...reminders,
  ...service,
  ...tokens,
  ...webhooks,
};

type Exported = typeof exported;

/** The type of each row, by the name of the endpoint. */
export type Rows = {
  readonly [Key in keyof Exported as Exported[Key] extends Endpoint ? Exported[Key]['name'] : never]: Exported[Key];
};

const position = ({ path, method }: Endpoint): string => `${path} ${method}`;

/** The contract table: all endpoints of the service, sorted by path, because the order of a module's exports depends on the loader. */
export const endpoints: readonly Endpoint[] = Object.values<unknown>(exported)
  .filter(isEndpoint)
  .sort((a, b) => (position(a) < position(b) ? -1 : 1));
