import { partitions } from '../contract/access';
import { storedForms } from '../domain/email';
import { termStart } from '../domain/search-term';

/**
 * The keys of all rows of the table, and how each access pattern reads them.
 *
 * | access pattern | how |
 * |---|---|
 * | product by id | Get `PRODUCT#id` / `PRODUCT` |
 * | sealed seeds of a product's signing keys | BatchGet `SIGNING_KEY#product` / `SEEDS`, with the product |
 * | license types of a product | Query `PRODUCT#id`, `TYPE#…` |
 * | license by key, device by fingerprint | BatchGet `LICENSE#product#key` / `LICENSE`, `DEVICE#fingerprint` |
 * | license with all its devices | Query `LICENSE#product#key` |
 * | license by id | Get `LICENSE_ID#id` → its product and key |
 * | licenses by the beginning of key, e-mail, domain, name, company, order | indexes `pending`, `email`, `list`, `lookup`:
 * `TERM#first characters` → `LICENSE_ID#id` |
 * | devices by the beginning of their name | index `email`: `TERM#first characters` → `LICENSE#product#key` / `DEVICE#fingerprint` |
 * | products in order | index `list`, `PRODUCTS` |
 * | licenses of a product in order, each followed by its devices | index `list`, `LICENSES#product` |
 * | licenses of a product by e-mail | index `email`, `product#email` |
 * | trials of a product by an unverified e-mail, for erasures only | index `email`, `UNVERIFIED#product#email` |
 * | licenses of a product by expiry; devices by fingerprint | index `lookup`, `EXPIRY#product` / `FINGERPRINT#fingerprint` |
 * | devices that a reset has freed | Query `FREED_DEVICES#ALL` |
 * | what was consumed from a meter; from all meters of a license | BatchGet, Query `METER#product#key` / name |
 * | meters with amounts that are not in the statistics yet | index `pending`, `PENDING#METERS` |
 * | id of a consumption | Get `METER_ID#license#hash` |
 * | long metadata of a license | Get `METADATA#license` / its hash |
 * | members of a license; member by id | Query, Get `MEMBER#license` / id |
 * | members by the beginning of their e-mail address, or of its domain | indexes `email`, `list`: `TERM#start` / `term#created#product` |
 * | notes on a license, newest first | Query `NOTE#license` / id |
 * | refused requests about a license, or with unknown keys of a product | Query `REFUSAL#LICENSE#license`; `REFUSAL#PRODUCT#product` |
 * | release of a product by version; all, newest version first | Get, Query `RELEASE#product` / `VERSION#position` |
 * | release by id | Get `RELEASE_ID#id` → its product and version |
 * | releases that a channel of a product offers; number of releases of a product | Get `RELEASE#product` / `CATALOGUE#channel`, `COUNT` |
 * | event by id; events of a license in order | Get / Query `EVENT#license` / `sequence ‖ random` |
 * | events of a product, newest first | index `list`, `EVENTS#product` |
 * | events that are due | index `pending`, `PENDING#shard` |
 * | bulk redelivery by id; unfinished bulk redeliveries | Get `REDELIVERY#id`; index `pending`, `PENDING#REDELIVERIES` |
 * | whether a name, slug or type name is taken | Put `UNIQUE#…` if absent, in the creating transaction |
 * | stored response of an idempotent request | Get `IDEMPOTENCY#scope#key` |
 * | statistics of a product by day; its downloads by day | Query `STATS#product#shard` / `DAY#date`; `DAY#date#DOWNLOADS` |
 * | daily statistics of all products; of each product; numbers of all licenses; of licenses by type | Query `STATS#ALL#shard` /
 * `DAY#date`; `PRODUCTS#date#part`; `LICENSES`; `TYPE#product#id` |
 * | revenue of a product by month and currency | Query `STATS#REVENUE#product` / `month currency` |
 * | audience of a product | Get `STATS#AUDIENCE#product` / `AUDIENCE` |
 * | license type by id | Get `UNIQUE#TYPE_ID#id` → its product |
 * | self-service type of a product; trial of a device | Get `UNIQUE#SELF_SERVICE#product`, `UNIQUE#TRIAL#product#fingerprint` |
 * | trials by the time of their removal | index `lookup`, `TRIAL_REMOVALS` |
 * | payment connection by id, by its token | Get `PAYMENT#CONNECTION#id`, `PAYMENT#TOKEN#hash` |
 * | connections of a product; whether the place of the next connection is taken | Query `PAYMENT#CONNECTIONS#product`; Put
 * `PAYMENT#CONNECTION_PLACE#product#place` if absent, in the creating transaction |
 * | state of each connection's reconciliation | Query `PAYMENT#RECONCILE` / connection |
 * | order by any of its ids; deduplication key; buyer | Get `PAYMENT#ORDER_ID#connection#hash` → `PAYMENT#ORDER#connection#uid`;
 * `PAYMENT#EVENT#…`; `PAYMENT#CUSTOMER#…` |
 * | orders of a product, newest first; orders that are not in the statistics yet | index `list`, `ORDERS#product`; index `pending`,
 * `PENDING#ORDERS` |
 * | orders that wait for a buyer's address; addresses that are still to be written to orders | Query `PAYMENT#CUSTOMER#…` / `ORDER#uid`;
 * `PAYMENT#BUYER_FILLS` / row of the log |
 * | held payments of all products, by product | index `pending`, `PENDING#HELD_PAYMENTS` |
 * | connections with wrong signatures, by product | index `pending`, `PENDING#REJECTING` |
 * | payments log of a product, newest first; one row | index `list`, `PAYMENTS#product`; Get `PAYMENT#LOG#id` |
 * | payments, orders and customers of a connection by e-mail; payments of an order | index `email`, `PAYMENTS#connection#email`; index
 * `lookup`, `ORDER#connection#uid` |
 * | stored responses about a license | index `lookup`, `RESPONSES#license` |
 * | licenses whose buyer's data is still to be erased | Query `ERASURE#ALL` / `hash of the address # license` |
 * | licenses that had an e-mail address before | Query `PREVIOUS_ADDRESS#hash of the address` / license |
 * | audit log of a product, newest first | Query `AUDIT#product` (`AUDIT#-`: entries without a product) |
 * | audit log of a license; as a whole | index `lookup`, `AUDIT#license`; index `list`, `AUDIT` |
 * | admin token by its hash | Get `TOKEN#hash` |
 * | admin tokens in order; admin token by its id | Query, Get `TOKENS#ALL` / id |
 * | when an action with a limit was last done | Update `LIMIT#what#subject` / `LIMIT`, on the condition that the action may be done again |
 * | products with reminders, each with the worker's progress | Query `REMINDER#ALL` / product |
 * | reminders that were sent for a license | Get `REMINDED#license` / reminder # date |
 * | licenses of a product by the end of their updates | index `lookup`, `UPDATES#product` |
 * | address that has unsubscribed from reminders of a product | Get `UNSUBSCRIBED#product` / hash of the address |
 * | address to which a product sends no mails | Get `SUPPRESSED#product` / hash of the address |
 * | settings of a product's portal by its slug | Get `PORTAL#slug` / `PORTAL` |
 * | valid code, links and sessions of a buyer of a product | Get `PORTAL_BUYER#product#hash of the address` / `BUYER` |
 * | link, session of a portal by its hash | Get `PORTAL_LINK#hash`, `PORTAL_SESSION#hash` |
 * | activation request of a device; device of a request's code | Get `ACTIVATION_REQUEST#product#DEVICE#fingerprint` / `REQUEST`;
 * `ACTIVATION_REQUEST#product#CODE#code` / `CODE` |
 * | license and device of a device key | Get `DEVICE_KEY#hash` / `DEVICE_KEY` |
 * | next id | Update `COUNTER#entity`, `ADD` |
 */
