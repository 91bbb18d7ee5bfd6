import type { LicenseType } from '../api';
import { useMailSettings } from '../queries/mail';
import { T } from '../texts';
import { Check } from '../ui/check';

/** Whether the service mails the keys of new licenses of this type automatically. It never mails the keys of trials. */
export function useMailsKeys(productId: number, type: LicenseType | undefined): boolean {
  const settings = useMailSettings(productId);
  return settings.data?.send_keys === true && type?.kind !== 'trial';
}

/** A checkbox that says who gets the key by mail. The operator can clear the checkbox to send no mail. */
export const MailKey = ({ to, checked, onChange }: { to: string; checked: boolean; onChange: (checked: boolean) => void }) => (
  <Check label={<T text="Mail the key to {address}" values={{ address: <bdi>{to}</bdi> }} />} checked={checked} onChange={onChange} />
);
