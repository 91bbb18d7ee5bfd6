import type { LicenseStatus } from '../contract/statuses';
import type { DeliveryStatus } from '../contract/events';
import type { DeliveryRecord } from './delivery';

/**
 * What an event adds to its product's numbers. What happened to the license counts with the first attempt,
 * how the delivery ended with its end; a later round that ends otherwise moves the event to its new place.
 */

type EndStatus = Exclude<DeliveryStatus, 'pending'>;

type Happening = 'issued' | 'renewed' | 'activations';
/** What an event counts as, apart from its delivery. */
const happenings: { readonly [event in DeliveryRecord['event']]?: Happening } = {
  'license.created': 'issued',
  'license.renewed': 'renewed',
  'license.activated': 'activations',
};

export interface Tally {
  /** What to add to the numbers of the day on which the event happened. */
  readonly day: Partial<Readonly<Record<EndStatus | Happening, number>>>;
  /** A license of a type that took a status, and the one that it left; `fromTypeId` is the type that it left, if that is another. */
  readonly license?: {
    readonly typeId: number;
    readonly fromTypeId?: number;
    readonly from?: LicenseStatus | undefined;
    readonly to: LicenseStatus;
  };
  /** What the event's row is to remember, so that nothing counts twice. */
  readonly counted: { readonly counted: true; readonly outcome?: EndStatus | undefined };
}

interface Payload {
  readonly data: { readonly license?: { readonly status: LicenseStatus; readonly license_type: { readonly id: number } } };
}

function licenseOf({ event, previous_status: from, previous_type_id: fromTypeId, body }: DeliveryRecord): Tally['license'] {
  if (body === undefined || (event !== 'license.created' && from === undefined)) return undefined;
  const { license } = (JSON.parse(body) as Payload).data;
  return license && { typeId: license.license_type.id, ...(fromTypeId !== undefined && { fromTypeId }), from, to: license.status };
}

/** The tally of a delivery as an attempt leaves it. What an unreadable payload reports is left out. */
export function tallyOf(delivery: DeliveryRecord): Tally {
  // The numbers are those of changes and of the webhook.
  if (delivery.channel === 'mail') return { day: {}, counted: { counted: true } };
  const { status, counted, outcome } = delivery;
  const ended = status !== 'pending' && status !== outcome ? status : undefined;
  const license = counted ? undefined : licenseOf(delivery);
  const happening = counted ? undefined : happenings[delivery.event];
  return {
    day: {
      ...(happening && { [happening]: 1 }),
      ...(ended && { ...(outcome && { [outcome]: -1 }), [ended]: 1 }),
    },
    ...(license && { license }),
    counted: { counted: true, outcome: ended ?? outcome },
  };
}