export interface Key extends Record<string, string> {
  readonly pk: string;
  readonly sk: string;
}

/** Ids are padded with zeros, because the indexes sort them as text. Every safe integer fits into 16 digits. */
const padded = (id: number): string => String(id).padStart(16, '0');

const single = (pk: string, sk: string): Key => ({ pk, sk });

export const productKey = (id: number): Key => single(`${partitions.product}${id}`, 'PRODUCT');

/** The sealed seeds have a separate partition, so that a function can be allowed to read products without their seeds. */
export const signingSeedsKey = (productId: number): Key => single(`${partitions.signingKey}${productId}`, 'SEEDS');

export const LICENSE_TYPE_PREFIX = 'TYPE#';
export const licenseTypeKey = (productId: number, id: number): Key =>
  single(productKey(productId).pk, `${LICENSE_TYPE_PREFIX}${padded(id)}`);

/** @param key as returned by `lookupKey` (see `domain/license-key.ts`) */
export const licenseKey = (productId: number, key: string): Key => single(`${partitions.license}${productId}#${key}`, 'LICENSE');

export const DEVICE_PREFIX = 'DEVICE#';
/** The row of a device is in the partition of its license. */
export const deviceKey = (license: Key, fingerprint: string): Key => single(license.pk, `${DEVICE_PREFIX}${fingerprint}`);

