import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { platformName } from '../../../lambdas/contract/platform-name';
import { call, type Device, type License } from '../api';
import { country } from '../money';
import { unseenSince } from '../queries/license-list';
import { licenseKeys } from '../queries/licenses';
import { number, plural, T, t } from '../texts';
import { Act } from '../ui/act';
import { BatchForm } from '../ui/batch';
import { Confirm } from '../ui/confirm';
import { CopyButton } from '../ui/copy-button';
import { Dialog } from '../ui/dialog';
import { PlatformIcon, SearchIcon, SeatIcon } from '../ui/icons';
import { Dim, Panel } from '../ui/page';
import { useLocalPages } from '../ui/pager';
import { Name, Table, tableClasses } from '../ui/table';
import { Ago, Moment, SeenOn } from '../ui/time';
import classes from './license.module.css';

/** The end of a seat's lease. */
const Lease = ({ at }: { at: string }) =>
  Date.parse(at) > Date.now() ? (
    <span>
      <T text="until {time}" values={{ time: <Moment at={at} /> }} />
    </span>
  ) : (
    <span className={tableClasses['warn']}>
      <T text="ended {time}" values={{ time: <Ago at={at} /> }} />
    </span>
  );

const nameOf = ({ name, platform }: Device): string => name || platformName(platform) || t('Unnamed device');

function FreeSeat({ license, device, onClose }: { license: License; device: Device | undefined; onClose: () => void }) {
  return (
    <Confirm
      title={t('Free this seat?')}
      opened={device !== undefined}
      onClose={onClose}
      call="deleteActivation"
      request={device && (() => ({ params: { id: license.id, fingerprint: device.fingerprint } }))}
      submit={t('Free the seat')}
      danger
      stale={licenseKeys(license)}
      done={({ freed }) => (freed && device ? t('Freed the seat of {device}', { device: nameOf(device) }) : t('The seat was already free'))}
    >
      <p>
        <T
          text="{device} is unbound from the license, and another device can take its seat. The offline token of the unbound device works until the token expires. The unbound device can activate again while a seat is free."
          values={{
            device: (
              <strong>
                <bdi>{device && nameOf(device)}</bdi>
              </strong>
            ),
          }}
        />
      </p>
    </Confirm>
  );
}

/** Days without a validation or activation after which the page offers to free a device's seat. */
const UNSEEN_DAYS = 90;

/**
 * The devices that have not activated or validated for `UNSEEN_DAYS` days. If the day of a device's last activation or validation is not
 * known, the day on which the device was bound is used.
 */
const unseen = ({ activations }: License): readonly Device[] =>
  activations.filter(({ last_seen_on: day, activated_at: at }) => (day ?? at.slice(0, 10)) < unseenSince(UNSEEN_DAYS));

/** Frees the seats of devices one by one, each with its own event. */
function FreeUnseen({ license, onClose }: { license: License; onClose: () => void }) {
  // The list is stored at the start, because the license's list of devices becomes shorter while the seats are freed.
  const [devices] = useState(() => unseen(license));
  const run = async ({ fingerprint }: Device): Promise<string> =>
    (await call('deleteActivation', { params: { id: license.id, fingerprint } })).freed ? t('freed') : t('was free already');
  return (
    <BatchForm
      call="deleteActivation"
      items={devices}
      nameOf={nameOf}
      run={run}
      stale={licenseKeys(license)}
      submit={plural(devices.length, 'Free {count} seat', 'Free {count} seats')}
      danger
      onClose={onClose}
    >
      <p>
        {t(
          'These devices have not activated or validated for {days} days. The service does not see offline use, so some of these devices may still be in use.',
          { days: String(UNSEEN_DAYS) },
        )}
      </p>
      <ul className={classes['unseen']}>
        {devices.map((device) => (
          <li key={device.fingerprint}>
            <bdi>{nameOf(device)}</bdi>,{' '}
            {device.last_seen_on === null ? (
              <T text="bound {time}" values={{ time: <Ago at={device.activated_at} /> }} />
            ) : (
              <T text="seen {day}" values={{ day: <SeenOn day={device.last_seen_on} /> }} />
            )}
          </li>
        ))}
      </ul>
    </BatchForm>
  );
}

/** The number of devices on one page of the table. */
const PAGE = 20;

const matches = ({ name, platform, fingerprint, member }: Device, text: string): boolean =>
  [name, platform, platformName(platform), fingerprint, member ?? ''].some((value) => value.toLowerCase().includes(text));

