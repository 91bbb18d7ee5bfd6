import { TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type License } from '../api';
import type { ResponseOf } from '../routes';
import { download, exportName } from '../download';
import { useLicensesOfBuyer } from '../queries/buyers';
import { go, href } from '../router';
import { plural, t, T } from '../texts';
import { Act } from '../ui/act';
import { BatchForm } from '../ui/batch';
import { Check } from '../ui/check';
import { Dialog, DialogForm } from '../ui/dialog';
import { localChange } from '../ui/form';
import { DownloadIcon, EditIcon, MailIcon, TrashIcon } from '../ui/icons';
import { Row } from '../ui/page';
import { Loaded } from '../ui/states';
import { toast, toastFailure } from '../ui/toast';
import { useFields } from '../ui/use-fields';

/** Actions for all licenses of a buyer: send the keys by mail, change the e-mail address, export or erase all data. */

type Export = ResponseOf<'exportCustomer'>;

/** Reads all pages of the export, and joins them into one document. */
async function exportAll(email: string): Promise<Omit<Export, 'next'>> {
  let all: Omit<Export, 'next'> = {
    customer_email: email,
    licenses: [],
    notes: [],
    meters: [],
    refusals: [],
    events: [],
    orders: [],
    payments: [],
    memberships: [],
  };
  let cursor: string | null = null;
  do {
    const page: Export = await call('exportCustomer', { body: { customer_email: email, ...(cursor !== null && { cursor }) } });
    all = {
      ...all,
      licenses: [...all.licenses, ...page.licenses],
      notes: [...all.notes, ...page.notes],
      meters: [...all.meters, ...page.meters],
      refusals: [...all.refusals, ...page.refusals],
      events: [...all.events, ...page.events],
      orders: [...all.orders, ...page.orders],
      payments: [...all.payments, ...page.payments],
      memberships: [...all.memberships, ...page.memberships],
      ...(page.unreadable !== undefined && { unreadable: (all.unreadable ?? 0) + page.unreadable }),
    };
    cursor = page.next;
  } while (cursor !== null);
  return all;
}

type Erasure = ResponseOf<'eraseCustomer'>;

/**
 * Repeats the erasure until no data is left. Stops earlier if the remaining data can be erased only after the delivery of events, or if a
 * request erases nothing from any license.
 */
async function eraseAll(email: string): Promise<Erasure> {
  let licenses = 0;
  for (;;) {
    const done: Erasure = await call('eraseCustomer', { body: { customer_email: email } });
    licenses += done.licenses;
    if (done.complete || done.pending_events > 0 || done.licenses === 0) return { ...done, licenses };
  }
}

interface Props {
  readonly email: string;
  readonly onClose: () => void;
}

function Erase({ email, onClose }: Props) {
  const client = useQueryClient();
  const [isSure, setSure] = useState(false);
  const erase = useMutation({
    mutationFn: () => eraseAll(email),
    onSuccess: async ({ licenses, pending_events: pending, complete }) => {
      await client.invalidateQueries();
      const erased = plural(licenses, 'Erased the buyer’s data of {count} license.', 'Erased the buyer’s data of {count} licenses.');
      const rest =
        pending > 0
          ? plural(pending, '{count} event must be delivered first.', '{count} events must be delivered first.')
          : complete
            ? ''
            : t('Some data is left: erase again in a minute.');
      toast(`${erased} ${rest}`.trim());
      onClose();
    },
  });
  return (
    <DialogForm
      onSubmit={() => erase.mutate()}
      onCancel={onClose}
      submit={t('Erase')}
      danger
      disabled={!isSure}
      change={{ ...erase, call: 'eraseCustomer' }}
    >
      <p>
        <T
          text="Removes {email}, the metadata of the buyer’s licenses, the names of their devices, and the bodies of events, mails and payments about the licenses."
          values={{ email: <bdi>{email}</bdi> }}
        />{' '}
        <strong>{t('This can’t be undone.')}</strong>
      </p>
      <p>
        {t(
          'Licenses and keys stay valid, but can no longer be found by the address. The audit log records the erasure without the address.',
        )}
      </p>
      <Check label={t('The buyer asked for this, or I am otherwise allowed to do it')} checked={isSure} onChange={setSure} />
    </DialogForm>
  );
}