/**
 * The partition of a license's meters. Its key contains the license key, so that a request of an app reads the meter together with the
 * license.
 */
export const licenseMeters = (productId: number, key: string): string => `${partitions.meter}${productId}#${key}`;
export const meterKey = (productId: number, key: string, name: string): Key => single(licenseMeters(productId, key), name);
/** The id of a consumption. It belongs to the license, whatever its key is. */
export const meterIdKey = (licenseId: number, hash: string): Key => single(`${partitions.meterId}${licenseId}#${hash}`, 'ID');

export const LICENSE_ID = 'LICENSE_ID';
/** A row in the partition of a license's id. */
export const licenseRowsKey = (id: number, sk: string): Key => single(`${partitions.licenseId}${id}`, sk);
export const licenseIdKey = (id: number): Key => licenseRowsKey(id, LICENSE_ID);
export const updatesEndKey = (id: number): Key => single(`${partitions.licenseId}${id}`, 'UPDATES_END');
/** The key of the row that contains a license's product and key, computed from the key of another row in the same partition. */
export const licenseIdKeyBeside = ({ pk }: Key): Key => single(pk, LICENSE_ID);

/** Long metadata of a license. `ref` is the hash of the metadata. */
export const metadataKey = (licenseId: number, ref: string): Key => single(`${partitions.metadata}${licenseId}`, ref);

/** The members of a license, by their ids (see `domain/member.ts`). */
export const licenseMembers = (licenseId: number): string => `${partitions.member}${licenseId}`;
export const memberKey = (licenseId: number, id: string): Key => single(licenseMembers(licenseId), id);

/** Operators' notes on a license. The ids of the notes sort by time. */
export const licenseNotes = (licenseId: number): string => `${partitions.note}${licenseId}`;
export const noteKey = (licenseId: number, id: string): Key => single(licenseNotes(licenseId), id);

/**
 * The partition of refused requests about a license. If `license_id` is null, it is the partition of a product's refused requests with
 * unknown license keys.
 */
export const refusalsOf = ({ product_id, license_id }: { readonly product_id: number; readonly license_id: number | null }): string =>
  `${partitions.refusal}${license_id === null ? `PRODUCT#${product_id}` : `LICENSE#${license_id}`}`;
/** The slots of a group have consecutive sort keys. */
export const refusalKey = (subject: Parameters<typeof refusalsOf>[0], slot: number): Key =>
  single(refusalsOf(subject), `SLOT#${String(slot).padStart(3, '0')}`);

/** Notes about devices that a reset has freed and whose rows must still be removed. */
export const FREED_DEVICES = `${partitions.freedDevices}ALL`;
export const freedDevicesKey = (licensePk: string, epoch: number): Key => single(FREED_DEVICES, `${licensePk}#${padded(epoch)}`);

export const VERSION_PREFIX = 'VERSION#';
const releases = (productId: number): string => `${partitions.release}${productId}`;
/** @param position as returned by `versionPosition` (see `domain/releases/version.ts`) */
export const releaseKey = (productId: number, position: string): Key => single(releases(productId), `${VERSION_PREFIX}${position}`);
export const releaseIdKey = (id: number): Key => single(`${partitions.releaseId}${id}`, 'RELEASE_ID');
export const catalogueKey = (productId: number, channel: string): Key => single(releases(productId), `CATALOGUE#${channel}`);
export const releaseCountKey = (productId: number): Key => single(releases(productId), 'COUNT');

const unique = (kind: string, value: string): Key => single(`${partitions.unique}${kind}#${value}`, 'UNIQUE');
/** The license type that client apps may issue themselves. Each product has at most one such type. */
export const selfServiceKey = (productId: number): Key => unique('SELF_SERVICE', String(productId));
/** The trial of a device for a product. Each device gets at most one trial. */
export const trialKey = (productId: number, fingerprint: string): Key => unique(`TRIAL#${productId}`, fingerprint);
export const licenseTypeIdKey = (id: number): Key => unique('TYPE_ID', String(id));
export const productNameKey = (name: string): Key => unique('PRODUCT_NAME', name);
export const productSlugKey = (slug: string): Key => unique('PRODUCT_SLUG', slug);
export const typeNameKey = (productId: number, name: string): Key => unique(`TYPE_NAME#${productId}`, name);

