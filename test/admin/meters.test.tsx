import { act, screen } from '@testing-library/react';
import { EditLicense } from '../../admin-site/src/pages/edit-license';
import { History } from '../../admin-site/src/pages/license-history';
import { Meters } from '../../admin-site/src/pages/license-meters';
import { NewLicense } from '../../admin-site/src/pages/new-license';
import { EditType, NewType } from '../../admin-site/src/pages/type-form';
import type { LicenseTypeView, LicenseView } from '../../lambdas/contract/resources';
import { get, getLicense, newProduct, newShop, newType, post } from '../support/http';
import { openDialog, sentBodies, show, told, type Form } from './page';

/** Tests the forms for limits and meters, and the meters of a license, with the real service. */

const exports = { name: 'exports', included: 100, period: 'month', overage: 'refuse', returnable: false } as const;
const metersOf = async (id: number) => (await get<{ meter: string; used: number; included: number }[]>(`/v1/licenses/${id}/meters`)).body;
const typesOf = async (id: number) => (await get<LicenseTypeView[]>(`/v1/products/${id}/license-types`)).body;

test('a license type is created with limits and meters, and a refused meter is marked', async () => {
  const { id } = await newProduct();
  const form = await openDialog((opened, onClose) => <NewType productId={id} opened={opened} onClose={onClose} />);
  await form.fill('Name', 'Pro');
  await form.fill(/Limits/, 'projects=50 cores');
  await form.says(/must be a name and a number/);
  await form.fill(/Limits/, 'projects=50 cores=8');
  await form.press('Add a meter');
  expect(form.button('Create license type').disabled).toBe(true);
  await form.fill('Meter', 'Exports');
  await form.fill('Included', '1000');
  await form.choose('Counted', 'for the whole life of the license');
  await form.check('Apps can give back');
  await form.choose('What exceeds it', 'is counted too');
  await form.press('Create license type');
  await form.says(/^This must be 1 to 64 of a-z/);
  expect(form.field('Meter').getAttribute('aria-invalid')).toBe('true');
  await form.fill('Meter', 'exports');
  await form.press('Create license type');
  await told('Created the license type Pro');
  expect(await typesOf(id)).toMatchObject([
    {
      limits: { cores: 8, projects: 50 },
      meters: [{ name: 'exports', included: 1000, period: 'none', overage: 'allow', returnable: true }],
    },
  ]);
});

test('a change of a license type sends only what was changed', async () => {
  const type = await newType(await newProduct(), { limits: { projects: 50 }, meters: [exports] });
  const form = await openDialog((opened, onClose) => <EditType type={opened ? type : undefined} onClose={onClose} />);
  expect(form.button('Save changes').disabled).toBe(true);
  const sent = sentBodies();
  await form.fill('Included', '200');
  await form.press('Save changes');
  await told(/Changed the license type/);
  expect(sent).toEqual([{ meters: [{ ...exports, included: 200 }] }]);
});

describe('a license', () => {
  const terms = { limits: { projects: 50 }, meters: [exports] };
  const edit = (license: LicenseView): Promise<Form> =>
    openDialog((opened, onClose) => <EditLicense license={license} opened={opened} onClose={onClose} />);

  test('is issued with its own limits, an empty object included, and otherwise gets those of the type', async () => {
    const { product_id: productId } = await newType(await newProduct(), terms);
    const form = await openDialog((opened, onClose) => <NewLicense productId={productId} opened={opened} onClose={onClose} />);
    const sent = sentBodies();
    await form.check(/Own limits/);
    await form.press('Issue license');
    await form.within.findByTestId('issued-key');
    expect(sent).toMatchObject([{ limits: {} }]);
    expect(sent[0]).not.toHaveProperty('meters');
  });

  test('gets its own limits and meters, and those of its type again', async () => {
    // Own limits that equal those of the type would stay if the license moved to another type.
    const { license } = await newShop(terms, { limits: terms.limits });
    let form = await edit(license);
    expect(form.field(/Own limits/).checked).toBe(true);
    expect(form.field(/Limits \(/).value).toBe('projects=50');
    await form.fill(/Limits \(/, 'projects=80');
    await form.check(/Own meters/);
    await form.fill('Included', '500');
    await form.press('Save changes');
    await told('Changed the license');
    const own = await getLicense(license.id);
    expect(own.limits).toEqual({ projects: 80 });
    expect(await metersOf(license.id)).toMatchObject([{ meter: 'exports', included: 500 }]);
    await form.closed();

    form = await edit(own);
    const sent = sentBodies();
    await form.check(/Own limits/);
    await form.check(/Own meters/);
    await form.press('Save changes');
    await form.closed();
    expect(sent).toEqual([{ limits: null, meters: null }]);
  });

  test('names the meter and the threshold in its history', async () => {
    const { license } = await newShop(terms);
    await post(`/v1/licenses/${license.id}/consume`, { meter: 'exports', amount: 80, id: 'consumption-1' });
    await show(<History license={license} />);
    await screen.findByText('exports, 80 %');
  });

  test('shows its meters, and a correction shows its result before and after it is made', async () => {
    const { license } = await newShop(terms);
    await post(`/v1/licenses/${license.id}/consume`, { meter: 'exports', amount: 37, id: 'consumption-1' });
    const user = await show(<Meters license={license} />);
    await screen.findByText('37 of 100');
    await screen.findByText(/63 left, counted each month, begins again/);
    const correct = async (how: string, amount: string): Promise<void> => {
      await user.click(screen.getByRole('button', { name: 'Correct exports' }));
      await user.selectOptions(await screen.findByLabelText('Correction'), how);
      await user.type(screen.getByLabelText('Number'), amount);
    };
    await correct('Add a number, or subtract it', '-40');
    await screen.findByText(/After the correction/);
    expect(screen.getByText(/After the correction/).textContent).toBe('After the correction: 0 of 100.');
    await user.click(screen.getByRole('button', { name: 'Correct' }));
    await told('Corrected exports to 0 of 100');
    await act(() => Promise.resolve());
    expect(await metersOf(license.id)).toMatchObject([{ used: 0 }]);

    await correct('Set to a number', '130');
    await user.click(screen.getByRole('button', { name: 'Correct' }));
    await told('Corrected exports to 130 of 100');
    await screen.findByText(/30 more than included/);
  });
});
