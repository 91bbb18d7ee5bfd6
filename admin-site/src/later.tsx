import { Button } from '@mantine/core';
import { lazy, useState, type ComponentType, type LazyExoticComponent } from 'react';
import { t } from './texts';
import { RefreshIcon, WarningIcon } from './ui/icons';
import { PageHead, Panel } from './ui/page';
import { Empty } from './ui/states';

const loadOthers = () => import('./pages/others');

/** Loads the script of all pages except the first page. If loading fails, the page that needs the script loads it again. */
export const loadEarly = (): void => void loadOthers().catch(() => undefined);

/**
 * Shown if the script can't be loaded. Either there is no connection, or the page was opened before an update of the service, and the old
 * script has been deleted since.
 */
function NotLoaded() {
  const [busy, setBusy] = useState(false);
  const reload = async (): Promise<void> => {
    setBusy(true);
    // Reloads only if the service can be reached. Otherwise, the reload would replace this page with the browser's own error page.
    const { ok } = await fetch(window.location.pathname, { cache: 'no-store' }).catch(() => ({ ok: false }));
    if (ok) window.location.reload();
    else setBusy(false);
  };
  return (
    <>
      <PageHead title={t('Not loaded')} />
      <Panel>
        <div role="alert">
          <Empty
            icon={<WarningIcon size={26} />}
            title={t('This page could not be loaded')}
            action={
              <Button leftSection={<RefreshIcon size={16} />} onClick={() => void reload()} loading={busy}>
                {t('Try again')}
              </Button>
            }
          >
            {t('There is no connection, or the service was updated after you opened this page.')}
          </Empty>
        </div>
      </Panel>
    </>
  );
}

/** A page whose script is loaded when the page is first shown, or earlier by {@link loadEarly}. */
export const later = <Props,>(
  choose: (pages: Awaited<ReturnType<typeof loadOthers>>) => ComponentType<Props>,
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(async (): Promise<{ default: ComponentType<Props> }> => {
    try {
      return { default: choose(await loadOthers()) };
    } catch {
      return { default: NotLoaded };
    }
  });
