import { t } from '../texts';
import { BoxIcon } from '../ui/icons';
import { href, Link } from '../router';
import { PageHead, Panel } from '../ui/page';
import { Empty } from '../ui/states';

export function NotFoundPage() {
  return (
    <>
      <PageHead title={t('Not found')} />
      <Panel>
        <Empty icon={<BoxIcon size={26} />} title={t('This page does not exist')} action={<Link to={href('/')}>{t('All products')}</Link>}>
          {t('The address may be mistyped, or the page may have been removed.')}
        </Empty>
      </Panel>
    </>
  );
}
