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

/** What a buyer may ask for: all that is stored about an address, and its erasure. */

type Export = ResponseOf<'exportCustomer'>;

/** All pages of the export as one document. */
async function exportAll(email: string): Promise<Omit<Export, 'next'>> {
  let all: Omit<Export, 'next'> = { customer_email: email, licenses: [], events: [], payments: [] };
  let cursor: string | null = null;
  do {
    const page: Export = await call('exportCustomer', { body: { customer_email: email, ...(cursor !== null && { cursor }) } });
    all = {
      ...all,
      licenses: [...all.licenses, ...page.licenses],
      events: [...all.events, ...page.events],
      payments: [...all.payments, ...page.payments],
      ...(page.unreadable !== undefined && { unreadable: (all.unreadable ?? 0) + page.unreadable }),
    };
    cursor = page.next;
  } while (cursor !== null);
  return all;
}

type Erasure = ResponseOf<'eraseCustomer'>;

/** Goes on until nothing is left, or only events are that are delivered first. */
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
        pending > 0 ? ` ${plural(pending, 'event')} will be delivered first.` : complete ? '' : ' Some is left: erase again in a minute.';
      toast(`Erased the buyer of ${plural(licenses, 'license')}.${rest}`);
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
        Removes <bdi>{email}</bdi>, the metadata of its licenses, the names of its machines, and the bodies of events, mails and payments
        about them. <strong>This can’t be undone.</strong>
      </p>
      <p>
        Licenses and keys stay valid, but are no longer found by the address. The audit log keeps that this was done, without the address.
      </p>
      <Checkbox
        label="The buyer asked for this, or I may do it"
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
