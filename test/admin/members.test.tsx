import { screen, within } from '@testing-library/react';
import { FindPage } from '../../admin-site/src/pages/find';
import { InvitationMail } from '../../admin-site/src/pages/invitation-mail';
import { Members } from '../../admin-site/src/pages/license-members';
import { NewType } from '../../admin-site/src/pages/type-form';
import type { LicenseTypeView, LicenseView, MemberView } from '../../lambdas/contract/resources';
import { get, getLicense, newLicense, newProduct, newShop, newType, send, unique, adminToken } from '../support/http';
import { openDialog, show, told } from './page';

/** Tests how an operator manages the members of a license, with the real service. */

const membersOf = async (id: number): Promise<readonly [email: string, role: string][]> =>
  (await get<MemberView[]>(`/v1/licenses/${id}/members`)).body.map(({ email, role }) => [email, role]);
const put = (id: number, email: string) =>
  send(`/v1/licenses/${id}/members`, { method: 'PUT', body: { email }, headers: { 'X-Svc-Admin-Token': adminToken() } });

async function newTeam(max_seats: number, emails: readonly string[] = []): Promise<LicenseView> {
  const { license } = await newShop({ binding: 'user', max_seats });
  for (const email of emails) expect((await put(license.id, email)).status).toBe(201);
  return getLicense(license.id);
}

test('a license type for named people is created with its number of devices', async () => {
  const { id } = await newProduct();
  const form = await openDialog((opened, onClose) => <NewType productId={id} opened={opened} onClose={onClose} />);
  await form.fill('Name', 'Team');
  await form.check(/^Floating/);
  await form.says(/^Lease/);
  await form.check(/^Named people/);
  expect(form.within.queryByLabelText(/^Lease/)).toBeNull();
  await form.fill('Devices per member', '2');
  await form.press('Create license type');
  await told('Created the license type Team');
  expect((await get<LicenseTypeView[]>(`/v1/products/${id}/license-types`)).body).toMatchObject([{ binding: 'user', devices_per_user: 2 }]);
});

test('a pasted list is added; who is a member already, what is no address and what has no seat is named', async () => {
  const license = await newTeam(3, ['ada@example.com']);
  const user = await show(<Members license={license} />);
  await screen.findByText('ada@example.com');
  await user.click(screen.getByRole('button', { name: 'Add members' }));
  const form = within(await screen.findByRole('dialog'));
  await user.click(form.getByLabelText('E-mail addresses'));
  await user.paste('Ada <ADA@example.com>; grace@example.com\nlinus@example.com dennis@example.com, nobody');
  await form.findByText(/3 to add; 1 already members; only 2 seats are free; no addresses: nobody/);
  await user.click(form.getByRole('button', { name: 'Add 3 members' }));
  await form.findByText('1 failure');
  form.getByText('was a member already');
  expect(form.getAllByText(/^added, /)).toHaveLength(2);
  await user.click(await form.findByRole('button', { name: 'Done' }));
  expect(await membersOf(license.id)).toHaveLength(3);
});

test('among 60 members, some are found by a part of the address, and removed together after a confirmation', async () => {
  const emails = Array.from({ length: 60 }, (_, place) => `person${place}@${place % 20 === 0 ? 'old' : 'new'}.example`);
  const license = await newTeam(0, emails);
  const user = await show(<Members license={license} />);
  await user.type(await screen.findByLabelText('E-mail of a member'), '@OLD');
  await user.click(await screen.findByLabelText('Select all on this page'));
  screen.getByText('3 selected');
  await user.click(screen.getByRole('button', { name: 'Remove' }));
  const form = within(await screen.findByRole('dialog'));
  form.getByText('person20@old.example');
  await user.click(form.getByRole('button', { name: 'Remove 3 members' }));
  await form.findByText('3 of 3 done');
  expect(await membersOf(license.id)).toHaveLength(57);
});

test('a role is changed in the list, and the change can be undone', async () => {
  const license = await newTeam(2, ['ada@example.com']);
  const user = await show(<Members license={license} />);
  await user.selectOptions(await screen.findByLabelText('Role of ada@example.com'), 'manager');
  await told('ada@example.com is now: Manager');
  expect(await membersOf(license.id)).toEqual([['ada@example.com', 'manager']]);
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await told('Undone. ada@example.com is again: Member');
  expect(await membersOf(license.id)).toEqual([['ada@example.com', 'member']]);
});

test('the page of a person shows the licenses that the person has bought, and those of which the person is a member', async () => {
  const email = `${unique('ada')}@example.com`;
  const team = await newTeam(2, [email]);
  const own = await newLicense(await newType(await newProduct()), { customer_email: email });
  await show(<FindPage search={email} showsAll product={undefined} show={null} />);
  const region = within(await screen.findByRole('region', { name: 'Member of' }));
  region.getByText(team.key);
  expect(region.queryByText(own.key)).toBeNull();
  screen.getByText(own.key);
});

test('the operator sees the default invitation, changes it and sees what a member will get', async () => {
  const { id } = await newProduct();
  const user = await show(<InvitationMail productId={id} />);
  await screen.findByText(/gets a mail with a link to the portal/);
  await user.click(screen.getByRole('button', { name: 'Edit the invitation' }));
  const form = within(await screen.findByRole('dialog'));
  expect(await form.findByLabelText(/^Subject/)).toHaveProperty('value', 'You can use {{product}}');
  const text = form.getByLabelText(/^Text/);
  await user.clear(text);
  await user.click(text);
  await user.paste('Use {{license_type}} until {{expires_at}}.');
  await form.findByText(/^Use Standard until \d/);
  await user.click(form.getByRole('button', { name: 'Save' }));
  await told('Saved the invitation');
  expect((await get<{ invitation_text: string }>(`/v1/products/${id}/mail`)).body).toMatchObject({
    invitation_subject: 'You can use {{product}}',
    invitation_text: 'Use {{license_type}} until {{expires_at}}.',
  });
});
