import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type License, type LicenseType } from '../api';
import type { RequestOf } from '../routes';
import { json, localTime, updatesWait } from '../format';
import { useMay } from '../permission';
import { licenseKeys, useChange, useTypes } from '../queries';
import { t } from '../texts';
import { Check } from '../ui/check';
import { Dialog, DialogForm } from '../ui/dialog';
import { FeaturesField, featuresIn } from '../ui/features-field';
import { NumberField, numberIn } from '../ui/number-field';
import { Code, Row } from '../ui/page';
import { Loaded } from '../ui/states';
import { wrongWith } from '../ui/wrong-field';
import { MailKey } from './mail-key';
import { MailLanguage } from './mail-language';
import { parseMetadata } from './metadata';
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
  choice,
  onChoice,
  ...field
}: {
  label: string;
  description: string;
  /** The label of the checkbox with which the operator chooses to have no time, such as `Never expires`. */
  none: string;
  choice: TimeChoice;
  onChoice: (choice: TimeChoice) => void;
  error: string | undefined;
}) {
  return (
    <div className={classes['pair']}>
      <TextInput
        {...field}
        type="datetime-local"
        step={1}
        value={choice.none ? '' : choice.text}
        onChange={(event) => onChoice({ ...choice, text: event.currentTarget.value })}
        disabled={choice.none}
      />
      <Check label={none} checked={choice.none} onChange={(is) => onChoice({ ...choice, none: is })} />
    </div>
  );
}

const textOf = (metadata: License['metadata']): string => (Object.keys(metadata).length === 0 ? '' : json(metadata));

