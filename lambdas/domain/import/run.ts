import type { CreateLicenseBody } from '../../contract/licenses';
import type { AddedDevice } from '../../contract/license-operations';
import type { DeviceView, LicenseView } from '../../contract/resources';
import { lookupKey } from '../license-key';
import type { ImportedLicense, ImportedMember } from './check';

/**
 * Runs an import, for the command line and the admin page. A run can stop at any moment and start again. It finds an existing license by
 * its key or by its order, so that no license is issued twice. (docs/spec/operator.md, Export and import)
 */

/** The fields of an existing license that an import reads. */
export type KnownLicense = Pick<LicenseView, 'id' | 'key' | 'status' | 'expires_at' | 'term'> & {
  readonly activations: readonly Pick<DeviceView, 'fingerprint'>[];
};

/** A page of a product's licenses. */
export interface LicensePage {
  readonly licenses: readonly (KnownLicense & Pick<LicenseView, 'metadata' | 'order'>)[];
  /** The number of licenses that the service left out because it could not read them. */
  readonly unreadable: number;
}

/** The service rejected a request. */
export interface Refusal {
  readonly refused: string;
  /** Whether the key exists already, or a request with the same idempotency key was already made. */
  readonly duplicate: boolean;
}

/**
 * The product that an import writes to. An implementation retries temporary faults and limits its own rate. The implementation throws all
 * other faults.
 */
export interface ImportTarget {
  /** All licenses of the product, in the order of their ids. */
  pages(): AsyncIterable<LicensePage>;
  create(body: CreateLicenseBody, idempotencyKey: string | undefined): Promise<KnownLicense | Refusal>;
  find(key: string): Promise<KnownLicense | undefined>;
  revoke(id: number): Promise<Refusal | undefined>;
  suspend(id: number): Promise<Refusal | undefined>;
  removeExpiry(id: number): Promise<Refusal | undefined>;
  addDevice(id: number, device: AddedDevice): Promise<Refusal | undefined>;
  /** Adds a member without an invitation, or gives a member the role. */
  putMember(id: number, member: ImportedMember): Promise<Refusal | undefined>;
}

export type ImportResult =
  | { readonly kind: 'created' | 'there'; readonly id: number }
  | { readonly kind: 'refused'; readonly reason: string };

/** A function that receives the result of each row. */
type OnResult = (license: ImportedLicense, result: ImportResult) => void;

/** An import of checked rows into a product. */
export class ImportRun {
  /** The rows in groups. Groups can be imported in any order and at the same time. */
  readonly groups: readonly (readonly ImportedLicense[])[];

  private constructor(
    private readonly target: ImportTarget,
    private readonly known: KnownLicenses,
    licenses: readonly ImportedLicense[],
  ) {
    this.groups = groupsOf(licenses);
  }

  /**
   * Reads the licenses that the product already has, so that an interrupted import continues, and a repeated import changes nothing.
   *
   * @param onRead receives the number of licenses read so far
   * @throws Error if the service cannot read a license. If that license belonged to an order in the file, the import would issue it again.
   */
  static async begin(target: ImportTarget, licenses: readonly ImportedLicense[], onRead: (done: number) => void): Promise<ImportRun> {
    const known = new KnownLicenses(new Set(licenses.flatMap(({ identity }) => ('key' in identity ? [identity.key] : []))));
    let done = 0;
    for await (const page of target.pages()) {
      if (page.unreadable > 0)
        throw new Error(
          'The service cannot read some licenses of this product, so it is unknown which licenses of the file already exist. The runbook explains how to repair unreadable licenses.',
        );
      for (const license of page.licenses) known.add(license);
      done += page.licenses.length;
      onRead(done);
    }
    return new ImportRun(target, known, licenses);
  }

  /**
   * Imports all groups.
   *
   * @param atOnce maximum number of groups that are imported at the same time
   * @throws the first fault. After a fault no new group is started, and the method waits for the groups that are running.
   */
  async importAll(atOnce: number, onResult: OnResult): Promise<void> {
    const groups = [...this.groups];
    const faults: unknown[] = [];
    const work = async (): Promise<void> => {
      for (let group = groups.shift(); group && faults.length === 0; group = groups.shift()) await this.importGroup(group, onResult);
    };
    await Promise.all(Array.from({ length: atOnce }, () => work().catch((error: unknown) => faults.push(error))));
    if (faults.length > 0) throw faults[0];
  }

