/** @jsxImportSource preact */
import { useId, useState } from 'preact/hooks';
import { call, pagesOf, type License } from './api';
import type { CardProps } from './buyer';
import { texts } from './texts';
import { Alert, Button, copy, Status, useRun } from './ui';

const words = texts.licenses;

/** Names the file that the buyer carries back to the device. */
const RESPONSE_FILE = 'license-response.txt';

function save(text: string): void {
  const url = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }));
  Object.assign(document.createElement('a'), { href: url, download: RESPONSE_FILE }).click();
  // The browser starts the download in a later task, and needs the URL until then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Licenses a device that has no network, from the request that its app shows. */
export function Offline({ buyer, license, onChange }: CardProps) {
  const id = useId();
  const [text, setText] = useState('');
  const [response, setResponse] = useState<string>();
  const [note, setNote] = useState<string>();
  const { errors } = texts;
  const run = useRun(
    {
      invalid_request: errors.badRequest,
      no_seats: errors.noSeats,
      too_many_devices: errors.noSeats,
      license_expired: errors.licenseEnded,
      license_revoked: errors.licenseEnded,
      license_suspended: errors.licenseEnded,
    },
    buyer.isEnded,
  );
  const make = (event: Event): void => {
    event.preventDefault();
    run.start(async () => {
      setResponse(undefined);
      setNote(undefined);
      const path = `/licenses/${license.id}/offline`;
      const { body } = await call<{ response: string }>('POST', path, { session: buyer.session, body: { request: text.trim() } });
      setResponse(body.response);
      // The device has taken a seat, so the license is read again. The API returns licenses only in lists.
      for await (const page of pagesOf<License>('/licenses', buyer.session)) {
        const changed = page.find(({ id: other }) => other === license.id);
        if (changed) return onChange(changed);
      }
    });
  };
  // The service refuses longer requests anyway. The limit keeps the page usable if the buyer chooses a wrong file.
  const open = (file: File | undefined): void =>
    run.start(async () => {
      if (file) setText((await file.slice(0, 10_000).text()).trim());
    });
  return (
    <details>
      <summary>{words.offline}</summary>
      <p>{words.offlineHint}</p>
      <form onSubmit={make}>
        <div class="field">
          <label for={`${id}-file`}>{words.offlineFile}</label>
          <input id={`${id}-file`} type="file" onChange={(event) => open(event.currentTarget.files?.[0])} />
        </div>
        <div class="field">
          <label for={id}>{words.offlineRequest}</label>
          <textarea id={id} rows={4} required spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </div>
        <Alert>{run.problem}</Alert>
        <Button kind="main" type="submit" busy={run.busy}>
          {words.offlineMake}
        </Button>
      </form>
      {response === undefined ? null : (
        <div class="field">
          <label for={`${id}-response`}>{words.offlineResponse}</label>
          <textarea id={`${id}-response`} rows={6} readOnly value={response} />
          <div class="buttons">
            <Button kind="main" onClick={() => save(response)}>
              {words.offlineSave}
            </Button>
            <Button onClick={() => void copy(response).then((done) => setNote(done ? words.copied : words.notCopied))}>{words.copy}</Button>
          </div>
        </div>
      )}
      <Status>{note}</Status>
    </details>
  );
}
