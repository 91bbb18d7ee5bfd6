import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { textOn } from '../../../lambdas/domain/color';
import { shownSize } from '../../../lambdas/contract/logo-size';
import type { LogoImage } from '../logo';
import type { RequestOf, ResponseOf } from '../routes';
import { useChange } from '../queries/change';
import { usePortal } from '../queries/mail';
import { useProduct } from '../queries/products';
import { href, Link } from '../router';
import { t, T } from '../texts';
import { Check, Wrong } from '../ui/check';
import { CopyButton } from '../ui/copy-button';
import { NumberField, numberIn } from '../ui/number-field';
import { Columns, Dim, PageHead, Panel, Row, Stack } from '../ui/page';
import { PageForm } from '../ui/page-form';
import { Refilled, type Fill } from '../ui/refilled';
import { Loaded } from '../ui/states';
import { textIn, useFields } from '../ui/use-fields';
import { changedFields } from './changed-fields';
import { LogoField } from './portal-logo';
import classes from './portal.module.css';

type Settings = ResponseOf<'getPortal'>;
type PortalAction = Settings['allow'][number];

const actions: Readonly<Record<PortalAction, { readonly label: string; readonly note?: string; readonly example: string }>> = {
  free_devices: { label: t('Free seats'), example: t('Free this seat') },
  reissue: { label: t('Replace a leaked key'), note: t('The previous key stops working at once.'), example: t('Replace the key') },
  change_email: {
    label: t('Change the e-mail address'),
    note: t('For all licenses of the buyer in this product.'),
    example: t('Change your address'),
  },
  offline: { label: t('License devices without internet'), example: t('A device without internet') },
  downloads: { label: t('Download releases'), example: t('Download') },
  sign_in: {
    label: t('Activate apps by signing in'),
    note: t('An app shows a code, and the buyer approves it here. No key is typed.'),
    example: t('Activate an app'),
  },
  members: {
    label: t('Manage members'),
    note: t('The buyers and managers of licenses for named people add and remove members.'),
    example: t('Members'),
  },
};

const portalActions = Object.keys(actions) as PortalAction[];

/** The links to the vendor's pages. */
const links = {
  support_url: {
    label: t('Help (optional)'),
    note: t('An https: or mailto: address.'),
    example: 'https://example.com/help',
    shown: t('Help'),
  },
  shop_url: { label: t('Shop (optional)'), note: undefined, example: 'https://example.com/buy', shown: t('Shop') },
  imprint_url: { label: t('Legal notice (optional)'), note: undefined, example: 'https://example.com/imprint', shown: t('Legal notice') },
  privacy_url: { label: t('Privacy policy (optional)'), note: undefined, example: 'https://example.com/privacy', shown: t('Privacy') },
} as const;
type LinkName = keyof typeof links;
const linkNames = Object.keys(links) as LinkName[];

const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

const valuesOf = (settings: Settings, productName: string) => ({
  enabled: settings.enabled,
  title: settings.title === productName ? '' : settings.title,
  support_url: settings.support_url ?? '',
  shop_url: settings.shop_url ?? '',
  imprint_url: settings.imprint_url ?? '',
  privacy_url: settings.privacy_url ?? '',
  logo: settings.logo?.sha256 ?? null,
  color: settings.color ?? '',
  allow: settings.allow,
  frees_per_30_days: String(settings.frees_per_30_days),
});

const bodyOf = (values: ReturnType<typeof valuesOf>): RequestOf<'setPortal'>['body'] => ({
  enabled: values.enabled,
  title: textIn(values.title),
  support_url: textIn(values.support_url),
  shop_url: textIn(values.shop_url),
  imprint_url: textIn(values.imprint_url),
  privacy_url: textIn(values.privacy_url),
  logo: values.logo,
  color: textIn(values.color),
  allow: values.allow,
  frees_per_30_days: numberIn(values.frees_per_30_days) ?? 0,
});