  /**
   * Imports the rows of a group. If a row is refused, all later rows of the group are refused as well. All of them belong to the same
   * payment order and are identified by their places in it. If a later row were imported, its license would take the place of the refused
   * row. It is safe to import a group again.
   */
  async importGroup(group: readonly ImportedLicense[], onResult: OnResult): Promise<void> {
    let refusedLine: number | undefined;
    for (const license of group) {
      const result: ImportResult =
        refusedLine === undefined
          ? await importLicense(license, this.known, this.target)
          : { kind: 'refused', reason: `the row on line ${refusedLine}, of the same order, was refused` };
      if (result.kind === 'refused') refusedLine ??= license.line;
      onResult(license, result);
    }
  }
}

/** The existing licenses of a product, which can be found by key or by order. */
class KnownLicenses {
  private readonly byKey = new Map<string, KnownLicense>();
  private readonly byOrder = new Map<string, KnownLicense[]>();

  /**
   * @param fileKeys the keys in the file. A license with one of these keys belongs to the row with this key. Therefore it is found only by
   * its key, not by its order.
   */
  constructor(private readonly fileKeys: ReadonlySet<string>) {}

  /** Adds a license. The caller must add licenses in the order of their ids. */
  add({ id, key, status, expires_at, term, activations, metadata, order }: LicensePage['licenses'][number]): void {
    const known: KnownLicense = { id, key, status, expires_at, term, activations: activations.map(({ fingerprint }) => ({ fingerprint })) };
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
 * Groups the rows. The rows without keys that belong to the same payment order are one group. Every other row is a group of its own. The
 * rows of a group are imported one after another, so that after an interruption the imported rows are always the first rows of the group.
 */
function groupsOf(licenses: readonly ImportedLicense[]): ImportedLicense[][] {
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

async function importLicense(license: ImportedLicense, known: KnownLicenses, target: ImportTarget): Promise<ImportResult> {
  const { identity, body } = license;
  let existing = known.find(license);
  let kind: 'created' | 'there' = 'there';
  if (!existing) {
    const created = await target.create(body, 'key' in identity ? undefined : `import/${identity.place}/${identity.order}`);
    if (!('refused' in created)) {
      kind = 'created';
      existing = created;
    } else {
      existing = created.duplicate && 'key' in identity ? await target.find(identity.key) : undefined;
      if (!existing) return { kind: 'refused', reason: created.refused };
    }
  }
  const refusal = await settle(license, existing, target);
  return refusal ? { kind: 'refused', reason: refusal.refused } : { kind, id: existing.id };
}

/**
 * Gives a license the devices, the members and the status of its row. An interrupted earlier run may have created the license without them.
 */
async function settle(
  { devices, members, status, neverExpires }: ImportedLicense,
  existing: KnownLicense,
  target: ImportTarget,
): Promise<Refusal | undefined> {
  if (existing.status === 'revoked') return undefined;
  const refused =
    neverExpires && (existing.expires_at !== null || existing.term !== null) ? await target.removeExpiry(existing.id) : undefined;
  if (refused) return refused;
  const bound = new Set(existing.activations.map(({ fingerprint }) => fingerprint));
  for (const device of status === 'revoked' ? [] : devices.filter(({ fingerprint }) => !bound.has(fingerprint))) {
    const noSeat = await target.addDevice(existing.id, device);
    if (noSeat) return { ...noSeat, refused: `device ${device.fingerprint}: ${noSeat.refused}` };
  }
  for (const member of status === 'revoked' ? [] : members) {
    const noSeat = await target.putMember(existing.id, member);
    if (noSeat) return { ...noSeat, refused: `member ${member.email}: ${noSeat.refused}` };
  }
  if (status === 'revoked') return target.revoke(existing.id);
  return status === 'suspended' && existing.status !== 'suspended' ? target.suspend(existing.id) : undefined;
}
