import { Button, Textarea } from '@mantine/core';
import { useRef } from 'react';
import { readOfflineRequest, type OfflineRequest } from '../../../client/src/offline-request';
import { lookupKey } from '../../../lambdas/domain/license-key';
import { platformName } from '../../../lambdas/contract/platform-name';
import type { License } from '../api';
import { t } from '../texts';
import { UploadIcon } from '../ui/icons';
import { Facts } from '../ui/page';
import classes from './device-request.module.css';

/** An offline device's request for a token, in the client library's format: `LKS1-REQUEST.…`. */

/** A message if a request is not for this license; otherwise undefined. */
function problemWith(request: OfflineRequest, license: License): string | undefined {
  if (request.product !== license.product_id)
    return t('This request is for product {other}, but the license belongs to product {product}.', {
      other: String(request.product),
      product: String(license.product_id),
    });
  if (lookupKey(request.key) !== lookupKey(license.key))
    return t('This request is for another license, with the key {key}.', { key: request.key });
  return undefined;
}

export interface ReadRequest {
  readonly request?: OfflineRequest;
  readonly problem?: string;
}

/** Reads the pasted text. Returns the request if it is for this license, otherwise the problem; an empty object if the text is empty. */
export function readRequest(text: string, license: License): ReadRequest {
  if (text.trim() === '') return {};
  const request = readOfflineRequest(text);
  if (!request) return { problem: t('This is not a device request. Paste the whole request, which begins with LKS1-REQUEST.') };
  const problem = problemWith(request, license);
  return problem === undefined ? { request } : { problem };
}

/** A field for a request: the operator pastes the text, or drops or chooses the file. The request's content is shown below the field. */
export function RequestField({
  text,
  onText,
  read: { request, problem },
}: {
  text: string;
  onText: (text: string) => void;
  read: ReadRequest;
}) {
  const file = useRef<HTMLInputElement>(null);
  const take = (chosen: File | undefined): void => {
    if (chosen) void chosen.text().then(onText);
  };
  return (
    <>
      <Textarea
        label={t('Device request (optional)')}
        description={t('Paste the text that the app on the device shows, or drop its file here.')}
        placeholder="LKS1-REQUEST.…"
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          const [dropped] = event.dataTransfer.files;
          if (!dropped) return;
          event.preventDefault();
          take(dropped);
        }}
        error={problem}
        rows={3}
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: classes['request'] ?? '' }}
        data-autofocus
      />
      <div>
        <Button size="xs" variant="default" leftSection={<UploadIcon size={15} />} onClick={() => file.current?.click()}>
          {t('Choose a file')}
        </Button>
        <input
          ref={file}
          type="file"
          hidden
          aria-label={t('File with the request')}
          accept=".txt,text/plain"
          onChange={(event) => {
            take(event.currentTarget.files?.[0]);
            event.currentTarget.value = '';
          }}
        />
      </div>
      {request && (
        <Facts
          facts={[
            [t('Key'), <code key="key">{request.key}</code>],
            [t('Device'), <bdi key="name">{request.name ?? t('No name')}</bdi>],
            [t('Platform'), <bdi key="platform">{request.platform === undefined ? t('Unknown') : platformName(request.platform)}</bdi>],
            [t('Fingerprint'), <code key="fingerprint">{request.fingerprint}</code>],
          ]}
        />
      )}
    </>
  );
}
