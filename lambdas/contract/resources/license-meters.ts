import * as z from 'zod/mini';
import { checked, documented } from '../schema';
import { timestamp } from '../text';
import { itemName, itemNameRule } from './license-limits';

/** The meters of a license (docs/spec/meters.md, Meters): consumption that the service counts. */

/** The period for which a meter counts: the whole life of the license, a month, or a term of the license. */
export const meterPeriods = ['none', 'month', 'term'] as const;
/** Whether an amount that does not fit into `included` is refused or counted. */
export const overages = ['refuse', 'allow'] as const;

/** The terms of a meter. */
export interface MeterTerms {
  readonly name: string;
  readonly included: number;
  readonly period: (typeof meterPeriods)[number];
  readonly overage: (typeof overages)[number];
  /** Whether apps may give back what they consumed. */
  readonly returnable: boolean;
}

const MAX_METERS = 10;

const included = documented(checked(z.int(), z.minimum(0)), { description: 'The amount that the license includes in each period.' });
const period = documented(z.enum(meterPeriods), {
  description:
    '`none`: the meter counts for the whole life of the license. `month`: it begins again each month, on the day and at the time of `created_at`. `term`: it begins again with each term of the license, such as a paid period.',
});
const overage = documented(z.enum(overages), {
  description: '`refuse` (the default): an amount that does not fit into `included` is refused. `allow`: every amount is counted.',
});
const returnable = documented(z.boolean(), {
  description: 'Whether apps may give back what they consumed; default false. Only for the period `none`.',
});

/** The terms in a fixed order of their fields, so that equal terms have equal JSON. */
export const meterTerms = ({ name, included: amount, period: of, overage: beyond, returnable: isReturnable }: MeterTerms): MeterTerms => ({
  name,
  included: amount,
  period: of,
  overage: beyond,
  returnable: isReturnable,
});

/** The terms of meters as text, such as `exports=100/month/refuse`. */
export const metersText = (meters: readonly MeterTerms[]): string =>
  meters
    .map((meter) => `${meter.name}=${meter.included}/${meter.period}/${meter.overage}${meter.returnable ? '/returnable' : ''}`)
    .join(' ');

/** The meters in a request. They are stored in the order of their names. */
export const meters = documented(
  z.pipe(
    checked(
      z.array(
        checked(
          z.object({
            name: checked(z.string(), z.regex(itemName, { error: itemNameRule })),
            included,
            period,
            overage: z._default(overage, 'refuse'),
            returnable: z._default(returnable, false),
          }),
          z.refine(({ period: of, returnable: isReturnable }) => !isReturnable || of === 'none', {
            path: ['returnable'],
            error: 'can be true only for the period none',
          }),
        ),
      ),
      z.maxLength(MAX_METERS),
      z.refine((all) => new Set(all.map(({ name }) => name)).size === all.length, { error: 'must have distinct names' }),
    ),
    z.transform((all): readonly MeterTerms[] => all.map(meterTerms).sort((a, b) => (a.name < b.name ? -1 : 1))),
  ),
  {
    examples: [[{ name: 'exports', included: 1000, period: 'month', overage: 'allow' }]],
    description: `What the service counts: at most ${MAX_METERS} meters with distinct names.`,
  },
);

/** The terms of meters in a response. */
export const shownMeterTerms = documented(
  z.array(documented(z.object({ name: z.string(), included, period, overage, returnable }), { id: 'MeterTerms' })),
  { description: 'What the service counts, by name.' },
);

const meterFields = {
  meter: documented(z.string(), { description: 'The name of the meter.' }),
  used: documented(checked(z.int(), z.minimum(0)), { description: 'The amount that was consumed in the current period.' }),
  included,
  remaining: documented(checked(z.int(), z.minimum(0)), { description: 'What is left of `included`.' }),
  period,
  resets_at: documented(z.nullable(timestamp), {
    description: 'When the next period begins, if that is known; null: never, or not known.',
  }),
};

/** A meter of a license with its current numbers. */
export const meter = documented(z.object(meterFields), { id: 'Meter' });
/** A meter as operators see it. */
export const adminMeter = documented(z.object({ ...meterFields, overage, returnable }), { id: 'AdminMeter' });

export type MeterView = z.infer<typeof meter>;
export type AdminMeterView = z.infer<typeof adminMeter>;
