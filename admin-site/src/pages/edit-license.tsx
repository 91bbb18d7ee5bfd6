import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type License, type LicenseType, type Meter } from '../api';
import type { RequestOf } from '../routes';
import { json, localTime, updatesWait } from '../format';
import { useMay } from '../permission';
import { useChange } from '../queries/change';
import { licenseKeys, useMeters } from '../queries/licenses';
import { useTypes } from '../queries/products';
import { t } from '../texts';
import { Check } from '../ui/check';
import { Dialog, DialogForm } from '../ui/dialog';
import { FeaturesField, featuresIn } from '../ui/features-field';
import { NumberField, numberIn } from '../ui/number-field';
import { Code, Row } from '../ui/page';
import { Loaded } from '../ui/states';
import { useFields, type Field } from '../ui/use-fields';
import { changedFields } from './changed-fields';
import { MailKey } from './mail-key';
import { MailLanguage } from './mail-language';
import { metadataIn, metadataInput, type MetadataInput } from './metadata';
import { MetadataField, NameFields } from './metadata-fields';
import { OwnLimits, OwnMeters, ownTermsIn, ownTermsOf } from './own-terms';
import classes from './edit-license.module.css';

type Changes = RequestOf<'updateLicense'>['body'];

/** The operator's input for an optional time of a license, such as its expiry. */
interface TimeChoice {
  readonly none: boolean;
  /** The value of a `datetime-local` field. */
  readonly text: string;
}

const choiceOf = (at: string | null): TimeChoice => ({ none: at === null, text: at === null ? '' : localTime(at) });

/** The chosen time; undefined if the input is incomplete. Unchanged input returns `present`, because the field omits milliseconds. */
function chosenTime({ none, text }: TimeChoice, present: string | null): string | null | undefined {
  if (none) return null;
  if (text === '') return undefined;
  return text === choiceOf(present).text ? present : new Date(text).toISOString();
}

function TimeOrNone({
  none,
  value,
  onChange,
  ...field
}: {
  label: string;
  description: string;
  /** The label of the checkbox with which the operator chooses to have no time, such as `Never expires`. */
  none: string;
} & Field<TimeChoice>) {
  return (
    <div className={classes['pair']}>
      <TextInput
        {...field}
        type="datetime-local"
        step={1}
        value={value.none ? '' : value.text}
        onChange={(event) => onChange({ ...value, text: event.currentTarget.value })}
        disabled={value.none}
      />
      <Check label={none} checked={value.none} onChange={(is) => onChange({ ...value, none: is })} />
    </div>
  );
}

const valuesOf = (license: License, meters: readonly Meter[]) => ({
  customer_email: license.customer_email ?? '',
  mail: false,
  language: license.language,
  license_type_id: String(license.license_type.id),
  expires_at: choiceOf(license.expires_at),
  updates_until: choiceOf(license.updates.until),
  max_major: String(license.updates.max_major ?? ''),
  seats_of_type: !license.own_terms.includes('max_seats'),
  max_seats: license.seats.max === 0 ? '' : String(license.seats.max),
  unlimited: license.seats.max === 0,
  features_of_type: !license.own_terms.includes('features'),
  features: license.features.join(' '),
  ...ownTermsOf({ limits: license.limits, meters: meters.map(({ meter, ...terms }) => ({ ...terms, name: meter })) }, license.own_terms),
  ...metadataInput(license.metadata),
});

/** The input as a request. A value that is incomplete or not valid is undefined. */
function bodyOf(values: ReturnType<typeof valuesOf>, { status, expires_at: expiry, updates }: License): Changes {
  return {
    customer_email: values.customer_email.trim() || null,
    language: values.language,
    metadata: metadataIn(values).value,
    ...(status !== 'revoked' && {
      license_type_id: Number(values.license_type_id),
      expires_at: chosenTime(values.expires_at, expiry),
      updates_until: chosenTime(values.updates_until, updates.until),
      max_major: numberIn(values.max_major) ?? null,
      max_seats: values.seats_of_type ? null : values.unlimited ? 0 : numberIn(values.max_seats),
      features: values.features_of_type ? null : featuresIn(values.features),
      ...ownTermsIn(values),
    }),
  };
}

