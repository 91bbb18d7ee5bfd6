import type { CreateLicenseBody } from '../../contract/licenses';
import type { LicenseView } from '../../contract/resources';
import { lookupKey } from '../license-key';
import type { ImportedLicense } from './check';

/**
 * Carries out an import, so that it can break off at any moment and begin again: what is there is found by its key, or
 * by its order, and is not issued a second time. (docs/spec/operator.md, Export and import)
 */

/** What is known of a license of the service. */
export type KnownLicense = Pick<LicenseView, 'id' | 'key' | 'status' | 'expires_at'>;

/** The service did not do what it was asked to. */
export interface Refusal {
  readonly refused: string;
  /** The key, or the idempotent request, exists already. */
  readonly duplicate: boolean;
}

/** The requests that an import sends to the service. The implementation retries temporary faults. */
export interface LicenseWriter {
  create(body: CreateLicenseBody, idempotencyKey: string | undefined): Promise<KnownLicense | Refusal>;
  find(key: string): Promise<KnownLicense | undefined>;
  revoke(id: number): Promise<Refusal | undefined>;
  suspend(id: number): Promise<Refusal | undefined>;
  removeExpiry(id: number): Promise<Refusal | undefined>;
}

export type ImportResult =
  | { readonly kind: 'created' | 'there'; readonly id: number }
  | { readonly kind: 'refused'; readonly reason: string };

/** The licenses that a product has, by what an import recognizes them by. */
export class KnownLicenses {
  private readonly byKey = new Map<string, KnownLicense>();
  private readonly byOrder = new Map<string, KnownLicense[]>();

  /** @param fileKeys the keys in the file: their licenses belong to no other row of the same order */
  constructor(private readonly fileKeys: ReadonlySet<string>) {}

  /** Adds a license. They come in the order of their ids. */
  add({
    id,
    key,
    status,
    expires_at,
    metadata,
    order,
  }: Pick<LicenseView, 'id' | 'key' | 'status' | 'expires_at' | 'metadata' | 'order'>): void {
    const known: KnownLicense = { id, key, status, expires_at };
    const found = lookupKey(key) ?? key;
    this.byKey.set(found, known);
    if (this.fileKeys.has(found)) return;
    for (const name of new Set([order?.order_id, metadata['order']])) {
      if (typeof name === 'string') this.byOrder.set(name, [...(this.byOrder.get(name) ?? []), known]);
    }
  }

  find({ identity }: ImportedLicense): KnownLicense | undefined {
    return 'key' in identity ? this.byKey.get(identity.key) : this.byOrder.get(identity.order)?.[identity.place];
  }
}

/**
 * Rows in the groups in which they are to be carried out: rows of one order without keys one after another, so that
 * those that are done are always the first of them.
 */
export function groupsOf(licenses: readonly ImportedLicense[]): ImportedLicense[][] {
  const orders = new Map<string, ImportedLicense[]>();
  const groups: ImportedLicense[][] = [];
  for (const license of licenses) {
    const order = 'order' in license.identity ? license.identity.order : undefined;
    const group = order === undefined ? undefined : orders.get(order);
    if (group) group.push(license);
    else {
      const begun = [license];
      groups.push(begun);
      if (order !== undefined) orders.set(order, begun);
    }
  }
  return groups;
}

/** Carries out the rows of a group. After one that is refused the others would take its place, and are refused as well. */
export async function importGroup(
  group: readonly ImportedLicense[],
  known: KnownLicenses,
  writer: LicenseWriter,
  onResult: (license: ImportedLicense, result: ImportResult) => void,
): Promise<void> {
  let refusedLine: number | undefined;
  for (const license of group) {
    const result: ImportResult =
      refusedLine === undefined
        ? await importLicense(license, known, writer)
        : { kind: 'refused', reason: `the row on line ${refusedLine}, of the same order, was refused` };
    if (result.kind === 'refused') refusedLine ??= license.line;
    onResult(license, result);
  }
}

async function importLicense(license: ImportedLicense, known: KnownLicenses, writer: LicenseWriter): Promise<ImportResult> {
  const { identity, body } = license;
  let existing = known.find(license);
  let kind: 'created' | 'there' = 'there';
  if (!existing) {
    const created = await writer.create(body, 'key' in identity ? undefined : `import/${identity.place}/${identity.order}`);
    if (!('refused' in created)) {
      kind = 'created';
      existing = created;
    } else {
      existing = created.duplicate && 'key' in identity ? await writer.find(identity.key) : undefined;
      if (!existing) return { kind: 'refused', reason: created.refused };
    }
  }
  const refusal = await settle(license, existing, writer);
  return refusal ? { kind: 'refused', reason: refusal.refused } : { kind, id: existing.id };
}

/** Gives a license the status that its row has. An earlier run may have ended just before. */
async function settle(
  { status, neverExpires }: ImportedLicense,
  existing: KnownLicense,
  writer: LicenseWriter,
): Promise<Refusal | undefined> {
  if (existing.status === 'revoked') return undefined;
  const refused = neverExpires && existing.expires_at !== null ? await writer.removeExpiry(existing.id) : undefined;
  if (refused) return refused;
  if (status === 'revoked') return writer.revoke(existing.id);
  return status === 'suspended' && existing.status !== 'suspended' ? writer.suspend(existing.id) : undefined;
}
