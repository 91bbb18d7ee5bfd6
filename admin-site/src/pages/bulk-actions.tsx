import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, newIdempotencyKey, type License } from '../api';
import { licenseColumns } from '../../../lambdas/contract/license-columns';
import { csvLine } from '../../../lambdas/domain/csv';
import { download } from '../download';
import { date, number, plural } from '../format';
import { May } from '../permission';
import { MAX_CHOSEN } from '../queries';
import { BatchResults, useBatch } from '../ui/batch';
import { Dialog, DialogForm } from '../ui/dialog';
import { ClockIcon, DownloadIcon, PauseIcon, PlayIcon, RefreshIcon, StopIcon } from '../ui/icons';
import { NumberField, numberIn } from '../ui/number-field';
import { toastFailure } from '../ui/toast';
import classes from './bulk-actions.module.css';

/** Actions on several licenses at once, with a result for each. */

type Action = 'renew' | 'suspend' | 'reinstate' | 'reset' | 'revoke';

const titles: Readonly<Record<Action, string>> = {
  renew: 'Renew the selected licenses',
  suspend: 'Suspend the selected licenses?',
  reinstate: 'Reinstate the selected licenses?',
  reset: 'Free all seats of the selected licenses?',
  revoke: 'Revoke the selected licenses?',
};

function Run({
  action,
  licenses,
  productId,
  onClose,
}: {
  action: Action;
  licenses: readonly License[];
  productId: number;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [days, setDays] = useState('30');
  // With the same key, repeating a renewal whose response was lost does not renew twice.
  const [keys] = useState(() => new Map(licenses.map(({ id }) => [id, newIdempotencyKey()])));
  const batch = useBatch<License, string>(
    async ({ id }) => {
      const params = { id };
      if (action === 'revoke') return (await call('revokeLicense', { params })).status;
      if (action === 'suspend') return (await call('suspendLicense', { params, body: {} })).status;
      if (action === 'reinstate') return (await call('reinstateLicense', { params })).status;
      if (action === 'reset') return `freed ${plural((await call('resetLicense', { params, body: {} })).freed, 'seat')}`;
      const { expires_at: at } = await call(
        'renewLicense',
        { params, body: { days: Number(days) } },
        { idempotencyKey: keys.get(id) ?? newIdempotencyKey() },
      );
      return at === null ? 'renewed' : `until ${date(at)}`;
    },
    () => {
      for (const key of [['licenses', productId], ['overview', productId], ['deliveries', productId], ['overviews'], ['license']])
        void client.invalidateQueries({ queryKey: key });
    },
  );
  if (batch.total > 0) return <BatchResults batch={batch} nameOf={({ key }) => key} words={(words) => words} onClose={onClose} />;
  const count = plural(licenses.length, 'license');
  return (
    <DialogForm
      onSubmit={() => batch.start(licenses)}
      onCancel={onClose}
      submit={
        {
          renew: `Renew ${count}`,
          suspend: `Suspend ${count}`,
          reinstate: `Reinstate ${count}`,
          reset: `Free the seats of ${count}`,
          revoke: `Revoke ${count} for good`,
        }[action]
      }
      busy={false}
      error={null}
      danger={action !== 'renew' && action !== 'reinstate'}
      disabled={action === 'renew' && (numberIn(days) ?? 0) < 1}
    >
      {action === 'renew' && (
        <>
          <p>Each license is renewed from now or from its expiry, whichever is later. A license that never expires gets an expiry.</p>
          <NumberField label="Days" value={days} onValue={setDays} data-autofocus />
        </>
      )}
      {action === 'suspend' && <p>Activations and validations of {count} will be refused until you reinstate them.</p>}
      {action === 'reinstate' && <p>Suspended licenses among the {count} can be used again. The others do not change.</p>}
      {action === 'reset' && <p>All devices of {count} are unbound at once. The licenses keep their keys and their status.</p>}
      {action === 'revoke' && (
        <p>
          All activations and validations of {count} will fail from now on. <strong>This can’t be undone.</strong>
        </p>
      )}
    </DialogForm>
  );
}

const exported = (licenses: readonly License[]): string[] => [
  csvLine(licenseColumns.map(({ name }) => name)),
  ...licenses.map((license) => csvLine(licenseColumns.map(({ value }) => value(license)))),
];

/** @param onAll selects all licenses of the list, if it has more pages */
export function BulkActions({
  productId,
  licenses,
  onAll,
  onClear,
}: {
  productId: number;
  licenses: readonly License[];
  onAll?: (() => Promise<void>) | undefined;
  onClear: () => void;
}) {
  const [action, setAction] = useState<Action>();
  // The licenses that were selected when the dialog opened. The list may change while the action runs.
  const [taken, setTaken] = useState<readonly License[]>([]);
  const open = (next: Action): void => {
    setTaken(licenses);
    setAction(next);
  };
  const close = (): void => setAction(undefined);
  const [choosing, setChoosing] = useState(false);
  const chooseAll = async (choose: () => Promise<void>): Promise<void> => {
    setChoosing(true);
    try {
      await choose();
    } catch (error) {
      toastFailure(error instanceof Error ? error.message : String(error));
    } finally {
      setChoosing(false);
    }
  };
  return (
    <div className={classes['bar']} role="region" aria-label="Selected licenses">
      <strong role="status">
        {number(licenses.length)}
        {licenses.length === MAX_CHOSEN && onAll ? ', the maximum,' : ''} selected
      </strong>
      <span className={classes['actions']}>
        <May call="updateLicense">
          <Button size="xs" variant="default" leftSection={<ClockIcon size={15} />} onClick={() => open('renew')}>
            Renew
          </Button>
          <Button size="xs" variant="default" leftSection={<PauseIcon size={15} />} onClick={() => open('suspend')}>
            Suspend
          </Button>
          {licenses.some(({ status }) => status === 'suspended') && (
            <Button size="xs" variant="default" leftSection={<PlayIcon size={15} />} onClick={() => open('reinstate')}>
              Reinstate
            </Button>
          )}
          <Button size="xs" variant="default" leftSection={<RefreshIcon size={15} />} onClick={() => open('reset')}>
            Free seats
          </Button>
          <Button size="xs" variant="default" leftSection={<StopIcon size={15} />} onClick={() => open('revoke')}>
            Revoke
          </Button>
        </May>
        <Button
          size="xs"
          variant="default"
          leftSection={<DownloadIcon size={15} />}
          onClick={() => download(`licenses-${productId}.csv`, exported(licenses))}
        >
          Export CSV
        </Button>
        {onAll && (
          <Button size="xs" variant="subtle" loading={choosing} onClick={() => void chooseAll(onAll)}>
            Select all in the list
          </Button>
        )}
        <Button size="xs" variant="subtle" onClick={onClear}>
          Clear
        </Button>
      </span>
      <Dialog title={action ? titles[action] : ''} opened={action !== undefined} onClose={close} size="lg">
        {action && <Run action={action} licenses={taken} productId={productId} onClose={close} />}
      </Dialog>
    </div>
  );
}
