import type { License, LicenseType } from '../api';
import { useMailSettings } from '../queries/mail';
import { T } from '../texts';
import { Check } from '../ui/check';

/** Whether the service mails the keys of new licenses of this type automatically. It never mails the keys of trials. */
export function useMailsKeys(productId: number, type: LicenseType | undefined): boolean {
  const settings = useMailSettings(productId);
  return settings.data?.send_keys === true && type?.kind !== 'trial';
}

/**
 * A checkbox that says who gets the mail with the key. The operator can clear the checkbox to send no mail.
 *
 * @param type the license type. The mail about a license for named people contains no key
 */
export const MailKey = ({
  to,
  type,
  checked,
  onChange,
}: {
  to: string;
  type: LicenseType | License['license_type'] | undefined;
  checked: boolean;
  onChange: (checked: boolean) => void;
}) => (
  <Check
    label={
      type?.binding === 'user' ? (
        <T text="Mail {address} how to sign in" values={{ address: <bdi>{to}</bdi> }} />
      ) : (
        <T text="Mail the key to {address}" values={{ address: <bdi>{to}</bdi> }} />
      )
    }
    checked={checked}
    onChange={onChange}
  />
);