/** The first ten of the 32 digits of an event's id are the id of its license (see `domain/event.ts`). */
export const eventKey = (id: string): Key => single(`${partitions.event}${id.slice(0, 10)}`, id.slice(10));

/** The partition of a license's events. */
export const licenseEvents = (licenseId: number): string => `${partitions.event}${licenseId.toString(16).padStart(10, '0')}`;

export const idempotencyKey = (scope: string, key: string): Key => single(`${partitions.idempotency}${scope}#${key}`, 'IDEMPOTENCY');

export const counterKey = (entity: string): Key => single(`${partitions.counter}${entity}`, 'COUNTER');

/**
 * The statistics of each product, and of the deployment, are spread over this number of partitions, because every event adds to them. Each
 * partition accepts about a hundred additions per second before the additions conflict.
 */
export const STATS_SHARDS = 16;
/** The statistics of the whole deployment. */
export const ALL_PRODUCTS = 'ALL';
/** @param of the id of a product, or {@link ALL_PRODUCTS} */
export const statsOf = (of: number | typeof ALL_PRODUCTS, shard: number): string => `${partitions.stats}${of}#${shard}`;
export const DAY_PREFIX = 'DAY#';
/** The statistics of a day, such as `2026-11-20`. */
export const dayStatsKey = (of: Parameters<typeof statsOf>[0], shard: number, date: string): Key =>
  single(statsOf(of, shard), `${DAY_PREFIX}${date}`);
/** The downloads of a day by version. This row sorts after the other statistics of the day. */
export const DOWNLOADS_SUFFIX = '#DOWNLOADS';
/** What was consumed on a day, by the name of the meter. */
export const METERS_SUFFIX = '#METERS';
export const meterStatsKey = (productId: number, shard: number, date: string): Key =>
  single(statsOf(productId, shard), `${DAY_PREFIX}${date}${METERS_SUFFIX}`);
export const downloadStatsKey = (productId: number, shard: number, date: string): Key =>
  single(statsOf(productId, shard), `${DAY_PREFIX}${date}${DOWNLOADS_SUFFIX}`);
/**
 * The statistics of a day for each product are spread over this number of rows in each shard. A single row with fields for thousands of
 * products would cost several write units. The sums of all products are in a separate row, because they are read more often.
 */
const PRODUCT_ROWS = 4;
export const PRODUCTS_PREFIX = 'PRODUCTS#';
export const dayByProductKey = (shard: number, date: string, productId: number): Key =>
  single(statsOf(ALL_PRODUCTS, shard), `${PRODUCTS_PREFIX}${date}#${productId % PRODUCT_ROWS}`);
/** The number of licenses of all products, by status. */
export const licenseStatsKey = (shard: number): Key => single(statsOf(ALL_PRODUCTS, shard), 'LICENSES');
/** The audience of a product, and the progress of counting it. */
export const audienceKey = (productId: number): Key => single(`${partitions.stats}AUDIENCE#${productId}`, 'AUDIENCE');
/** The revenue of a product, with one row for each month and currency. Only the sweeper writes it, so it needs no shards. */
export const revenueOfProduct = (productId: number): string => `${partitions.stats}REVENUE#${productId}`;
/** @param month a month with a currency (`sumKey` in domain/payments/ledger.ts) */
export const revenueKey = (productId: number, month: string): Key => single(revenueOfProduct(productId), month);
export const TYPE_STATS_PREFIX = 'TYPE#';
/** The beginning of the sort keys of a product's license types in the statistics of the deployment. */
export const typesOfProduct = (productId: number): string => `${TYPE_STATS_PREFIX}${padded(productId)}`;
/** The number of licenses of a license type, by status. */
export const typeStatsKey = (productId: number, shard: number, typeId: number): Key =>
  single(statsOf(ALL_PRODUCTS, shard), `${typesOfProduct(productId)}#${typeId}`);

