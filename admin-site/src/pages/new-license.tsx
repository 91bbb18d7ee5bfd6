import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { License, LicenseType } from '../api';
import { duration, expiry, typeCoverage } from '../format';
import { useChange } from '../queries/change';
import { numbersOfProducts } from '../queries/overview';
import { go, href } from '../router';
import { plural, t, T } from '../texts';
import { CopyButton } from '../ui/copy-button';
import { Dialog, DialogActions, DialogForm } from '../ui/dialog';
import { FeaturesField, featuresIn } from '../ui/features-field';
import type { MeterInput } from '../ui/meters-field';
import { NumberField } from '../ui/number-field';
import { Stack } from '../ui/page';
import { useFields } from '../ui/use-fields';
import { MailLanguage } from './mail-language';
import { MailKey, useMailsKeys } from './mail-key';
import { metadataIn } from './metadata';
import { MetadataField, NameFields } from './metadata-fields';
import { OfferedTypes } from './offered-types';
import { OwnLimits, OwnMeters, ownTermsIn } from './own-terms';
import classes from './new-license.module.css';

function termsOf(type: LicenseType): string {
  const { duration_days: days, max_seats: seats, starts } = type;
  const lasts =
    days === null
      ? t('Never expires')
      : starts === 'activation'
        ? t('Valid for {duration} from the first activation', { duration: duration(days) })
        : t('Valid for {duration}', { duration: duration(days) });
  const isLimited = type.updates_days !== null || type.max_major !== null;
  return `${lasts}, ${seats === 0 ? t('unlimited seats') : plural(seats, '{count} seat', '{count} seats')}.${isLimited ? ` ${typeCoverage(type)}.` : ''}`;
}

/** Shows the key of the license that was just issued. */
function Issued({
  license,
  isMailed,
  onAnother,
  onClose,
}: {
  license: License;
  isMailed: boolean;
  onAnother: () => void;
  onClose: () => void;
}) {
  return (
    <Stack>
      <p>
        {license.customer_email === null ? (
          t('Send this key to the buyer.')
        ) : isMailed ? (
          <T text="The key is mailed to {address}." values={{ address: <bdi>{license.customer_email}</bdi> }} />
        ) : (
          <T text="Send this key to the buyer, {address}." values={{ address: <bdi>{license.customer_email}</bdi> }} />
        )}{' '}
        {t('It stays readable on the license’s page.')}
      </p>
      <div className={classes['key']}>
        <output data-testid="issued-key">{license.key}</output>
        <CopyButton text={license.key} what={t('license key')} labelled />
      </div>
      <p className={classes['dim']}>{expiry(license).words}.</p>
      <DialogActions>
        <Button variant="default" onClick={onAnother}>
          {t('Issue another')}
        </Button>
        <Button
          onClick={() => {
            onClose();
            go(href(`/licenses/${license.id}`));
          }}
        >
          {t('Open the license')}
        </Button>
      </DialogActions>
    </Stack>
  );
}

const empty = {
  license_type_id: '',
  customer_email: '',
  mail: true,
  language: null as License['language'],
  expires_at: '',
  name: '',
  company: '',
  metadata: '',
  key: '',
  max_seats: '',
  features: '',
  own_limits: false,
  limits: '',
  own_meters: false,
  meters: [] as readonly MeterInput[],
  updates_until: '',
  max_major: '',
};

