import { Button } from '@mantine/core';
import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { WarningIcon } from './ui/icons';
import { Empty } from './ui/states';

/** Loads the script of all pages but the first. */
export const loadOthers = () => import('./pages/others');

/** Shown if the script can't be loaded: without a network, or after an update of the service, which has another script. */
const NotLoaded = () => (
  <Empty
    icon={<WarningIcon size={26} />}
    title="This page could not be loaded"
    action={<Button onClick={() => window.location.reload()}>Load again</Button>}
  >
    The service may have been updated, or there is no connection.
  </Empty>
);

/** One of the pages that are loaded when one of them is first shown, or earlier by {@link loadOthers}. */
export const later = <Props,>(
  choose: (pages: Awaited<ReturnType<typeof loadOthers>>) => ComponentType<Props>,
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(async (): Promise<{ default: ComponentType<Props> }> => {
    try {
      return { default: choose(await loadOthers()) };
    } catch (error) {
      console.error(error);
      return { default: NotLoaded };
    }
  });
