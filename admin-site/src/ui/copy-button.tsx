import { ActionIcon, Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { CheckIcon, CopyIcon } from './icons';
import { announce } from './toast';

/** Over plain HTTP browsers keep the clipboard from pages, except by this old way. */
function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('aria-hidden', 'true');
  // Within the dialog, where there is one: it holds the focus.
  (document.activeElement?.parentElement ?? document.body).append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** Copies a text and says so. `what` completes "Copy …", for example "license key". */
export function CopyButton({ text, what, labelled = false }: { text: string; what: string; labelled?: boolean }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);

  const onClick = (event: React.MouseEvent<HTMLButtonElement>): void => {
    const button = event.currentTarget;
    void copy(text).then((done) => {
      setCopied(done);
      button.focus();
      announce(done ? `Copied the ${what}` : `The ${what} could not be copied: select it and copy it by hand`);
    });
  };
  const icon = copied ? <CheckIcon size={16} /> : <CopyIcon size={16} />;
  return labelled ? (
    <Button variant="default" size="xs" leftSection={icon} onClick={onClick} aria-label={`${copied ? 'Copied' : 'Copy'} ${what}`}>
      {copied ? 'Copied' : 'Copy'}
    </Button>
  ) : (
    <ActionIcon variant="subtle" color="gray" size="md" aria-label={`Copy ${what}`} title={`Copy ${what}`} onClick={onClick}>
      {icon}
    </ActionIcon>
  );
}
