import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { License, LicenseType } from '../api';
import { duration, expiry, typeCoverage } from '../format';
import { useChange } from '../queries/change';
import { numbersOfProducts } from '../queries/overview';
import { useTypes } from '../queries/products';
import { go, href, Link } from '../router';
import { plural, t, T } from '../texts';
import { CopyButton } from '../ui/copy-button';
import { Dialog, DialogActions, DialogForm } from '../ui/dialog';
import { FeaturesField, featuresIn } from '../ui/features-field';
import { NumberField } from '../ui/number-field';
import { wrongWith } from '../ui/wrong-field';
import { LayersIcon } from '../ui/icons';
import { Stack } from '../ui/page';
import { Empty, Loaded } from '../ui/states';
import { MailLanguage } from './mail-language';
import { MailKey, useMailsKeys } from './mail-key';
import { parseMetadata } from './metadata';
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

function Form({ productId, types, onClose }: { productId: number; types: readonly LicenseType[]; onClose: () => void }) {
  const [issued, setIssued] = useState<License>();
  const [typeId, setTypeId] = useState((types.findLast(({ kind }) => kind !== 'trial') ?? types.at(-1))?.id ?? 0);
  const [email, setEmail] = useState('');
  const [expires, setExpires] = useState('');
  const [metadata, setMetadata] = useState('');
  const [mails, setMails] = useState(true);
  const [language, setLanguage] = useState<License['language']>(null);
  const [key, setKey] = useState('');
  const [seats, setSeats] = useState('');
  const [features, setFeatures] = useState('');
  const [updatesUntil, setUpdatesUntil] = useState('');
  const [major, setMajor] = useState('');
  const create = useChange('createLicense', {
    stale: [['licenses', productId], ['overview', productId], ['deliveries', productId], ...numbersOfProducts],
    unseen: ({ key }) => t('Issued the license {key}', { key }),
    onSuccess: setIssued,
  });
  const type = types.find(({ id }) => id === typeId);
  const mailsKeys = useMailsKeys(productId, type) && email.trim() !== '';
  const { value, problem } = parseMetadata(metadata);

  if (issued) {
    return (
      <Issued
        license={issued}
        isMailed={mailsKeys && mails}
        onClose={onClose}
        onAnother={() => {
          setIssued(undefined);
          setEmail('');
          setKey('');
        }}
      />
    );
  }
  const onSubmit = (): void =>
    create.mutate({
      params: { id: productId },
      body: {
        license_type_id: typeId,
        ...(email.trim() !== '' && { customer_email: email.trim() }),
        ...(!mails && { mail: false }),
        ...(language !== null && { language }),
        ...(value && { metadata: value }),
        ...(key.trim() !== '' && { key: key.trim() }),
        ...(expires !== '' && { expires_at: new Date(expires).toISOString() }),
        ...(seats !== '' && { max_seats: Number(seats) }),
        ...(features.trim() !== '' && { features: featuresIn(features) }),
        ...(updatesUntil !== '' && { updates_until: new Date(updatesUntil).toISOString() }),
        ...(major !== '' && { max_major: Number(major) }),
      },
    });
  return (
    <DialogForm
      onSubmit={onSubmit}
      onCancel={onClose}
      submit={t('Issue license')}
      busy={create.isPending}
      error={create.error}
      fields={['customer_email', 'expires_at', 'metadata', 'key', 'max_seats', 'features', 'updates_until', 'max_major']}
      disabled={problem !== undefined}
    >
      <NativeSelect
        label={t('License type')}
        description={type && termsOf(type)}
        value={String(typeId)}
        onChange={(event) => setTypeId(Number(event.currentTarget.value))}
        data={types.map(({ id, name }) => ({ value: String(id), label: name }))}
        data-autofocus
      />
      <TextInput
        label={t('Buyer’s e-mail (optional)')}
        inputMode="email"
        description={t('Used to find the license. Client apps never see the address.')}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={wrongWith(create.error, 'customer_email')}
        autoComplete="off"
      />
      <MailLanguage label={t('Language of mails')} value={language} onChange={setLanguage} product />
      {mailsKeys && <MailKey to={email.trim()} checked={mails} onChange={setMails} />}
      <TextInput
        label={t('Expires (optional)')}
        type="datetime-local"
        description={t('In your time zone. Replaces the type’s duration.')}
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
        error={wrongWith(create.error, 'expires_at')}
      />
      <Textarea
        label={t('Metadata (optional)')}
        description={t('Any data to store with the license, as JSON.')}
        placeholder='{"order": "A-1001"}'
        value={metadata}
        onChange={(event) => setMetadata(event.currentTarget.value)}
        error={problem ?? wrongWith(create.error, 'metadata')}
        rows={3}
        spellCheck={false}
        classNames={{ input: classes['mono'] ?? '' }}
      />
      <TextInput
        label={t('Existing key (optional)')}
        description={t('A key from another system: 8 to 64 letters, digits and hyphens.')}
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        error={wrongWith(create.error, 'key')}
        autoComplete="off"
        spellCheck={false}
      />
      <details className={classes['other']}>
        <summary>{t('Terms that differ from the type')}</summary>
        <div className={classes['fields']}>
          <NumberField
            label={t('Seats (optional)')}
            description={t('0 means unlimited.')}
            value={seats}
            placeholder={type && (type.max_seats === 0 ? t('Unlimited') : String(type.max_seats))}
            onChange={setSeats}
            error={wrongWith(create.error, 'max_seats')}
          />
          <FeaturesField value={features} onChange={setFeatures} error={wrongWith(create.error, 'features')} />
          <TextInput
            label={t('Updates until (optional)')}
            type="datetime-local"
            description={t('In your time zone. The license covers all releases until this time.')}
            value={updatesUntil}
            onChange={(event) => setUpdatesUntil(event.currentTarget.value)}
            error={wrongWith(create.error, 'updates_until')}
          />
          <NumberField
            label={t('Covers up to major version (optional)')}
            value={major}
            placeholder={type?.max_major == null ? '' : String(type.max_major)}
            onChange={setMajor}
            error={wrongWith(create.error, 'max_major')}
          />
        </div>
      </details>
    </DialogForm>
  );
}

export function NewLicense({ productId, opened, onClose }: { productId: number; opened: boolean; onClose: () => void }) {
  const types = useTypes(productId);
  return (
    <Dialog title={t('New license')} opened={opened} onClose={onClose}>
      <Loaded query={types}>
        {(rows) =>
          rows.every(({ archived }) => archived) ? (
            <Empty
              icon={<LayersIcon size={26} />}
              title={t('Add a license type first')}
              action={<Link to={href(`/products/${productId}/types`)}>{t('Add a license type')}</Link>}
            >
              {t('The type defines how long a license is valid and on how many devices it works.')}
            </Empty>
          ) : (
            <Form productId={productId} types={rows.filter(({ archived }) => !archived)} onClose={onClose} />
          )
        }
      </Loaded>
    </Dialog>
  );
}
