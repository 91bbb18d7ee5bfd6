import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { addressesIn } from '../../addresses';
import { call, type License, type Member } from '../api';
import { useMay } from '../permission';
import { useChange } from '../queries/change';
import { licenseKeys, useMembers } from '../queries/licenses';
import { href, Link } from '../router';
import type { ResponseOf } from '../routes';
import { number, plural, t } from '../texts';
import { Act } from '../ui/act';
import { BatchForm } from '../ui/batch';
import { Check } from '../ui/check';
import { CopyButton } from '../ui/copy-button';
import { Dialog } from '../ui/dialog';
import { localChange } from '../ui/form';
import { PlusIcon, SearchIcon, SeatIcon, SendIcon, TrashIcon } from '../ui/icons';
import { Dim, Panel } from '../ui/page';
import { useLocalPages } from '../ui/pager';
import { Loaded } from '../ui/states';
import { Table, tableClasses, type Selection } from '../ui/table';
import { Ago, SeenOn } from '../ui/time';
import { useFields } from '../ui/use-fields';
import bulk from './bulk-actions.module.css';
import classes from './license.module.css';

/** The members of a license for named people (docs/spec/sign-in.md, Licenses of named people). */

type Role = Member['role'];
const roleWords: Readonly<Record<Role, string>> = { member: t('Member'), manager: t('Manager') };
const roles = (Object.keys(roleWords) as Role[]).map((role) => ({ value: role, label: roleWords[role] }));

type Put = ResponseOf<'putMember'>;

/** Why a member was not invited. */
const reasonWords: Readonly<Record<NonNullable<Put['reason']>, string>> = {
  portal_off: t('the portal is off'),
  mail_not_configured: t('mail is not configured'),
  already_invited: t('was invited within the last 24 hours'),
  too_many_invitations: t('too many invitations today'),
};
const invitationWords = ({ invited, reason }: Put): string =>
  invited ? t('invited') : reason === null ? t('not invited') : t('not invited: {reason}', { reason: reasonWords[reason] });

function Add({ license, members, onClose }: { license: License; members: readonly Member[]; onClose: () => void }) {
  const { values, field, check } = useFields({ addresses: '', role: 'member', invite: true }, localChange);
  // The list grows while the addresses are added.
  const [known] = useState(() => new Set(members.map(({ email }) => email.toLowerCase())));
  const { addresses, others } = addressesIn(values.addresses);
  const isKnown = (email: string): boolean => known.has(email.toLowerCase());
  const { used, max } = license.seats;
  const added = addresses.filter((email) => !isKnown(email)).length;
  const run = async (email: string): Promise<string> => {
    const body = { email, ...(values.role === 'manager' && { role: 'manager' as const }), ...(!values.invite && { invite: false }) };
    const put = await call('putMember', { params: { id: license.id }, body });
    return isKnown(email) ? t('was a member already') : t('added, {invitation}', { invitation: invitationWords(put) });
  };
  return (
    <BatchForm
      stale={licenseKeys(license)}
      call="putMember"
      items={addresses}
      nameOf={(email) => email}
      run={run}
      submit={added === 0 ? t('Add members') : plural(added, 'Add {count} member', 'Add {count} members')}
      onClose={onClose}
    >
      <Textarea
        label={t('E-mail addresses')}
        description={t('Paste a list: one address per line, or separated by commas or spaces.')}
        {...field('addresses')}
        rows={6}
        spellCheck={false}
        data-autofocus
      />
      <NativeSelect label={t('Role')} description={t('Managers add and remove members in the portal.')} {...field('role')} data={roles} />
      <Check label={t('Invite them by mail, with a link to the portal')} {...check('invite')} />
      <p role="status" className={classes['none']}>
        {t('{count} to add', { count: number(added) })}
        {addresses.length > added && `; ${t('{count} already members', { count: number(addresses.length - added) })}`}
        {max > 0 &&
          added > max - used &&
          `; ${plural(Math.max(0, max - used), 'only {count} seat is free', 'only {count} seats are free')}`}
        {others.length > 0 && `; ${t('no addresses: {texts}', { texts: others.slice(0, 5).join(', ') })}`}
      </p>
    </BatchForm>
  );
}