/** Keys of payments: connections, orders with a row for each of their ids, used deduplication keys, buyers, and the payments log. */
export const connectionKey = (id: number): Key => single(`${partitions.payment}CONNECTION#${id}`, 'CONNECTION');
export const connectionTokenKey = (hash: string): Key => single(`${partitions.payment}TOKEN#${hash}`, 'TOKEN');
export const CONNECTIONS_OF_PRODUCT = `${partitions.payment}CONNECTIONS#`;
export const connectionListKey = (productId: number, id: number): Key => single(`${CONNECTIONS_OF_PRODUCT}${productId}`, padded(id));
/** Each connection of a product takes a place, so that concurrent requests can't exceed the maximum number of connections. */
export const connectionPlaceKey = (productId: number, place: number): Key =>
  single(`${partitions.payment}CONNECTION_PLACE#${productId}#${place}`, 'CONNECTION_PLACE');
/** The partition with a row for each connection. The row contains the state of the connection's reconciliation. */
export const CONNECTIONS_TO_RECONCILE = `${partitions.payment}RECONCILE`;
export const reconciliationKey = (connectionId: number): Key => single(CONNECTIONS_TO_RECONCILE, padded(connectionId));
export const orderKey = (connectionId: number, uid: string): Key => single(`${partitions.payment}ORDER#${connectionId}#${uid}`, 'ORDER');
/** The id of the connection in the partition key of an order. */
export const connectionOfOrder = (pk: string): number => Number(pk.split('#')[2]);
export const orderList = (productId: number): string => `ORDERS#${productId}`;
/** The index partition of orders whose money or subscription is not in the statistics yet. */
export const UNCOUNTED_ORDERS = 'PENDING#ORDERS';
export const orderIdKey = (connectionId: number, hash: string): Key =>
  single(`${partitions.payment}ORDER_ID#${connectionId}#${hash}`, 'ORDER_ID');
export const paymentEventKey = (connectionId: number, hash: string): Key =>
  single(`${partitions.payment}EVENT#${connectionId}#${hash}`, 'EVENT');
export const paymentCustomerKey = (connectionId: number, hash: string): Key =>
  single(`${partitions.payment}CUSTOMER#${connectionId}#${hash}`, 'CUSTOMER');
export const ORDER_OF_CUSTOMER_PREFIX = 'ORDER#';
/** The row of an order that waits for the e-mail address of its customer. */
export const orderOfCustomerKey = (connectionId: number, hash: string, uid: string): Key =>
  single(paymentCustomerKey(connectionId, hash).pk, `${ORDER_OF_CUSTOMER_PREFIX}${uid}`);
/**
 * Buyers' e-mail addresses that must still be written to orders. The sort key is the id of the payment that reported the address (see
 * `paymentKey`).
 */
export const BUYER_FILLS = `${partitions.payment}BUYER_FILLS`;
export const buyerFillKey = (paymentId: string): Key => single(BUYER_FILLS, paymentId);
export const paymentKey = (id: string): Key => single(`${partitions.payment}LOG#${id}`, 'PAYMENT');
/** The second and further parts of a payload that is too long for one row. The second part has the number 1. */
export const paymentPartKey = (id: string, part: number): Key => single(`${partitions.payment}LOG#${id}#${part}`, 'PAYLOAD');
export const paymentList = (productId: number): string => `PAYMENTS#${productId}`;
/** The index partition of held payments of all products. */
export const HELD_PAYMENTS = 'PENDING#HELD_PAYMENTS';
/** The index partition of connections of all products at which notifications with a wrong signature arrive. */
export const REJECTING_CONNECTIONS = 'PENDING#REJECTING';
/** The positions of all held payments of a product have this beginning, so that these payments sort together. */
export const heldOfProduct = (productId: number): string => `${padded(productId)}#`;
/** The position of a held payment. Held payments of one order sort together. */
export const heldPosition = (productId: number, orderUid: string | null, id: string): string =>
  `${heldOfProduct(productId)}${orderUid ?? id}#${id}`;

/** Entries of the audit log sort by time within their product. Entries without a product have their own partition. */
export const productAudit = (productId: number | null): string => `${partitions.audit}${productId ?? '-'}`;
export const auditKey = (productId: number | null, at: number, id: string): Key => single(productAudit(productId), eventPosition(at, id));
export const licenseAudit = (licenseId: number): string => `AUDIT#${licenseId}`;
export const AUDIT_LIST = 'AUDIT';
export const adminTokenKey = (hash: string): Key => single(`${partitions.token}${hash}`, 'TOKEN');
export const ADMIN_TOKENS = `${partitions.tokenList}ALL`;
export const listedAdminTokenKey = (id: number): Key => single(ADMIN_TOKENS, padded(id));