function Form({ productId, types, onClose }: { productId: number; types: readonly LicenseType[]; onClose: () => void }) {
  const [issued, setIssued] = useState<License>();
  const create = useChange('createLicense', {
    stale: [['licenses', productId], ['overview', productId], ['deliveries', productId], ...numbersOfProducts],
    unseen: ({ key }) => t('Issued the license {key}', { key }),
    onSuccess: setIssued,
  });
  const { values, field, check, change } = useFields(
    { ...empty, license_type_id: String((types.findLast(({ kind }) => kind !== 'trial') ?? types.at(-1))?.id ?? '') },
    create,
  );
  const email = values.customer_email.trim();
  const type = types.find(({ id }) => String(id) === values.license_type_id);
  const mailsKeys = useMailsKeys(productId, type) && email !== '';
  const { value = {}, problem } = metadataIn(values);
  const { limits, meters } = ownTermsIn(values);

  if (issued) {
    return (
      <Issued
        license={issued}
        isMailed={mailsKeys && values.mail}
        onClose={onClose}
        onAnother={() => {
          setIssued(undefined);
          change({ customer_email: '', name: '', company: '', key: '' });
        }}
      />
    );
  }
  const onSubmit = (): void =>
    create.mutate({
      params: { id: productId },
      body: {
        license_type_id: Number(values.license_type_id),
        ...(email !== '' && { customer_email: email }),
        ...(!values.mail && { mail: false }),
        ...(values.language !== null && { language: values.language }),
        ...(Object.keys(value).length > 0 && { metadata: value }),
        ...(values.key.trim() !== '' && { key: values.key.trim() }),
        ...(values.expires_at !== '' && { expires_at: new Date(values.expires_at).toISOString() }),
        ...(values.max_seats !== '' && { max_seats: Number(values.max_seats) }),
        ...(values.features.trim() !== '' && { features: featuresIn(values.features) }),
        ...(values.updates_until !== '' && { updates_until: new Date(values.updates_until).toISOString() }),
        ...(values.max_major !== '' && { max_major: Number(values.max_major) }),
        ...(limits && { limits }),
        ...(meters && { meters }),
      },
    });
  return (
    <DialogForm
      onSubmit={onSubmit}
      onCancel={onClose}
      submit={t('Issue license')}
      change={create}
      disabled={problem !== undefined || limits === undefined || meters === undefined}
    >
      <NativeSelect
        label={t('License type')}
        {...field('license_type_id')}
        description={type && termsOf(type)}
        data={types.map(({ id, name }) => ({ value: String(id), label: name }))}
        data-autofocus
      />
      <TextInput
        label={t('Buyer’s e-mail (optional)')}
        {...field('customer_email')}
        inputMode="email"
        description={t('Used to find the license. Client apps never see the address.')}
        autoComplete="off"
      />
      <NameFields field={field} />
      <MailLanguage label={t('Language of mails')} {...field('language')} product />
      {mailsKeys && <MailKey to={email} type={type} {...check('mail')} />}
      <TextInput
        label={t('Expires (optional)')}
        {...field('expires_at')}
        type="datetime-local"
        description={t('In your time zone. Replaces the type’s duration.')}
      />
      <MetadataField field={field} />
      <TextInput
        label={t('Existing key (optional)')}
        {...field('key')}
        description={t('A key from another system: 8 to 64 letters, digits and hyphens.')}
        autoComplete="off"
        spellCheck={false}
      />
      <details className={classes['other']}>
        <summary>{t('Terms that differ from the type')}</summary>
        <div className={classes['fields']}>
          <NumberField
            label={t('Seats (optional)')}
            {...field('max_seats')}
            description={t('0 means unlimited.')}
            placeholder={type && (type.max_seats === 0 ? t('Unlimited') : String(type.max_seats))}
          />
          <FeaturesField {...field('features')} />
          <OwnLimits own={check('own_limits')} {...field('limits')} />
          <OwnMeters own={check('own_meters')} {...field('meters')} refusal={create.error} />
          <TextInput
            label={t('Updates until (optional)')}
            {...field('updates_until')}
            type="datetime-local"
            description={t('In your time zone. The license covers all releases until this time.')}
          />
          <NumberField
            label={t('Covers up to major version (optional)')}
            {...field('max_major')}
            placeholder={type?.max_major == null ? '' : String(type.max_major)}
          />
        </div>
      </details>
    </DialogForm>
  );
}

export const NewLicense = ({ productId, opened, onClose }: { productId: number; opened: boolean; onClose: () => void }) => (
  <Dialog title={t('New license')} opened={opened} onClose={onClose}>
    <OfferedTypes productId={productId}>{(types) => <Form productId={productId} types={types} onClose={onClose} />}</OfferedTypes>
  </Dialog>
);
