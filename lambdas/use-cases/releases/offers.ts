import { isFailure, type Failure } from '../../contract/errors';
import { candidateChannels, offerOf, type Offer, type Wanted } from '../../domain/releases/offer';
import type { Release } from '../../domain/releases/release';
import type { Product } from '../../domain/product';
import type { App } from '../../runtime/app';
import type { RequestEvent } from '../../runtime/http/request';
import { readDownloadState } from '../../store/releases/download-state';
import { identifyCaller } from './caller';

/** The offers that a request asks for: one offer for each entry of `wanted`. */
export interface Question {
  readonly channel: string;
  readonly wanted: readonly Wanted[];
}

/** An offer with its release. The release is undefined if there is no update. */
export interface Found extends Pick<Offer, 'newest'> {
  readonly release: Release | undefined;
}

/**
 * Finds the offers for the caller of a request. After the credential is checked, the catalogues are read, and then the releases that are
 * not in the cache (docs/spec/releases.md, Downloads).
 *
 * @param input the parsed request, or a refusal of its format
 */
export async function findOffers<Input>(
  app: App,
  event: RequestEvent,
  input: Failure | Input,
  ask: (input: Input) => Question,
): Promise<Failure | { readonly product: Product; readonly offers: readonly Found[] }> {
  const { channel, wanted }: Question = isFailure(input) ? { channel: '', wanted: [] } : ask(input);
  const caller = await identifyCaller(app, event, { channels: wanted.length === 0 ? [] : candidateChannels(channel) });
  if (isFailure(caller)) return caller;
  if (isFailure(input)) return input;
  const { product, rights } = caller;
  if (isFailure(rights)) return rights;

  const offers = wanted.map((one) => offerOf(caller.catalogues, rights, one));
  const releases = await releasesOf(app, product, versionsOf(offers));
  return {
    product,
    offers: offers.map(({ update, newest }) => ({ newest, release: update && releases.get(update.version) })),
  };
}

const versionsOf = (offers: readonly Offer[]): readonly string[] => [
  ...new Set(offers.flatMap(({ update }) => (update ? [update.version] : []))),
];

/**
 * Finds releases by their versions, in the cache or otherwise in the table. A release that is not published any more, because it was yanked
 * in the meantime, is left out.
 */
async function releasesOf(app: App, { id }: Product, versions: readonly string[]): Promise<ReadonlyMap<string, Release>> {
  const known = new Map(versions.map((version) => [version, app.releases.get(id, version)]));
  const missing = versions.filter((version) => !known.get(version));
  const found = missing.length > 0 ? (await readDownloadState(app.table, id, { versions: missing })).releases : new Map<string, Release>();
  const offered = [...known, ...found].flatMap(([, release]) => (release?.status === 'published' ? [release] : []));
  for (const release of offered) if (found.has(release.version)) app.releases.put(release);
  return new Map(offered.map((release) => [release.version, release]));
}
