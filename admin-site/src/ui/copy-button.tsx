import { ActionIcon, Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { t } from '../texts';
import { copyText } from './copy-text';
import { CheckIcon, CopyIcon } from './icons';
import { announce, toastFailure } from './toast';

/** A button that copies a text, and shows that the text was copied. `what` completes "Copy …", for example "license key". */
export function CopyButton({
  text,
  what,
  labelled = false,
  onCopied,
}: {
  text: string;
  what: string;
  labelled?: boolean;
  onCopied?: () => void;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);

  const onClick = (event: React.MouseEvent<HTMLButtonElement>): void => {
    const button = event.currentTarget;
    void copyText(text).then((done) => {
      setCopied(done);
      button.focus();
      // The button shows only success.
      if (done) {
        announce(t('Copied the {what}', { what }));
        onCopied?.();
      } else toastFailure(t('The {what} could not be copied. Select it and copy it yourself', { what }));
    });
  };
  const icon = copied ? <CheckIcon size={15} /> : <CopyIcon size={15} />;
  return labelled ? (
    <Button
      variant="default"
      size="xs"
      leftSection={icon}
      onClick={onClick}
      aria-label={copied ? t('Copied {what}', { what }) : t('Copy {what}', { what })}
    >
      {copied ? t('Copied') : t('Copy')}
    </Button>
  ) : (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={24}
      aria-label={t('Copy {what}', { what })}
      title={t('Copy {what}', { what })}
      onClick={onClick}
    >
      {icon}
    </ActionIcon>
  );
}
