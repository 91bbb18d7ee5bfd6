import { Button, TextInput } from '@mantine/core';
import type { License } from '../api';
import { download } from '../download';
import { decodeToken, moment } from '../format';
import { useChange } from '../queries/change';
import { licenseKeys } from '../queries/licenses';
import { t } from '../texts';
import { CopyButton } from '../ui/copy-button';
import { Dialog, DialogActions, DialogForm } from '../ui/dialog';
import { DownloadIcon } from '../ui/icons';
import { NumberField, numberIn } from '../ui/number-field';
import { useFields } from '../ui/use-fields';
import { Code, Facts, Row, Stack } from '../ui/page';
import { readRequest, RequestField } from './device-request';

const meanings: Readonly<Record<string, string>> = {
  iss: t('Issuer'),
  aud: t('Product'),
  sub: t('License'),
  jti: t('Token id'),
  iat: t('Issued'),
  exp: t('Works until'),
  kind: t('Kind'),
  fingerprint: t('Device'),
  license_expires_at: t('License ends'),
};

/** A claim in a readable form: times as dates, other values unchanged. */
function shown(name: string, value: unknown): string {
  if ((name === 'iat' || name === 'exp') && typeof value === 'number') return moment(new Date(value * 1000).toISOString());
  if (name === 'license_expires_at' && typeof value === 'string') return moment(value);
  if (value === null) return t('Never');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function Minted({ license, token, onClose }: { license: License; token: string; onClose: () => void }) {
  const claims = decodeToken(token);
  return (
    <Stack>
      <p>
        {t(
          'Copy this token to the offline device: its app accepts the text or the file. The token is shown only once, but you can create a new one at any time.',
        )}
      </p>
      <Code label={t('Offline token')}>{token}</Code>
      <Row>
        <CopyButton text={token} what={t('offline token')} labelled />
        <Button
          size="xs"
          variant="default"
          leftSection={<DownloadIcon size={15} />}
          onClick={() => download(`offline-token-${license.id}.txt`, `${token}\n`, 'text/plain')}
        >
          {t('Download')}
        </Button>
      </Row>
      <h3>{t('Content')}</h3>
      <Facts
        facts={Object.entries(claims).map(([name, value]) => [meanings[name] ?? name, <bdi key={name}>{shown(name, value)}</bdi>] as const)}
      />
      <DialogActions>
        <Button onClick={onClose}>{t('Done')}</Button>
      </DialogActions>
    </Stack>
  );
}

function Form({ license, asked, onClose }: { license: License; asked: string; onClose: () => void }) {
  const mint = useChange('mintOfflineToken', { stale: licenseKeys(license) });
  const { values, field, change } = useFields({ request: asked, ttl_days: '30', fingerprint: '', name: '' }, mint);
  const days = numberIn(values.ttl_days);
  const read = readRequest(values.request, license);
  const { request } = read;
  const bound = request !== undefined || values.fingerprint.trim() !== '';
  const device = request
    ? { fingerprint: request.fingerprint, name: request.name, platform: request.platform }
    : { fingerprint: values.fingerprint.trim(), name: values.name.trim() };
  if (mint.data) return <Minted license={license} token={mint.data.token} onClose={onClose} />;
  return (
    <DialogForm
      onSubmit={() => mint.mutate({ params: { id: license.id }, body: { ttl_days: days, ...(bound && device) } })}
      onCancel={onClose}
      submit={t('Create token')}
      change={mint}
      disabled={(days ?? 0) < 1 || read.problem !== undefined}
    >
      <p>
        {bound
          ? t('A signed token for one offline device. The device takes a seat now, as if its app had activated the key.')
          : t('A signed token for offline devices. It is not bound to a device, takes no seat, and can’t be revoked before it expires.')}
      </p>
      <RequestField text={values.request} onText={(text) => change({ request: text })} read={read} />
      <NumberField label={t('Valid for (days)')} description={t('The token expires no later than the license.')} {...field('ttl_days')} />
      {!request && (
        <TextInput
          label={t('Fingerprint (optional)')}
          description={t('Binds the token to this device, which takes a seat.')}
          {...field('fingerprint')}
          autoComplete="off"
          spellCheck={false}
        />
      )}
      {bound && !request && <TextInput label={t('Device name (optional)')} {...field('name')} maxLength={200} autoComplete="off" />}
    </DialogForm>
  );
}

/** @param asked a device's request, if the page's URL contains one; otherwise empty */
export const MintToken = ({
  license,
  asked = '',
  opened,
  onClose,
}: {
  license: License;
  asked?: string;
  opened: boolean;
  onClose: () => void;
}) => (
  <Dialog title={t('Create an offline token')} opened={opened} onClose={onClose} size="lg">
    <Form license={license} asked={asked} onClose={onClose} />
  </Dialog>
);
