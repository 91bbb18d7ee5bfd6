import { Button, Textarea } from '@mantine/core';
import { useRef } from 'react';
import { readOfflineRequest, type OfflineRequest } from '../../../client/src/offline-request';
import { lookupKey } from '../../../lambdas/domain/license-key';
import type { License } from '../api';
import { UploadIcon } from '../ui/icons';
import { Facts } from '../ui/page';
import classes from './device-request.module.css';

/** What a machine that is never online asks for, as the client library writes it: `LKS1-REQUEST.…`. */

/** What is wrong with a request on the page of a license, for people; undefined if nothing is. */
function problemWith(request: OfflineRequest, license: License): string | undefined {
  if (request.product !== license.product_id)
    return `This request is for product ${request.product}, and the license is of product ${license.product_id}.`;
  if (lookupKey(request.key) !== lookupKey(license.key)) return `This request is for another license: its key is ${request.key}.`;
  return undefined;
}

export interface ReadRequest {
  readonly request?: OfflineRequest;
  readonly problem?: string;
}

/** Reads what was pasted: nothing, a request for this license, or why it is none. */
export function readRequest(text: string, license: License): ReadRequest {
  if (text.trim() === '') return {};
  const request = readOfflineRequest(text);
  if (!request) return { problem: 'This is no request of a machine: it begins with LKS1-REQUEST. and must be there whole.' };
  const problem = problemWith(request, license);
  return problem === undefined ? { request } : { problem };
}

/** A field to paste a request into, or to drop its file on, and what the request says. */
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
        label="Request of the machine (optional)"
        description="Paste what its app shows, or drop the file here."
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
          Choose a file
        </Button>
        <input
          ref={file}
          type="file"
          hidden
          aria-label="File with the request"
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
            ['Key', <code key="key">{request.key}</code>],
            ['Machine', <bdi key="name">{request.name ?? 'Without a name'}</bdi>],
            ['Platform', <bdi key="platform">{request.platform ?? 'Not given'}</bdi>],
            ['Fingerprint', <code key="fingerprint">{request.fingerprint}</code>],
          ]}
        />
      )}
    </>
  );
}
