import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Device, License } from '../api';
import { number, plural } from '../format';
import { licenseKeys, useChange, useProduct } from '../queries';
import { CopyButton } from '../ui/copy-button';
import { Dialog, DialogForm } from '../ui/dialog';
import { PlatformIcon, SeatIcon } from '../ui/icons';
import { Panel } from '../ui/page';
import { Empty } from '../ui/states';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago } from '../ui/time';
import classes from './license.module.css';

const nameOf = ({ name, platform }: Device): string => name || platform || 'Unnamed device';

/** Frees one seat as the machine itself would: with the product's credential. */
function FreeSeat({ license, device, onClose }: { license: License; device: Device; onClose: () => void }) {
  const product = useProduct(license.product_id);
  const free = useChange('deactivate', {
    apiKey: product.data?.api_key,
    stale: licenseKeys(license),
    done: ({ freed }) => (freed ? `Freed the seat of ${nameOf(device)}` : 'The seat was free already'),
    onSuccess: onClose,
  });
  const onSubmit = (): void => free.mutate({ params: { id: license.product_id }, body: { key: license.key, fingerprint: device.fingerprint } });
  return (
    <DialogForm onSubmit={onSubmit} onCancel={onClose} submit="Free the seat" danger busy={free.isPending} error={free.error} disabled={!product.data}>
      <p>
        <strong>
          <bdi>{nameOf(device)}</bdi>
        </strong>{' '}
        is unbound from the license, and another machine can take its seat. A token that it holds works until it runs out; the machine can activate again while a seat is free.
      </p>
    </DialogForm>
  );
}

export function Devices({ license }: { license: License }) {
  const { activations } = license;
  const [chosen, setChosen] = useState<Device>();
  const hidden = license.seats.used - activations.length;
  return (
    <Panel title="Devices" note={activations.length > 0 && `${plural(license.seats.used, 'machine')} bound to this license${hidden > 0 ? `; the first ${number(activations.length)} are shown` : ''}.`}>
      {activations.length === 0 ? (
        <Empty icon={<SeatIcon size={26} />} title="No device uses this license">
          A machine appears here when an app activates the key on it.
        </Empty>
      ) : (
        <Table
          label="Devices"
          items={activations}
          id={({ fingerprint }) => fingerprint}
          columns={[
            {
              name: 'Device',
              cell: (device) => (
                <span className={classes['device']}>
                  <PlatformIcon platform={device.platform} />
                  <Name>{nameOf(device)}</Name>
                </span>
              ),
            },
            { name: 'Platform', cell: ({ platform }) => (platform === '' ? <span className={tableClasses['dim']}>Not said</span> : <Name>{platform}</Name>) },
            {
              name: 'Fingerprint',
              cell: ({ fingerprint }) => (
                <span className={classes['fingerprint']}>
                  <code title={fingerprint}>{fingerprint.length > 16 ? `${fingerprint.slice(0, 12)}…` : fingerprint}</code>
                  <CopyButton text={fingerprint} what="fingerprint" />
                </span>
              ),
            },
            { name: 'Bound', cell: ({ activated_at: at }) => <Ago at={at} /> },
            {
              name: 'Action',
              nameless: true,
              right: true,
              cell: (device) => (
                <Button variant="default" size="xs" onClick={() => setChosen(device)} aria-label={`Free seat of ${nameOf(device)}`}>
                  Free seat
                </Button>
              ),
            },
          ]}
        />
      )}
      <Dialog title="Free this seat?" opened={chosen !== undefined} onClose={() => setChosen(undefined)}>
        {chosen && <FreeSeat license={license} device={chosen} onClose={() => setChosen(undefined)} />}
      </Dialog>
    </Panel>
  );
}
