import { useState, type ReactNode } from 'react';
import { useMailSettings } from '../queries/mail';
import type { ResponseOf } from '../routes';
import { Act } from '../ui/act';
import { Dialog } from '../ui/dialog';
import { EditIcon } from '../ui/icons';
import { Panel } from '../ui/page';
import { Loaded } from '../ui/states';

type Settings = ResponseOf<'getMailSettings'>;

/**
 * A part of the mail settings, with a dialog to change it.
 *
 * @param edit the text of the button, and the title of the dialog
 * @param form the content of the dialog
 */
export function MailPanel({
  productId,
  title,
  edit,
  form,
  children,
}: {
  productId: number;
  title: string;
  edit: string;
  form: (settings: Settings, onClose: () => void) => ReactNode;
  children: (settings: Settings) => ReactNode;
}) {
  const query = useMailSettings(productId);
  const [isOpen, setOpen] = useState(false);
  return (
    <Panel
      title={title}
      action={
        <Act call="setMailSettings" size="xs" Icon={EditIcon} onClick={() => setOpen(true)} disabled={!query.data}>
          {edit}
        </Act>
      }
    >
      <Loaded query={query} lines={1}>
        {(settings) => (
          <>
            {children(settings)}
            <Dialog title={edit} opened={isOpen} onClose={() => setOpen(false)} size="lg">
              {form(settings, () => setOpen(false))}
            </Dialog>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
