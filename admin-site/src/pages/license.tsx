import { Button } from '@mantine/core';
import { useState } from 'react';
import type { License } from '../api';
import { duration, expiry, json, shownStatus } from '../format';
import { useLicense, useProductName } from '../queries';
import { href, Link } from '../router';
import { CopyButton } from '../ui/copy-button';
import { ClockIcon, RefreshIcon, StopIcon, TokenIcon } from '../ui/icons';
import { Code, Columns, Dim, Facts, PageHead, Panel, Row, Stack } from '../ui/page';
import { Menu } from '../ui/menu';
import { Seats } from '../ui/seats';
import { Loaded } from '../ui/states';
import { Status } from '../ui/status';
import { Moment } from '../ui/time';
import { Devices } from './license-devices';
import { History } from './license-history';
import { kinds } from './kinds';
import { MintToken } from './mint-token';
import { RenewLicense } from './renew-license';
import { ResetLicense, RevokeLicense } from './end-license';
import classes from './license.module.css';

type Action = 'renew' | 'reset' | 'mint' | 'revoke';

function Terms({ license }: { license: License }) {
  const { words, date, tone } = expiry(license);
  const { license_type: type } = license;
  return (
    <Panel title="Terms">
      <Stack>
        <div className={classes['seats']}>
          <Seats seats={license.seats} wide />
        </div>
        <Facts
          facts={[
            [
              'Expiry',
              <span key="expiry">
                {tone === 'void' ? <Dim>{words}</Dim> : <strong className={classes[tone]}>{words}</strong>}
                {date !== undefined && (
                  <>
                    <br />
                    <Dim>{date}</Dim>
                  </>
                )}
                {shownStatus(license) === 'lapsed' && (
                  <>
                    <br />
                    <Dim>Apps are refused from then on; the first check stores the status “expired”.</Dim>
                  </>
                )}
              </span>,
            ],
            [
              'Type',
              <span key="type">
                <Link to={href(`/products/${license.product_id}/licenses`, { type: String(type.id) })}>
                  <bdi>{type.name}</bdi>
                </Link>
                <br />
                <Dim>
                  {kinds[type.kind].label}
                  {type.duration_days !== null && `, ${duration(type.duration_days)}`}
                </Dim>
              </span>,
            ],
            [
              'Buyer',
              license.customer_email === null ? (
                <Dim key="buyer">None given</Dim>
              ) : (
                <Row key="buyer">
                  <Link to={href(`/products/${license.product_id}/licenses`, { q: license.customer_email })} title="All licenses of this buyer">
                    <bdi>{license.customer_email}</bdi>
                  </Link>
                  <CopyButton text={license.customer_email} what="e-mail" />
                </Row>
              ),
            ],
            [
              'License id',
              <Row key="id">
                <code>{license.id}</code>
                <CopyButton text={String(license.id)} what="license id" />
              </Row>,
            ],
            ['Issued', <Moment key="issued" at={license.created_at} />],
            ...(license.revoked_at === null ? [] : [['Revoked', <Moment key="revoked" at={license.revoked_at} />] as const]),
          ]}
        />
      </Stack>
    </Panel>
  );
}

function Metadata({ metadata }: Pick<License, 'metadata'>) {
  const text = json(metadata);
  const isEmpty = Object.keys(metadata).length === 0;
  return (
    <Panel title="Metadata" action={!isEmpty && <CopyButton text={text} what="metadata" />}>
      {isEmpty ? <Dim>None.</Dim> : <Code label="Metadata as JSON">{text}</Code>}
    </Panel>
  );
}

function Actions({ license, onChoose }: { license: License; onChoose: (action: Action) => void }) {
  const revoked = license.status === 'revoked';
  return (
    <>
      <Button variant="default" leftSection={<ClockIcon size={16} />} onClick={() => onChoose('renew')} disabled={revoked}>
        Renew
      </Button>
      <Button variant="default" leftSection={<TokenIcon size={16} />} onClick={() => onChoose('mint')} disabled={shownStatus(license) !== 'active'}>
        Offline token
      </Button>
      <Menu
        label="More"
        items={[
          { label: 'Reset seats', icon: <RefreshIcon size={16} />, onChoose: () => onChoose('reset') },
          { label: 'Revoke', icon: <StopIcon size={16} />, onChoose: () => onChoose('revoke'), disabled: revoked, danger: true },
        ]}
      />
    </>
  );
}

function Shown({ license }: { license: License }) {
  const [action, setAction] = useState<Action>();
  const product = useProductName(license.product_id);
  const close = (): void => setAction(undefined);
  return (
    <>
      <PageHead
        title={license.key}
        mono
        back={{ to: href(`/products/${license.product_id}/licenses`), label: product === undefined ? 'Licenses' : `Licenses of ${product}` }}
        aside={
          <>
            <CopyButton text={license.key} what="license key" />
            <Status status={shownStatus(license)} />
          </>
        }
        action={<Actions license={license} onChoose={setAction} />}
      />
      <Stack>
        <Columns>
          <Terms license={license} />
          <Metadata metadata={license.metadata} />
        </Columns>
        <Devices license={license} />
        <History license={license} />
      </Stack>
      <RenewLicense license={license} opened={action === 'renew'} onClose={close} />
      <MintToken license={license} opened={action === 'mint'} onClose={close} />
      <ResetLicense license={license} opened={action === 'reset'} onClose={close} />
      <RevokeLicense license={license} opened={action === 'revoke'} onClose={close} />
    </>
  );
}

export function LicensePage({ id }: { id: number }) {
  const query = useLicense(id);
  return <Loaded query={query} page={`License ${id}`}>{(license) => <Shown license={license} />}</Loaded>;
}