/** Somebody else has changed the metadata. A request replaces all metadata, so it would undo the other change. */
class Overtaken extends Error {
  constructor(readonly metadata: License['metadata']) {
    super(t('The metadata was changed in the meantime. The new metadata:'));
  }
}

/** A form for all fields of a license that can be changed. Only changed fields are sent. */
function Form({
  license: present,
  meters: presentMeters,
  types,
  onClose,
}: {
  license: License;
  meters: readonly Meter[];
  types: readonly LicenseType[];
  onClose: () => void;
}) {
  const client = useQueryClient();
  const may = useMay();
  // The license with which the form was filled. The page reloads the license while the form is open, but the form must send only the fields
  // that the operator changed.
  const [license, setBase] = useState(present);
  const [meters] = useState(presentMeters);
  const { id } = license;
  const mailKey = useChange('mailLicense', {
    stale: [
      ['license-events', id],
      ['deliveries', license.product_id],
    ],
    done: () => t('The key will be mailed to {address}', { address }),
  });
  const update = useChange('updateLicense', {
    stale: licenseKeys(license),
    done: () => t('Changed the license'),
    onSuccess: () => {
      onClose();
      if (values.mail && isNewAddress) mailKey.mutate({ params: { id } });
    },
    before: async ({ body }) => {
      if (body.metadata === undefined) return;
      const now = await client.fetchQuery({
        queryKey: ['license', id],
        queryFn: ({ signal }) => call('getLicense', { params: { id } }, { signal }),
        staleTime: 0,
      });
      if (json(now.metadata) !== json(license.metadata)) throw new Overtaken(now.metadata);
    },
  });
  const overtaken = update.error instanceof Overtaken ? update.error : undefined;
  const { values, field, check, change } = useFields(valuesOf(license, meters), { error: overtaken ? null : update.error });
  const address = values.customer_email.trim();
  const isNewAddress = address !== '' && address !== (license.customer_email ?? '') && may('mailLicense');
  const changes = changedFields(bodyOf(valuesOf(license, meters), license), bodyOf(values, license));
  // A license keeps the terms with which its type was sold. Another type brings its present terms.
  const chosen = Number(values.license_type_id);
  const type = chosen === license.license_type.id ? license.license_type : types.find(({ id: one }) => one === chosen);
  const ofType = { seats: type?.max_seats ?? 0, features: type?.features.join(' ') ?? '' };
  const maxSeats = values.seats_of_type ? ofType.seats : values.unlimited ? 0 : Number(values.max_seats);
  const revoked = license.status === 'revoked';
  /** Continues with the metadata of somebody else as the stored metadata, and with `input` as the input. */
  const decide = (input: Partial<MetadataInput>): void => {
    if (overtaken) setBase({ ...license, metadata: overtaken.metadata });
    change(input);
    update.reset();
  };
  return (
    <DialogForm
      onSubmit={() => update.mutate({ params: { id }, body: changes })}
      onCancel={onClose}
      submit={t('Save changes')}
      change={overtaken ? { ...update, error: null } : update}
      disabled={overtaken !== undefined || Object.keys(changes).length === 0 || Object.values(changes).some((value) => value === undefined)}
    >
      <TextInput label={t('Buyer’s e-mail')} {...field('customer_email')} inputMode="email" autoComplete="off" data-autofocus />
      {license.order !== null && license.customer_email !== null && address.toLowerCase() !== license.customer_email.toLowerCase() && (
        <p>{t('The order and its payments stay with the previous address.')}</p>
      )}
      {isNewAddress && <MailKey to={address} type={license.license_type} {...check('mail')} />}
      <NameFields field={field} />
      <MailLanguage label={t('Language of mails')} {...field('language')} product />
      {!revoked && (
        <>
          <NativeSelect
            label={t('License type')}
            {...field('license_type_id')}
            description={
              changes.license_type_id !== undefined &&
              t('The new type’s terms apply from now on. Seats, features, limits and meters that were set for this license stay.')
            }
            data={types
              .filter(({ id: type, archived }) => !archived || type === license.license_type.id)
              .map(({ id: type, name }) => ({ value: String(type), label: name }))}
          />
          <TimeOrNone
            label={t('Expires')}
            {...field('expires_at')}
            description={t('In your time zone. The time may be in the past or in the future.')}
            none={license.term === null ? t('Never expires') : t('Starts with the first activation')}
          />
          <TimeOrNone
            label={t('Updates until')}
            {...field('updates_until')}
            description={t('The license covers all releases until this time. It stays valid afterwards.')}
            none={updatesWait(license) ? t('Starts with the first activation') : t('No date')}
          />
          <NumberField
            label={t('Covers up to major version')}
            {...field('max_major')}
            description={t('The releases until the date above are covered too. If this field is empty, the major version does not matter.')}
          />
          <div className={classes['pair']}>
            <NumberField
              label={t('Seats')}
              {...field('max_seats')}
              value={maxSeats === 0 ? '' : values.seats_of_type ? String(maxSeats) : values.max_seats}
              onChange={(max_seats) => change({ max_seats, seats_of_type: false, unlimited: false })}
              {...(maxSeats === 0 && (values.unlimited || values.seats_of_type) && { placeholder: t('Unlimited') })}
              description={
                maxSeats > 0 && maxSeats < license.seats.used
                  ? t('All activated devices keep their seats. New devices can activate only after enough seats are free.')
                  : license.license_type.binding === 'user'
                    ? t('Maximum number of members.')
                    : t('Maximum number of devices at the same time.')
              }
            />
            <div>
              <Check
                label={t('Unlimited seats')}
                checked={maxSeats === 0 && (values.seats_of_type || values.unlimited)}
                onChange={(unlimited) => change({ unlimited, seats_of_type: false })}
              />
              <Check label={t('Seats of the license type')} {...check('seats_of_type')} />
            </div>
          </div>
          <div className={classes['pair']}>
            <FeaturesField
              {...field('features')}
              value={values.features_of_type ? ofType.features : values.features}
              onChange={(features) => change({ features, features_of_type: false })}
            />
            <Check label={t('Features of the license type')} {...check('features_of_type')} />
          </div>
          <OwnLimits own={check('own_limits')} {...field('limits')} />
          <OwnMeters own={check('own_meters')} {...field('meters')} refusal={update.error} />
        </>
      )}
      <MetadataField field={field} />
      {overtaken && (
        <div className={classes['conflict']} role="alert">
          <strong>{overtaken.message}</strong>
          <Code label={t('The present metadata')}>{json(overtaken.metadata)}</Code>
          <Row>
            <Button size="xs" variant="default" onClick={() => decide(metadataInput(overtaken.metadata))}>
              {t('Take this version')}
            </Button>
            <Button size="xs" variant="default" onClick={() => decide({})}>
              {t('Keep my version, and replace this one')}
            </Button>
          </Row>
        </div>
      )}
    </DialogForm>
  );
}

export function EditLicense({ license, opened, onClose }: { license: License; opened: boolean; onClose: () => void }) {
  const types = useTypes(license.product_id);
  const meters = useMeters(license.id);
  return (
    <Dialog title={t('Edit this license')} opened={opened} onClose={onClose} size="lg">
      <Loaded query={types}>
        {(rows) => (
          <Loaded query={meters}>{(present) => <Form license={license} meters={present} types={rows} onClose={onClose} />}</Loaded>
        )}
      </Loaded>
    </Dialog>
  );
}
