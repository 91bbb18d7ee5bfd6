import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api';
import type { ResponseOf } from '../routes';
import { download } from '../download';
import { plural } from '../format';
import { useMay } from '../permission';
import { Dialog, DialogForm } from '../ui/dialog';
import { DownloadIcon, TrashIcon } from '../ui/icons';
import { Row } from '../ui/page';
import { toast, toastFailure } from '../ui/toast';

/** The requests that a buyer may make: an export of all data about an address, and its erasure. */

type Export = ResponseOf<'exportCustomer'>;

/** Exports all pages as one document. */
async function exportAll(email: string): Promise<Omit<Export, 'next'>> {
  let all: Omit<Export, 'next'> = { customer_email: email, licenses: [], notes: [], refusals: [], events: [], payments: [] };
  let cursor: string | null = null;
  do {
    const page: Export = await call('exportCustomer', { body: { customer_email: email, ...(cursor !== null && { cursor }) } });
    all = {
      ...all,
      licenses: [...all.licenses, ...page.licenses],
      notes: [...all.notes, ...page.notes],
      refusals: [...all.refusals, ...page.refusals],
      events: [...all.events, ...page.events],
      payments: [...all.payments, ...page.payments],
      ...(page.unreadable !== undefined && { unreadable: (all.unreadable ?? 0) + page.unreadable }),
    };
    cursor = page.next;
  } while (cursor !== null);
  return all;
}

type Erasure = ResponseOf<'eraseCustomer'>;

/** Repeats until no data is left, or only data of events that must be delivered first. */
async function eraseAll(email: string): Promise<Erasure> {
  let licenses = 0;
  for (;;) {
    const done: Erasure = await call('eraseCustomer', { body: { customer_email: email } });
    licenses += done.licenses;
    if (done.complete || done.pending_events > 0 || done.licenses === 0) return { ...done, licenses };
  }
}

function Erase({ email, onClose }: { email: string; onClose: () => void }) {
  const client = useQueryClient();
  const [isSure, setSure] = useState(false);
  const erase = useMutation({
    mutationFn: () => eraseAll(email),
    onSuccess: async ({ licenses, pending_events: pending, complete }) => {
      await client.invalidateQueries();
      const rest =
        pending > 0
          ? ` ${plural(pending, 'event')} must be delivered first.`
          : complete
            ? ''
            : ' Some data is left: erase again in a minute.';
      toast(`Erased the buyer’s data of ${plural(licenses, 'license')}.${rest}`);
      onClose();
    },
  });
  return (
    <DialogForm
      onSubmit={() => erase.mutate()}
      onCancel={onClose}
      submit="Erase"
      danger
      disabled={!isSure}
      busy={erase.isPending}
      error={erase.error}
    >
      <p>
        Removes <bdi>{email}</bdi>, the metadata of the buyer’s licenses, the names of their devices, and the bodies of events, mails and
        payments about them. <strong>This can’t be undone.</strong>
      </p>
      <p>Licenses and keys stay valid, but can no longer be found by the address. The audit log records the erasure without the address.</p>
      <Checkbox
        label="The buyer asked for this, or I am otherwise allowed to do it"
        checked={isSure}
        onChange={(event) => setSure(event.currentTarget.checked)}
      />
    </DialogForm>
  );
}

export function BuyerActions({ email }: { email: string }) {
  const [erasing, setErasing] = useState(false);
  const may = useMay();
  const exporting = useMutation({
    mutationFn: () => exportAll(email),
    onSuccess: (all) => download('buyer.json', JSON.stringify(all, null, 2), 'application/json'),
    onError: (error) => toastFailure(error.message),
  });
  return (
    <Row>
      {may('exportCustomer') && (
        <Button variant="default" leftSection={<DownloadIcon size={16} />} loading={exporting.isPending} onClick={() => exporting.mutate()}>
          Export data
        </Button>
      )}
      {may('eraseCustomer') && (
        <Button variant="default" color="red" leftSection={<TrashIcon size={16} />} onClick={() => setErasing(true)}>
          Erase data
        </Button>
      )}
      <Dialog title="Erase this buyer’s data?" opened={erasing} onClose={() => setErasing(false)}>
        <Erase email={email} onClose={() => setErasing(false)} />
      </Dialog>
    </Row>
  );
}