function DeviceList({ license, onFree }: { license: License; onFree: () => void }) {
  const { activations } = license;
  const [chosen, setChosen] = useState<Device>();
  const [text, setText] = useState('');
  const found = text.trim() === '' ? activations : activations.filter((device) => matches(device, text.trim().toLowerCase()));
  const { shown, pager, restart } = useLocalPages(found, PAGE);
  const isOfPeople = license.license_type.binding === 'user';
  // The seats of a license for named people are its members.
  const used = isOfPeople ? activations.length : license.seats.used;
  const hidden = used - activations.length;
  if (activations.length === 0) {
    return (
      <Panel title={t('Devices')}>
        <p className={classes['none']}>
          <SeatIcon size={18} />{' '}
          {isOfPeople
            ? t('No device uses this license. Devices appear here when members sign in on them.')
            : t('No device uses this license. Devices appear here when an app activates the key.')}
        </p>
      </Panel>
    );
  }
  const unused = unseen(license).length;
  return (
    <Panel
      title={t('Devices')}
      note={
        hidden > 0
          ? plural(
              used,
              '{count} device bound to this license; showing the first {shown}.',
              '{count} devices bound to this license; showing the first {shown}.',
              { shown: number(activations.length) },
            )
          : plural(used, '{count} device bound to this license.', '{count} devices bound to this license.')
      }
      action={
        <>
          {unused > 0 && (
            <Act call="deleteActivation" size="xs" onClick={onFree}>
              {plural(
                unused,
                'Free the seat of {count} device not seen for {days} days',
                'Free the seats of {count} devices not seen for {days} days',
                {
                  days: String(UNSEEN_DAYS),
                },
              )}
            </Act>
          )}
          {activations.length > PAGE && (
            <TextInput
              type="search"
              size="xs"
              aria-label={t('Device name, platform or fingerprint')}
              placeholder={t('Name or fingerprint')}
              leftSection={<SearchIcon size={15} />}
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value);
                restart();
              }}
              data-search
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </>
      }
    >
      {shown.length === 0 ? (
        <p className={classes['none']} role="status">
          {t('No device matches “{search}”.', { search: text.trim() })}
        </p>
      ) : (
        <Table
          label={t('Devices')}
          items={shown}
          id={({ fingerprint }) => fingerprint}
          columns={[
            {
              name: t('Device'),
              cell: (device) => (
                <span className={classes['device']}>
                  <PlatformIcon platform={device.platform} />
                  <Name>{nameOf(device)}</Name>
                </span>
              ),
            },
            ...(isOfPeople
              ? [
                  {
                    name: t('Member'),
                    cell: ({ member }: Device) => (
                      <bdi className={tableClasses['cut']} title={member ?? undefined}>
                        {member}
                      </bdi>
                    ),
                  },
                ]
              : []),
            {
              name: t('Platform'),
              clear: true,
              cell: ({ platform }) => (platform === '' ? <Dim>{t('No platform')}</Dim> : <Name>{platformName(platform)}</Name>),
            },
            {
              name: t('Fingerprint'),
              clear: true,
              cell: ({ fingerprint }) => (
                <span className={classes['fingerprint']}>
                  <code title={fingerprint}>{fingerprint.length > 16 ? `${fingerprint.slice(0, 12)}…` : fingerprint}</code>
                  <CopyButton text={fingerprint} what={t('fingerprint')} />
                </span>
              ),
            },
            {
              name: t('Last seen'),
              cell: ({ last_seen_on: day, app_version: version, country: code }) => (
                <div className={classes['seen']}>
                  {day === null ? <Dim>{t('Not known')}</Dim> : <SeenOn day={day} />}
                  <span className={classes['reported']}>
                    {[...(version === null ? [] : [t('Version {version}', { version })]), ...(code === null ? [] : [country(code)])].join(
                      ' · ',
                    )}
                  </span>
                </div>
              ),
            },
            { name: t('Bound'), cell: ({ activated_at: at }) => <Ago at={at} /> },
            ...(activations.some(({ lease_expires_at: at }) => at !== null)
              ? [
                  {
                    name: t('Lease'),
                    cell: ({ lease_expires_at: at }: Device) => (at === null ? <Dim>{t('None')}</Dim> : <Lease at={at} />),
                  },
                ]
              : []),
            {
              name: t('Action'),
              nameless: true,
              right: true,
              cell: (device) => (
                <Act
                  call="deleteActivation"
                  size="xs"
                  onClick={() => setChosen(device)}
                  aria-label={t('Free seat of {device}', { device: nameOf(device) })}
                >
                  {t('Free seat')}
                </Act>
              ),
            },
          ]}
        />
      )}
      {pager}
      <FreeSeat license={license} device={chosen} onClose={() => setChosen(undefined)} />
    </Panel>
  );
}

export function Devices({ license }: { license: License }) {
  const [freeing, setFreeing] = useState(false);
  const close = (): void => setFreeing(false);
  return (
    <>
      <DeviceList license={license} onFree={() => setFreeing(true)} />
      {/* The dialog is outside the list of devices, so that the results stay visible when no device is left. */}
      <Dialog title={t('Free unused seats?')} opened={freeing} onClose={close} size="lg">
        <FreeUnseen license={license} onClose={close} />
      </Dialog>
    </>
  );
}