interface OfSeveral {
  readonly license: License;
  readonly members: readonly Member[];
  readonly onClose: () => void;
}

function Remove({ license, members, onClose }: OfSeveral) {
  const devices = members.reduce((sum, member) => sum + member.devices, 0);
  const run = async ({ id }: Member): Promise<string> => {
    const { removed, freed } = await call('removeMember', { params: { id: license.id, member_id: id } });
    return removed ? plural(freed, 'removed, {count} device freed', 'removed, {count} devices freed') : t('was removed already');
  };
  return (
    <BatchForm
      stale={licenseKeys(license)}
      call="removeMember"
      items={members}
      nameOf={({ email }) => email}
      run={run}
      submit={plural(members.length, 'Remove {count} member', 'Remove {count} members')}
      danger
      onClose={onClose}
    >
      <p>
        {plural(devices, '{count} device of these people is freed at once.', '{count} devices of these people are freed at once.')}{' '}
        {t('To use the license again, they must be added again and sign in on their devices. An offline token works until it expires.')}
      </p>
      <ul className={classes['unseen']}>
        {members.map(({ id, email }) => (
          <li key={id}>
            <bdi>{email}</bdi>
          </li>
        ))}
      </ul>
    </BatchForm>
  );
}

const Invite = ({ license, members, onClose }: OfSeveral) => (
  <BatchForm
    stale={licenseKeys(license)}
    call="putMember"
    items={members}
    nameOf={({ email }) => email}
    run={async ({ email }) => invitationWords(await call('putMember', { params: { id: license.id }, body: { email, invite: true } }))}
    submit={plural(members.length, 'Invite {count} member', 'Invite {count} members')}
    onClose={onClose}
  >
    <p>{t('Each gets a mail with a link to the portal. A person gets at most one invitation in 24 hours.')}</p>
  </BatchForm>
);

/** A member's role, which can be changed at once and taken back. */
function RoleOf({ license, member }: { license: License; member: Member }) {
  const { email, role } = member;
  const params = { id: license.id };
  const takeBack = useChange('putMember', {
    stale: licenseKeys(license),
    done: (changed) => t('Undone. {email} is again: {role}', { email, role: roleWords[changed.role] }),
  });
  const change = useChange('putMember', {
    stale: licenseKeys(license),
    done: (changed) => t('{email} is now: {role}', { email, role: roleWords[changed.role] }),
    undo: () => takeBack.mutate({ params, body: { email, role } }),
  });
  if (!useMay()('putMember') || license.status === 'revoked') return roleWords[role];
  return (
    <NativeSelect
      size="xs"
      aria-label={t('Role of {email}', { email })}
      value={role}
      data={roles}
      error={change.error?.message}
      onChange={(event) => change.mutate({ params, body: { email, role: event.currentTarget.value === 'manager' ? 'manager' : 'member' } })}
    />
  );
}

/** The number of members on one page of the table. */
const PAGE = 50;

function MemberTable({
  license,
  found,
  selection,
}: {
  license: License;
  found: readonly Member[];
  selection: Selection<Member> | undefined;
}) {
  const { shown, pager } = useLocalPages(found, PAGE);
  return (
    <>
      <Table
        label={t('Members')}
        items={shown}
        id={({ id }) => id}
        selection={selection}
        columns={[
          {
            name: t('Member'),
            cell: ({ email }) => (
              <span className={tableClasses['copied']}>
                <Link to={href('/find', { q: email, all: '1' })} className={tableClasses['link']}>
                  <bdi className={tableClasses['cut']} title={email}>
                    {email}
                  </bdi>
                </Link>
                <CopyButton text={email} what={t('e-mail')} />
              </span>
            ),
          },
          { name: t('Role'), cell: (member) => <RoleOf license={license} member={member} /> },
          {
            name: t('Devices'),
            right: true,
            cell: ({ devices }) => `${number(devices)} / ${number(license.license_type.devices_per_user ?? 0)}`,
          },
          {
            name: t('Last seen'),
            cell: ({ last_seen_on: day }) => (day === null ? <Dim>{t('Never')}</Dim> : <SeenOn day={day} />),
          },
          { name: t('Added'), extra: true, cell: ({ added_at: added }) => <Ago at={added} /> },
        ]}
      />
      {pager}
    </>
  );
}

