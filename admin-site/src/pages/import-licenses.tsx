import { useQuery } from '@tanstack/react-query';
import { t } from '../texts';
import { Dialog } from '../ui/dialog';
import { Loaded } from '../ui/states';
import { OfferedTypes } from './offered-types';

/**
 * The form and the code that checks a file. The code includes the service's schemas, so both are loaded only when an operator imports a
 * file.
 */
const loadForm = async () => {
  try {
    const [{ ImportForm }, checks] = await Promise.all([import('./import-form'), import('../../../lambdas/domain/import/check')]);
    return { ImportForm, checks };
  } catch {
    throw new Error(t('The import could not be loaded. Check that you are online. If the service was updated, reload the page.'));
  }
};

export function ImportLicenses({ productId, opened, onClose }: { productId: number; opened: boolean; onClose: () => void }) {
  const form = useQuery({ queryKey: ['import-form'], queryFn: loadForm, staleTime: Infinity, enabled: opened });
  return (
    <Dialog title={t('Import licenses')} opened={opened} onClose={onClose} size="xl">
      <OfferedTypes productId={productId}>
        {(_, types) => (
          <Loaded query={form}>
            {({ ImportForm, checks }) => <ImportForm productId={productId} types={types} checks={checks} onClose={onClose} />}
          </Loaded>
        )}
      </OfferedTypes>
    </Dialog>
  );
}
