import type { LicenseTypeView, LicenseView } from '../../lambdas/contract/resources';
import { writeOfflineRequest } from '../../client/src/offline-request';
import { deviceRefOf } from '../support/devices';
import { adminToken, get, newFingerprint, newLicense, newShop, newType, post, type Shop } from '../support/http';
import { FILE } from '../support/releases';
import { newOffer, newRelease, newSession } from '../support/routes';
import type { Plan } from './plans';
import type { Answer } from './wire';

/** The rows that a request can name. The collection grows as requests create rows, so that later requests can name these rows. */

interface Goods {
  readonly shop: Shop;
  readonly types: LicenseTypeView[];
  readonly licenses: LicenseView[];
  readonly eventIds: string[];
  readonly releaseIds: number[];
  /**
   * A buyer with a license, a session and a link that only the portal's routes name. Undefined if a request has ended the session or used
   * up the link.
   */
  buyer: Buyer | undefined;
}

/** A buyer who is signed in to the portal of a product. */
interface Buyer {
  readonly license: LicenseView;
  readonly session: string;
  /** The token of a link with which the buyer signs in. */
  readonly link: string;
}

const ADA = 'ada@example.com';
/** Requests after which a buyer must sign in again, or needs another link. */
const ENDS_SESSION = ['setPortal', 'eraseCustomer', 'createPortalSession', 'endPortalSession', 'reissuePortalLicense'];

const FINGERPRINTS = Array.from({ length: 4 }, newFingerprint);
/** Maximum number of remembered rows per kind and product. */
const MEMORY = 40;

const remember = <Thing>(things: Thing[] | undefined, thing: Thing): void => {
  if (things && things.push(thing) > MEMORY) things.shift();
};

const choose = <Thing>(things: readonly Thing[], pick: number): Thing => things[pick % things.length]!;

export class World {
  private constructor(
    private readonly goods: readonly Goods[],
    private readonly webhook: string,
  ) {}

  /** @param webhook the URL of the products' webhooks */
  static async create(webhook: string): Promise<World> {
    const goods = await Promise.all(
      Array.from({ length: 4 }, async (): Promise<Goods> => {
        const shop = await newShop({ kind: 'subscription', duration_days: 365, max_seats: 3 });
        const types = [
          shop.type,
          await newType(shop.product, { kind: 'lifetime' }),
          await newType(shop.product, { kind: 'trial', duration_days: 1 }),
        ];
        const licenses: LicenseView[] = [];
        for (let i = 0; i < 12; i += 1) licenses.push(await newLicense(choose(types, i), { customer_email: ADA }));
        await post(`/v1/products/${shop.product.id}/webhook`, { url: webhook });
        const { body } = await get<{ id: string }[]>(`/v1/licenses/${licenses[0]!.id}/events`);
        await newOffer(shop.product.id);
        return {
          shop,
          types,
          licenses,
          eventIds: body.map(({ id }) => id),
          releaseIds: [await newRelease(shop.product.id)],
          buyer: undefined,
        };
      }),
    );
    return new World(goods, webhook);
  }

  /** Signs in a buyer at every product that has no signed-in buyer. The buyer gets a new license, which only the portal's routes name. */
  async signIn(): Promise<void> {
    for (const goods of this.goods.filter(({ buyer }) => !buyer)) {
      const { shop, types } = goods;
      const license = await newLicense(types[0]!, { customer_email: ADA });
      await post(`/v1/products/${shop.product.id}/portal`, { frees_per_30_days: 0 });
      const session = await newSession({ product: shop.product, license });
      const link = await post<{ url: string }>(`/v1/products/${shop.product.id}/portal/links`, { customer_email: ADA });
      goods.buyer = { license, session, link: link.body.url.split('#t=')[1] ?? '' };
    }
  }

  /**
   * Replaces each `{{name}}` in a text by its value, for example `{{key}}` by a license key of the product, and `{{otherKey}}` by a license
   * key of another product.
   */
  resolve(text: string, product: number, pick: number): string {
    const { shop, types, licenses, eventIds, releaseIds, buyer } = choose(this.goods, product);
    const fingerprint = choose(FINGERPRINTS, pick);
    const own = buyer?.license ?? choose(licenses, pick);
    const other = choose(this.goods, product + 1);
    const values: Readonly<Record<string, string | number>> = {
      adminToken: adminToken(),
      apiKey: shop.product.api_key,
      otherApiKey: other.shop.product.api_key,
      product: shop.product.id,
      slug: shop.product.slug,
      otherProduct: other.shop.product.id,
      type: choose(types, pick).id,
      otherType: choose(other.types, pick).id,
      license: choose(licenses, pick).id,
      key: choose(licenses, pick).key,
      otherKey: choose(other.licenses, pick).key,
      event: choose(eventIds, pick),
      release: choose(releaseIds, pick),
      file: FILE,
      fingerprint,
      webhook: this.webhook,
      session: buyer?.session ?? '',
      otherSession: other.buyer?.session ?? '',
      link: buyer?.link ?? '',
      own: own.id,
      ownRef: deviceRefOf(own, fingerprint),
      offlineRequest: writeOfflineRequest({ product: shop.product.id, key: own.key, fingerprint }),
    };
    return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => String(values[name] ?? whole));
  }

  /** Remembers what a request has created. */
  learn({ route: { name: operation }, product }: Plan, { status, headers, body }: Answer): void {
    if (status >= 300 || body === '' || headers['content-type'] !== 'application/json') return;
    const ended = operation === 'eraseCustomer' ? this.goods : [choose(this.goods, product)];
    if (ENDS_SESSION.includes(operation)) for (const goods of ended) goods.buyer = undefined;
    const made = JSON.parse(body) as unknown;
    const of = this.goods.find(({ shop }) => shop.product.id === (made as { product_id?: number }).product_id);
    if (operation === 'createLicenseType') remember(of?.types, made as LicenseTypeView);
    if (operation === 'createLicense') remember(of?.licenses, made as LicenseView);
    if (operation === 'createRelease') remember(of?.releaseIds, (made as { id: number }).id);
    if (operation === 'testWebhook') remember(of?.eventIds, (made as { id: string }).id);
  }
}
