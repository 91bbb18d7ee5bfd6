import type { ReactNode } from 'react';
import { limitsIn, limitsText } from '../../../lambdas/contract/resources/limits-text';
import type { License, LicenseType } from '../api';
import { t } from '../texts';
import { Check } from '../ui/check';
import { LimitsField } from '../ui/limits-field';
import { meterInputs, MetersField, metersIn, type MeterInput } from '../ui/meters-field';
import type { Field } from '../ui/use-fields';
import classes from './own-terms.module.css';

/** The limits and meters of a license, which are its own or those of its license type. */

/** The values of the fields. */
export type OwnTerms = { own_limits: boolean; limits: string; own_meters: boolean; meters: readonly MeterInput[] };

/** The values for terms. @param own which of the terms replace those of the license type */
export const ownTermsOf = ({ limits, meters }: Pick<LicenseType, 'limits' | 'meters'>, own: License['own_terms']): OwnTerms => ({
  own_limits: own.includes('limits'),
  limits: limitsText(limits),
  own_meters: own.includes('meters'),
  meters: meterInputs(meters),
});

/** The values as a part of a request. A value that is incomplete or not valid is undefined. */
export const ownTermsIn = ({ own_limits: ownLimits, limits, own_meters: ownMeters, meters }: OwnTerms) => ({
  limits: ownLimits ? limitsIn(limits) : null,
  meters: ownMeters ? metersIn(meters) : null,
});

interface Box {
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

const Own = ({ label, note, own, children }: { label: string; note: string; own: Box; children: ReactNode }) => (
  <div className={classes['own']}>
    <Check label={label} note={note} {...own} />
    {own.checked && children}
  </div>
);

/** A box for own limits, and their field. */
export const OwnLimits = ({ own, ...field }: { own: Box } & Field<string>) => (
  <Own label={t('Own limits')} note={t('They replace all limits of the license type.')} own={own}>
    <LimitsField {...field} />
  </Own>
);

/** A box for own meters, and their fields. */
export const OwnMeters = ({ own, ...field }: { own: Box; refusal: Error | null } & Field<readonly MeterInput[]>) => (
  <Own label={t('Own meters')} note={t('They replace all meters of the license type.')} own={own}>
    <MetersField {...field} />
  </Own>
);
