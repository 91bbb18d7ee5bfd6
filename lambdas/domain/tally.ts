import type { LicenseStatus } from '../contract/statuses';
import type { DeliveryStatus } from '../contract/events';
import type { DeliveryRecord } from './delivery';

/**
 * What an event adds to its product's numbers. The change of the license is counted at the first attempt, the status of
 * the delivery at its end. If a later round ends with another status, the event is moved to that status.
 */

type EndStatus = Exclude<DeliveryStatus, 'pending'>;

type Happening = 'issued' | 'renewed' | 'activations';
/** The change that an event is counted as, apart from its delivery. */
const happenings: { readonly [event in DeliveryRecord['event']]?: Happening } = {
  'license.created': 'issued',
  'license.renewed': 'renewed',
  'license.activated': 'activations',
};

export interface Tally {
  /** What is added to the numbers of the day on which the event happened. Of mails only the failed ones are counted. */
  readonly day: Partial<Readonly<Record<EndStatus | Happening | 'mails_failed', number>>>;
  /** The type and new status of a license, and its previous status. `fromTypeId` is the previous type, if it changed. */
  readonly license?: {
    readonly typeId: number;
    readonly fromTypeId?: number;
    readonly from?: LicenseStatus | undefined;
    readonly to: LicenseStatus;
  };
  /** What the event's row records, so that nothing is counted twice. */
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

/** The tally of a delivery after an attempt. The change in an unreadable payload is not counted. */
export function tallyOf(delivery: DeliveryRecord): Tally {
  const { status, counted, outcome } = delivery;
  const ended = status !== 'pending' && status !== outcome ? status : undefined;
  if (delivery.channel === 'mail') {
    const change = ended ? Number(ended === 'failed') - Number(outcome === 'failed') : 0;
    return { day: change === 0 ? {} : { mails_failed: change }, counted: { counted: true, outcome: ended ?? outcome } };
  }
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
