import type { LicenseTypeView, LicenseView } from '../../lambdas/contract/resources';
import { adminToken, get, newFingerprint, newLicense, newShop, newType, post, type Shop } from '../support/http';
import { FILE } from '../support/releases';
import { newOffer, newRelease } from '../support/routes';
import type { Answer } from './wire';

/** What there is to name in a request. Grows with what requests create, so that they find each other's things. */

interface Goods {
  readonly shop: Shop;
  readonly types: LicenseTypeView[];
  readonly licenses: LicenseView[];
  readonly eventIds: string[];
  readonly releaseIds: number[];
}

const FINGERPRINTS = Array.from({ length: 4 }, newFingerprint);
/** Most things of a kind that are remembered of a product. */
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

  /** @param webhook where events may be sent */
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
        for (let i = 0; i < 12; i += 1) licenses.push(await newLicense(choose(types, i), { customer_email: 'ada@example.com' }));
        await post(`/v1/products/${shop.product.id}/webhook`, { url: webhook });
        const { body } = await get<{ id: string }[]>(`/v1/licenses/${licenses[0]!.id}/events`);
        await newOffer(shop.product.id);
        return { shop, types, licenses, eventIds: body.map(({ id }) => id), releaseIds: [await newRelease(shop.product.id)] };
      }),
    );
    return new World(goods, webhook);
  }

  /** Puts what `{{names}}` stand for into a text: things of one product, or of another one (`{{otherKey}}`). */
  resolve(text: string, product: number, pick: number): string {
    const { shop, types, licenses, eventIds, releaseIds } = choose(this.goods, product);
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
      fingerprint: choose(FINGERPRINTS, pick),
      webhook: this.webhook,
    };
    return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => String(values[name] ?? whole));
  }

  /** Remembers what a request has created. */
  learn(operation: string, { status, headers, body }: Answer): void {
    if (status >= 300 || body === '' || headers['content-type'] !== 'application/json') return;
    const made = JSON.parse(body) as unknown;
    const of = this.goods.find(({ shop }) => shop.product.id === (made as { product_id?: number }).product_id);
    if (operation === 'createLicenseType') remember(of?.types, made as LicenseTypeView);
    if (operation === 'createLicense') remember(of?.licenses, made as LicenseView);
    if (operation === 'createRelease') remember(of?.releaseIds, (made as { id: number }).id);
    if (operation === 'testWebhook') remember(of?.eventIds, (made as { id: string }).id);
  }
}
