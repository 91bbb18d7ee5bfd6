import type { LicenseStatus } from '../contract/statuses';
import type { DeliveryStatus } from '../contract/events';
import type { DeliveryRecord } from './delivery';

/**
 * Computes what an event adds to its product's statistics. The change of the license is counted at the first attempt of a delivery. The
 * result of the delivery is counted at its end. If a redelivery ends with another result, the new result replaces the old one in the
 * statistics.
 */

type EndStatus = Exclude<DeliveryStatus, 'pending'>;

type Happening = 'issued' | 'renewed' | 'activations';
/** The statistic in which each event is counted. The results of deliveries are counted separately. */
const happenings: { readonly [event in DeliveryRecord['event']]?: Happening } = {
  'license.created': 'issued',
  'license.renewed': 'renewed',
  'license.activated': 'activations',
};

export interface Tally {
  /** What is added to the statistics of the day on which the event was recorded. A mail is counted only if it failed. */
  readonly day: Partial<Readonly<Record<EndStatus | 'mails_failed', number>>>;
  /** The change that is counted, and its time in epoch ms. The time of an imported license or device is earlier than that of its event. */
  readonly happened?: { readonly what: Happening; readonly at: number };
  /** The license's type, its new status and its previous status. `fromTypeId` is the previous type, if the type changed. */
  readonly license?: {
    readonly typeId: number;
    readonly fromTypeId?: number;
    readonly from?: LicenseStatus | undefined;
    readonly to: LicenseStatus;
  };
  /** Fields for the event's row, so that the event is not counted twice. */
  readonly counted: { readonly counted: true; readonly outcome?: EndStatus | undefined };
}

interface Payload {
  readonly data: {
    readonly license?: { readonly status: LicenseStatus; readonly created_at: string; readonly license_type: { readonly id: number } };
    readonly device?: { readonly activated_at: string };
  };
}

const payloadOf = (body: string): Payload['data'] => (JSON.parse(body) as Payload).data;

/** The time at which the change of an event happened, in epoch ms. */
function happenedAt({ event, body, created_at }: DeliveryRecord): number {
  if (body === undefined || event === 'license.renewed') return created_at;
  const { license, device } = payloadOf(body);
  const time = event === 'license.created' ? license?.created_at : device?.activated_at;
  return time === undefined ? created_at : Date.parse(time);
}

function licenseOf({ event, previous_status: from, previous_type_id: fromTypeId, body }: DeliveryRecord): Tally['license'] {
  if (body === undefined || (event !== 'license.created' && from === undefined)) return undefined;
  const { license } = payloadOf(body);
  return license && { typeId: license.license_type.id, ...(fromTypeId !== undefined && { fromTypeId }), from, to: license.status };
}

/** The tally of a delivery after an attempt. If the payload is unreadable, the license's change is not counted. */
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
    day: ended ? { ...(outcome && { [outcome]: -1 }), [ended]: 1 } : {},
    ...(happening && { happened: { what: happening, at: happenedAt(delivery) } }),
    ...(license && { license }),
    counted: { counted: true, outcome: ended ?? outcome },
  };
}