type Action = 'add' | 'remove' | 'invite';

function MemberList({
  license,
  members,
  onAct,
}: {
  license: License;
  members: readonly Member[];
  onAct: (action: Action, members: readonly Member[]) => void;
}) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string | number>>(new Set());
  const mayPut = useMay()('putMember');
  const wanted = text.trim().toLowerCase();
  const found = wanted === '' ? members : members.filter(({ email }) => email.toLowerCase().includes(wanted));
  const selected = members.filter(({ id }) => chosen.has(id));
  const act = (action: Action): void => onAct(action, selected);
  return (
    <Panel
      title={t('Members')}
      note={plural(
        license.license_type.devices_per_user ?? 0,
        'Each member takes one seat and may use {count} device.',
        'Each member takes one seat and may use {count} devices.',
      )}
      action={
        <>
          <TextInput
            type="search"
            size="xs"
            aria-label={t('E-mail of a member')}
            placeholder={t('E-mail')}
            leftSection={<SearchIcon size={15} />}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            data-search
            autoComplete="off"
            spellCheck={false}
          />
          {license.status !== 'revoked' && (
            <Act call="putMember" primary size="xs" Icon={PlusIcon} onClick={() => act('add')}>
              {t('Add members')}
            </Act>
          )}
        </>
      }
    >
      {selected.length > 0 && (
        <div className={bulk['bar']} role="region" aria-label={t('Selected members')}>
          <strong role="status">{t('{count} selected', { count: number(selected.length) })}</strong>
          <span className={bulk['actions']}>
            <Act call="removeMember" size="xs" Icon={TrashIcon} onClick={() => act('remove')}>
              {t('Remove')}
            </Act>
            {license.status !== 'revoked' && (
              <Act call="putMember" size="xs" Icon={SendIcon} onClick={() => act('invite')}>
                {t('Invite again')}
              </Act>
            )}
            {selected.length < found.length && (
              <Button size="xs" variant="subtle" onClick={() => setChosen(new Set(found.map(({ id }) => id)))}>
                {t('Select all {count}', { count: number(found.length) })}
              </Button>
            )}
            <Button size="xs" variant="subtle" onClick={() => setChosen(new Set())}>
              {t('Clear selection')}
            </Button>
          </span>
        </div>
      )}
      {members.length === 0 ? (
        <p className={classes['none']}>
          <SeatIcon size={18} /> {t('Nobody can use this license yet. Add the people who may sign in.')}
        </p>
      ) : found.length === 0 ? (
        <p className={classes['none']} role="status">
          {t('No member matches “{search}”.', { search: text.trim() })}
        </p>
      ) : (
        <MemberTable
          key={wanted}
          license={license}
          found={found}
          selection={mayPut ? { chosen, onChange: setChosen, nameOf: ({ email }) => email } : undefined}
        />
      )}
    </Panel>
  );
}

export function Members({ license }: { license: License }) {
  const isOfPeople = license.license_type.binding === 'user';
  const query = useMembers(license.id, isOfPeople);
  const [running, setRunning] = useState<{ readonly action: Action; readonly members: readonly Member[] }>();
  if (!isOfPeople) return null;
  const close = (): void => setRunning(undefined);
  const titles: Readonly<Record<Action, string>> = {
    add: t('Add members'),
    remove: t('Remove these members?'),
    invite: t('Invite these members again?'),
  };
  return (
    <>
      <Loaded query={query}>
        {(members) => (
          <MemberList license={license} members={members} onAct={(action, chosen) => setRunning({ action, members: chosen })} />
        )}
      </Loaded>
      <Dialog title={running ? titles[running.action] : ''} opened={running !== undefined} onClose={close} size="lg">
        {running?.action === 'add' && <Add license={license} members={query.data ?? []} onClose={close} />}
        {running?.action === 'remove' && <Remove license={license} members={running.members} onClose={close} />}
        {running?.action === 'invite' && <Invite license={license} members={running.members} onClose={close} />}
      </Dialog>
    </>
  );
}