function Form({
  product,
  filled: settings,
  onEdited,
  onSaved,
}: { product: { readonly id: number; readonly name: string } } & Fill<Settings>) {
  const save = useChange('setPortal', {
    stale: [['portal', product.id]],
    done: (saved) => (saved.enabled ? t('The portal is open') : t('The portal is off')),
    onSuccess: onSaved,
  });
  const { values, field, check, change } = useFields(valuesOf(settings, product.name), save);
  const [logo, setLogo] = useState<LogoImage | null>(settings.logo && { ...settings.logo, src: settings.logo.path });
  const body = changedFields(bodyOf(valuesOf(settings, product.name)), bodyOf(values));
  const isChanged = Object.keys(body).length > 0;
  useEffect(() => onEdited(isChanged), [isChanged, onEdited]);
  return (
    <Columns>
      <Panel title={t('Settings')}>
        <PageForm onSubmit={() => save.mutate({ params: { id: product.id }, body })} submit={t('Save')} primary change={save}>
          {!settings.mail_configured && (
            <p role="note">
              <T
                text="The service cannot send mail yet, so buyers can sign in only with links that you create. See {link}."
                values={{ link: <Link to={href('/mail')}>{t('Mail')}</Link> }}
              />
            </p>
          )}
          <Check label={t('Open the portal to buyers')} {...check('enabled')} />
          <TextInput label={t('Title (optional)')} placeholder={product.name} {...field('title')} maxLength={100} autoComplete="off" />
          <LogoField
            productId={product.id}
            logo={logo}
            error={field('logo').error}
            onChange={(chosen) => {
              setLogo(chosen);
              change({ logo: chosen?.sha256 ?? null });
            }}
          />
          {linkNames.map((name) => (
            <TextInput
              key={name}
              label={links[name].label}
              description={links[name].note}
              placeholder={links[name].example}
              {...field(name)}
              autoComplete="off"
            />
          ))}
          <TextInput label={t('Color (optional)')} placeholder="#0b7285" {...field('color')} maxLength={7} autoComplete="off" />
          <fieldset className={classes['checks']}>
            <legend>{t('Buyers may')}</legend>
            {portalActions.map((action) => (
              <Check
                key={action}
                label={actions[action].label}
                note={actions[action].note}
                checked={values.allow.includes(action)}
                onChange={(checked) =>
                  change({ allow: portalActions.filter((one) => (one === action ? checked : values.allow.includes(one))) })
                }
              />
            ))}
            <Wrong>{field('allow').error}</Wrong>
          </fieldset>
          <NumberField
            label={t('Seats that a buyer may free per license in 30 days')}
            description={t('0: any number.')}
            {...field('frees_per_30_days')}
            maxLength={4}
          />
        </PageForm>
      </Panel>
      <Preview
        logo={logo}
        title={textIn(values.title) ?? product.name}
        color={isColor(values.color.trim()) ? values.color.trim() : undefined}
        linked={linkNames.filter((name) => textIn(values[name]) !== null).map((name) => links[name].shown)}
        allow={values.allow}
      />
    </Columns>
  );
}

/** A preview of the portal with the values in the form, whether or not they are saved. */
function Preview({
  logo,
  title,
  color,
  linked,
  allow,
}: {
  logo: LogoImage | null;
  title: string;
  color: string | undefined;
  linked: readonly string[];
  allow: readonly PortalAction[];
}) {
  const style = color === undefined ? undefined : { background: color, color: textOn(color) };
  return (
    <Panel title={t('Preview')}>
      <Stack>
        {(['light', 'dark'] as const).map((mode) => (
          <div key={mode} className={`${classes['preview'] ?? ''} ${classes[mode] ?? ''}`}>
            {logo && <img src={logo.src} alt={t('Logo')} {...shownSize(logo)} />}
            <bdi className={classes['title']}>{title}</bdi>
            <span>{t('See your licenses, free a seat, or find a lost key.')}</span>
            <span className={classes['button']} style={style}>
              {t('Send me a code')}
            </span>
            <Dim>
              {[t('Copy key'), ...portalActions.filter((action) => allow.includes(action)).map((action) => actions[action].example)].join(
                ' · ',
              )}
            </Dim>
            {linked.length > 0 && <Dim>{linked.join(' · ')}</Dim>}
          </div>
        ))}
      </Stack>
    </Panel>
  );
}

/** The settings of the portal: a page on which buyers manage their licenses without the vendor's support. */
export function PortalPage({ productId }: { productId: number }) {
  const product = useProduct(productId);
  const settings = usePortal(productId);
  return (
    <Loaded query={product} page={t('Portal')}>
      {({ id, name, slug }) => {
        const address = `${window.location.origin}/portal/${slug}`;
        return (
          <>
            <PageHead title={t('Portal')} back={{ to: href(`/products/${id}`), label: name }}>
              {t(
                'A page where buyers see their licenses, free seats and find lost keys. Buyers sign in with a code that they receive by mail.',
              )}
            </PageHead>
            <Loaded query={settings} lines={6}>
              {(loaded) => (
                <Stack>
                  {loaded.enabled && (
                    <Panel>
                      <Row>
                        <a href={address} target="_blank" rel="noreferrer">
                          {address}
                        </a>
                        <CopyButton text={address} what={t('address')} />
                      </Row>
                    </Panel>
                  )}
                  <Refilled stored={loaded} valuesOf={JSON.stringify}>
                    {(fill) => <Form product={{ id, name }} {...fill} />}
                  </Refilled>
                </Stack>
              )}
            </Loaded>
          </>
        );
      }}
    </Loaded>
  );
}