/** A form for all fields of a license that can be changed. Only changed fields are sent. */
function Form({ license: present, types, onClose }: { license: License; types: readonly LicenseType[]; onClose: () => void }) {
  const client = useQueryClient();
  // The license with which the form was filled. The page reloads the license while the form is open, but the form must send only the fields
  // that the operator changed.
  const [license, setBase] = useState(present);
  const [theirs, setTheirs] = useState<License>();
  const [checking, setChecking] = useState(false);
  const [unread, setUnread] = useState<Error | null>(null);
  const revoked = license.status === 'revoked';
  const waits = updatesWait(license);
  const [email, setEmail] = useState(license.customer_email ?? '');
  const [language, setLanguage] = useState(license.language);
  const [typeId, setTypeId] = useState(license.license_type.id);
  const [expires, setExpires] = useState(() => choiceOf(license.expires_at));
  const [updates, setUpdates] = useState(() => choiceOf(license.updates.until));
  const [major, setMajor] = useState(license.updates.max_major === null ? '' : String(license.updates.max_major));
  const [seats, setSeats] = useState(license.seats.max === 0 ? '' : String(license.seats.max));
  const [unlimited, setUnlimited] = useState(license.seats.max === 0);
  const [features, setFeatures] = useState(license.features.join(' '));
  const text = textOf(license.metadata);
  const [metadata, setMetadata] = useState(text);
  const { value, problem } = parseMetadata(metadata);
  const [mails, setMails] = useState(false);
  const may = useMay();
  const mailKey = useChange('mailLicense', {
    stale: [
      ['license-events', license.id],
      ['deliveries', license.product_id],
    ],
    done: () => t('The key will be mailed to {address}', { address: email.trim() }),
  });
  const update = useChange('updateLicense', {
    stale: licenseKeys(license),
    done: () => t('Changed the license'),
    onSuccess: () => {
      onClose();
      if (mails && isNewAddress) mailKey.mutate({ params: { id: license.id } });
    },
  });
  const isNewAddress = email.trim() !== '' && email.trim() !== (license.customer_email ?? '') && may('mailLicense');

  const expiry = chosenTime(expires, license.expires_at);
  const updatesUntil = chosenTime(updates, license.updates.until);
  const maxMajor = numberIn(major) ?? null;
  const maxSeats = unlimited ? 0 : numberIn(seats);
  const names = featuresIn(features);
  const changes: Changes = {
    ...(email.trim() !== (license.customer_email ?? '') && { customer_email: email.trim() === '' ? null : email.trim() }),
    ...(language !== license.language && { language }),
    ...(metadata !== text && problem === undefined && { metadata: value ?? {} }),
    ...(!revoked && typeId !== license.license_type.id && { license_type_id: typeId }),
    ...(!revoked && expiry !== undefined && expiry !== license.expires_at && { expires_at: expiry }),
    ...(!revoked && updatesUntil !== undefined && updatesUntil !== license.updates.until && { updates_until: updatesUntil }),
    ...(!revoked && maxMajor !== license.updates.max_major && { max_major: maxMajor }),
    ...(!revoked && maxSeats !== undefined && maxSeats !== license.seats.max && { max_seats: maxSeats }),
    ...(!revoked && names.join(' ') !== license.features.join(' ') && { features: names }),
  };
  /** True if somebody else has changed the metadata. Saving replaces all metadata, so the other change would be lost. */
  const isOvertaken = async (): Promise<boolean> => {
    const now = await client.fetchQuery({
      queryKey: ['license', license.id],
      queryFn: ({ signal }) => call('getLicense', { params: { id: license.id } }, { signal }),
      staleTime: 0,
    });
    const overtaken = json(now.metadata) !== json(license.metadata);
    if (overtaken) setTheirs(now);
    return overtaken;
  };
  const onSubmit = async (): Promise<void> => {
    setUnread(null);
    setChecking(true);
    try {
      if (changes.metadata === undefined || !(await isOvertaken())) update.mutate({ params: { id: license.id }, body: changes });
    } catch (error) {
      setUnread(error instanceof Error ? error : new Error(String(error)));
    } finally {
      setChecking(false);
    }
  };
  const decide = (text: string): void => {
    if (theirs) setBase({ ...license, metadata: theirs.metadata });
    setMetadata(text);
    setTheirs(undefined);
  };
  return (
    <DialogForm
      onSubmit={() => void onSubmit()}
      onCancel={onClose}
      submit={t('Save changes')}
      busy={checking || update.isPending}
      error={unread ?? update.error}
      fields={['customer_email', 'metadata', 'expires_at', 'updates_until', 'max_major', 'max_seats', 'features']}
      disabled={
        theirs !== undefined ||
        Object.keys(changes).length === 0 ||
        problem !== undefined ||
        expiry === undefined ||
        updatesUntil === undefined ||
        maxSeats === undefined
      }
    >
      <TextInput
        label={t('Buyer’s e-mail')}
        inputMode="email"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
        error={wrongWith(update.error, 'customer_email')}
        autoComplete="off"
        data-autofocus
      />
      {isNewAddress && <MailKey to={email.trim()} checked={mails} onChange={setMails} />}
      <MailLanguage label={t('Language of mails')} value={language} onLanguage={setLanguage} product />
      {!revoked && (
        <>
          <NativeSelect
            label={t('License type')}
            description={
              typeId === license.license_type.id
                ? undefined
                : t('The new type’s terms apply from now on. Seats and features that were set for this license stay.')
            }
            value={String(typeId)}
            onChange={(event) => setTypeId(Number(event.currentTarget.value))}
            data={types
              .filter(({ id, archived }) => !archived || id === license.license_type.id)
              .map(({ id, name }) => ({ value: String(id), label: name }))}
          />
          <TimeOrNone
            label={t('Expires')}
            description={t('In your time zone. The time may be in the past or in the future.')}
            none={license.term === null ? t('Never expires') : t('Starts with the first activation')}
            choice={expires}
            onChoice={setExpires}
            error={wrongWith(update.error, 'expires_at')}
          />
          <TimeOrNone
            label={t('Updates until')}
            description={t('The license covers all releases until this time. It stays valid afterwards.')}
            none={waits ? t('Starts with the first activation') : t('No date')}
            choice={updates}
            onChoice={setUpdates}
            error={wrongWith(update.error, 'updates_until')}
          />
          <NumberField
            label={t('Covers up to major version')}
            description={t('The releases until the date above are covered too. If this field is empty, the major version does not matter.')}
            value={major}
            onValue={setMajor}
            error={wrongWith(update.error, 'max_major')}
          />
          <div className={classes['pair']}>
            <NumberField
              label={t('Seats')}
              description={
                maxSeats !== undefined && maxSeats > 0 && maxSeats < license.seats.used
                  ? t('All activated devices keep their seats. New devices can activate only after enough seats are free.')
                  : t('Maximum number of devices at the same time.')
              }
              value={unlimited ? '' : seats}
              placeholder={unlimited ? t('Unlimited') : ''}
              onValue={setSeats}
              disabled={unlimited}
              error={wrongWith(update.error, 'max_seats')}
            />
            <Check label={t('Unlimited seats')} checked={unlimited} onChange={setUnlimited} />
          </div>
          <FeaturesField value={features} onValue={setFeatures} error={wrongWith(update.error, 'features')} />
        </>
      )}
      <Textarea
        label={t('Metadata')}
        description={t('JSON. It replaces all existing metadata.')}
        value={metadata}
        onChange={(event) => setMetadata(event.currentTarget.value)}
        error={problem ?? wrongWith(update.error, 'metadata')}
        rows={4}
        spellCheck={false}
        classNames={{ input: classes['mono'] ?? '' }}
      />
      {theirs && (
        <div className={classes['conflict']} role="alert">
          <strong>{t('The metadata was changed in the meantime. The new metadata:')}</strong>
          <Code label={t('The present metadata')}>{json(theirs.metadata)}</Code>
          <Row>
            <Button size="xs" variant="default" onClick={() => decide(textOf(theirs.metadata))}>
              {t('Take this version')}
            </Button>
            <Button size="xs" variant="default" onClick={() => decide(metadata)}>
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
  return (
    <Dialog title={t('Edit this license')} opened={opened} onClose={onClose} size="lg">
      <Loaded query={types}>{(rows) => <Form license={license} types={rows} onClose={onClose} />}</Loaded>
    </Dialog>
  );
}