const keyOf = ({ key }: License): string => key;
/** The beginning of every query key. */
const EVERYTHING = [[]] as const;

function ChangeAddress({ email, onClose }: Props) {
  const query = useLicensesOfBuyer(email);
  const { values, field } = useFields({ customer_email: '' }, localChange);
  const wanted = values.customer_email.trim();
  return (
    <Loaded query={query} lines={3}>
      {(licenses) => (
        <BatchForm
          call="updateLicense"
          items={licenses}
          nameOf={keyOf}
          run={async ({ id }) => {
            const { customer_email: now } = await call('updateLicense', { params: { id }, body: { customer_email: wanted } });
            return now === null ? t('has no buyer now') : t('now belongs to {address}', { address: now });
          }}
          stale={EVERYTHING}
          submit={plural(licenses.length, 'Change the address of {count} license', 'Change the address of {count} licenses')}
          disabled={!wanted.includes('@') || wanted === email}
          onClose={(hasRun) => {
            onClose();
            if (hasRun) go(href('/find', { q: wanted, all: '1' }));
          }}
        >
          <TextInput
            label={t('New e-mail')}
            inputMode="email"
            description={t('Replaces the address on all licenses of all products. Later mails go to the new address.')}
            {...field('customer_email')}
            autoComplete="off"
            data-autofocus
          />
          <p>
            <T
              text="Orders and payments stay with the previous address: open an order from its license, or search the orders of a product for {email}."
              values={{ email: <bdi>{email}</bdi> }}
            />
          </p>
        </BatchForm>
      )}
    </Loaded>
  );
}

function MailKeys({ email, onClose }: Props) {
  const query = useLicensesOfBuyer(email);
  return (
    <Loaded query={query} lines={3}>
      {(all) => {
        const licenses = all.filter(({ status }) => status !== 'revoked');
        return (
          <BatchForm
            call="mailLicense"
            items={licenses}
            nameOf={keyOf}
            run={async ({ id }) => {
              await call('mailLicense', { params: { id } });
              return t('mailed');
            }}
            stale={EVERYTHING}
            submit={plural(licenses.length, 'Mail the key of {count} license', 'Mail the keys of {count} licenses')}
            onClose={onClose}
          >
            <p>
              <T text="Sends {email} a mail for each license that is not revoked." values={{ email: <bdi>{email}</bdi> }} />
            </p>
          </BatchForm>
        );
      }}
    </Loaded>
  );
}

export function BuyerActions({ email, hasLicenses }: { email: string; hasLicenses: boolean }) {
  const [erasing, setErasing] = useState(false);
  const [doing, setDoing] = useState<'address' | 'mail'>();
  const exporting = useMutation({
    mutationFn: () => exportAll(email),
    onSuccess: (all) => download(exportName('buyer', 'json'), JSON.stringify(all, null, 2), 'application/json'),
    onError: (error) => toastFailure(error.message),
  });
  return (
    <Row>
      {hasLicenses && (
        <Act call="mailLicense" Icon={MailIcon} onClick={() => setDoing('mail')}>
          {t('Mail all keys')}
        </Act>
      )}
      {hasLicenses && (
        <Act call="updateLicense" Icon={EditIcon} onClick={() => setDoing('address')}>
          {t('Change address')}
        </Act>
      )}
      <Act call="exportCustomer" Icon={DownloadIcon} loading={exporting.isPending} onClick={() => exporting.mutate()}>
        {t('Export data')}
      </Act>
      <Act call="eraseCustomer" color="red" Icon={TrashIcon} onClick={() => setErasing(true)}>
        {t('Erase data')}
      </Act>
      <Dialog title={t('Mail all keys')} opened={doing === 'mail'} onClose={() => setDoing(undefined)} size="lg">
        <MailKeys email={email} onClose={() => setDoing(undefined)} />
      </Dialog>
      <Dialog title={t('Change the address everywhere')} opened={doing === 'address'} onClose={() => setDoing(undefined)} size="lg">
        <ChangeAddress email={email} onClose={() => setDoing(undefined)} />
      </Dialog>
      <Dialog title={t('Erase this buyer’s data?')} opened={erasing} onClose={() => setErasing(false)}>
        <Erase email={email} onClose={() => setErasing(false)} />
      </Dialog>
    </Row>
  );
}