/** Partitions and positions of rows in the index `list`. */
export const PRODUCT_LIST = 'PRODUCTS';
export const licenseList = (productId: number): string => `LICENSES#${productId}`;
export const eventList = (productId: number): string => `EVENTS#${productId}`;
/** The position of a product or a license in its list. */
export const listPosition = (id: number): string => padded(id);
/** The position of a device in the list of licenses. A device sorts directly after its license. */
export const devicePosition = (licenseId: number, fingerprint: string): string => `${padded(licenseId)}#${fingerprint}`;
/** The position after a license and all its devices, but before the next license. */
export const behindLicense = (licenseId: number): string => `${padded(licenseId)}~`;
/**
 * Events sort by time, and the id distinguishes events of the same millisecond. Without an id, the result is the position before all events
 * of that millisecond.
 */
export const eventPosition = (createdAt: number, id = ''): string => `${padded(createdAt)}#${id}`;

/** The partition of a search term in the indexes. The partition contains the first characters of the term. */
export const termList = (term: string): string => `TERM#${termStart(term)}`;
/**
 * The position of a search term. It contains the creation time of the license, so that a search selects the newest matching licenses
 * without reading all matching licenses.
 */
export const termPosition = (
  term: string,
  { created_at, product_id }: { readonly created_at: number; readonly product_id: number },
): string => `${term}#${padded(created_at)}#${product_id}`;

/** Key in the index `email`, for searches that ignore case. */
export const emailList = (productId: number, email: string): string => emailLists(productId, email)[0];

/**
 * Key in the index `email` for licenses whose e-mail address nobody has verified. These keys are separate from the keys of verified
 * addresses, so that no search or export lists these licenses.
 */
export const unverifiedEmailList = (productId: number, email: string): string => unverifiedEmailLists(productId, email)[0];

/** Key in the index `email` for the rows of a payment connection that are about a buyer. */
export const buyerList = (connectionId: number, email: string): string => buyerLists(connectionId, email)[0];

/**
 * All keys under which the index `email` may contain an e-mail address. The first is the key of new rows; rows of earlier versions may have
 * another one (see `storedForms`).
 */
export type EmailLists = readonly [string, ...string[]];
export const emailLists = (productId: number, email: string): EmailLists => listsOf(`${productId}#`, email);
export const unverifiedEmailLists = (productId: number, email: string): EmailLists => listsOf(`UNVERIFIED#${productId}#`, email);
export const buyerLists = (connectionId: number, email: string): EmailLists => listsOf(`PAYMENTS#${connectionId}#`, email);

function listsOf(beginning: string, email: string): EmailLists {
  const [first, ...others] = storedForms(email);
  return [`${beginning}${first}`, ...others.map((form) => `${beginning}${form}`)];
}

/** Keys in the index `lookup`: payments of an order, and stored responses about a license. */
export const orderPayments = (connectionId: number, uid: string): string => `ORDER#${connectionId}#${uid}`;
export const licenseResponses = (licenseId: number): string => `RESPONSES#${licenseId}`;

/** The row that stores the times at which an action with a limit was last done for a subject (see `limits.ts`). */
export const limitKey = (what: string, subject: string): Key => single(`${partitions.limit}${what}#${subject}`, 'LIMIT');

/** The partition of products with reminders. Each row contains the worker's progress with a product. */
export const REMINDER_PRODUCTS = `${partitions.reminder}ALL`;
export const reminderProductKey = (productId: number): Key => single(REMINDER_PRODUCTS, padded(productId));
/** A reminder that was recorded for a license and a date (epoch ms). */
export const remindedKey = (licenseId: number, name: string, date: number): Key =>
  single(`${partitions.reminded}${licenseId}`, `${name}#${padded(date)}`);
/** The row that stores when the next reminder of the deployment may be sent. */
export const reminderSlotKey = limitKey('REMINDERS', 'ALL');
/** @param addressHash as returned by `addressHash` (see `domain/audit.ts`) */
export const unsubscribedKey = (productId: number, addressHash: string): Key =>
  single(`${partitions.unsubscribed}${productId}`, addressHash);

/** @param addressHash as returned by `addressHash` (see `domain/audit.ts`) */
export const suppressedKey = (productId: number, addressHash: string): Key => single(`${partitions.suppressed}${productId}`, addressHash);

export const portalKey = (slug: string): Key => single(`${partitions.portal}${slug}`, 'PORTAL');
/** @param addressHash as returned by `addressHash` (see `domain/audit.ts`) */
export const portalBuyerKey = (productId: number, addressHash: string): Key =>
  single(`${partitions.portalBuyer}${productId}#${addressHash}`, 'BUYER');
/** @param link the hash of the link in the mail with the sign-in code; undefined if the address has no code */
export const portalTriesKey = (productId: number, addressHash: string, link: string | undefined): Key =>
  single(`${partitions.portalBuyer}${productId}#${addressHash}`, `TRIES#${link ?? ''}`);
export const portalLinkKey = (hash: string): Key => single(`${partitions.portalLink}${hash}`, 'LINK');
export const portalSessionKey = (hash: string): Key => single(`${partitions.portalSession}${hash}`, 'SESSION');

/** The activation request of a device. A device has at most one request for each product. */
export const activationRequestKey = (productId: number, fingerprint: string): Key =>
  single(`${partitions.activationRequest}${productId}#DEVICE#${fingerprint}`, 'REQUEST');
/** @param code as returned by `normalizeUserCode` (see `domain/activation-request.ts`) */
export const userCodeKey = (productId: number, code: string): Key =>
  single(`${partitions.activationRequest}${productId}#CODE#${code}`, 'CODE');
/** @param hash as returned by `deviceKeyHash` (see `domain/device-key.ts`) */
export const deviceKeyKey = (hash: string): Key => single(`${partitions.deviceKey}${hash}`, 'DEVICE_KEY');

/** The partition of notes about licenses whose erasure is not finished. */
export const ERASURES = `${partitions.erasure}ALL`;
/** The sort keys of all notes about an e-mail address have this beginning, so that these notes sort together. */
export const erasuresOf = (addressHash: string): string => `${addressHash}#`;
/** @param isPrevious whether the license no longer had the address when the erasure began */
export const erasureKey = (addressHash: string, licenseId: number, isPrevious: boolean): Key =>
  single(ERASURES, `${erasuresOf(addressHash)}${padded(licenseId)}${isPrevious ? '#PREVIOUS' : ''}`);

/** The partition of the licenses that had the e-mail address with this hash before. */
export const previousAddresses = (addressHash: string): string => `${partitions.previousAddress}${addressHash}`;
export const previousAddressKey = (addressHash: string, licenseId: number): Key =>
  single(previousAddresses(addressHash), padded(licenseId));

/** Keys in the index `lookup`: licenses by their expiry and by the end of their updates, and devices by their fingerprint. */
export const expiryList = (productId: number): string => `EXPIRY#${productId}`;
export const expiryPosition = (expiresAt: number, licenseId: number): string => `${padded(expiresAt)}#${padded(licenseId)}`;
/**
 * The partition of rows that list licenses by the end of their updates. The positions of these rows have the same format as the positions
 * of expiries.
 */
export const updatesList = (productId: number): string => `UPDATES#${productId}`;
/** The partition of trials by the time of their removal. The positions have the same format as the positions of expiries. */
export const TRIAL_REMOVALS = 'TRIAL_REMOVALS';
export const fingerprintList = (fingerprint: string): string => `FINGERPRINT#${fingerprint}`;

/**
 * Pending events are spread over this number of partitions (shards) of the index `pending`. The statistics have the same number of shards.
 * In one transaction, the sweeper records only events of one shard, and counts them in the statistics shard with the same number. The
 * sweeper's transactions for different shards therefore do not conflict.
 */
export const PENDING_SHARDS = STATS_SHARDS;
export const pendingShard = (shard: number): string => `PENDING#${shard}`;
/** The key of a bulk redelivery, and the index partition of unfinished bulk redeliveries. */
export const redeliveryKey = (id: string): Key => single(`${partitions.redelivery}${id}`, 'REDELIVERY');
export const PENDING_REDELIVERIES = 'PENDING#REDELIVERIES';
/** The meters with amounts that are not in the statistics yet. */
export const UNCOUNTED_METERS = 'PENDING#METERS';
/** Due times are padded with zeros, because the index sorts them as text. */
export const dueAt = (ms: number): string => padded(ms);
