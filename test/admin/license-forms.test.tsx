import { act, screen } from '@testing-library/react';
import { useState } from 'react';
import { EditLicense } from '../../admin-site/src/pages/edit-license';
import { IssueMany } from '../../admin-site/src/pages/issue-many';
import { NewLicense } from '../../admin-site/src/pages/new-license';
import { RenewLicense } from '../../admin-site/src/pages/renew-license';
import type { LicenseView } from '../../lambdas/contract/resources';
import { get, getLicense, newFingerprint, newProduct, newShop, newType, patch, post } from '../support/http';
import { loseNextResponse, openDialog, sentBodies, show, told, type Form } from './page';

/** Tests the forms of a license with the real service, without a browser. */

const licensesOf = async (productId: number): Promise<LicenseView[]> =>
  (await get<LicenseView[]>(`/v1/products/${productId}/licenses`)).body;

describe('the form to edit a license', () => {
  const open = (license: LicenseView): Promise<Form> =>
    openDialog((opened, onClose) => <EditLicense license={license} opened={opened} onClose={onClose} />);

  test('only changed fields are sent, so that the changes of somebody else are kept, and a refused value is marked', async () => {
    const { license, client } = await newShop(
      { kind: 'subscription', duration_days: 30, max_seats: 2, features: ['export'] },
      { customer_email: 'ada@exmaple.com', metadata: { order: 'A-1' } },
    );
    await client.activate(license.key, newFingerprint());
    const form = await open(license);
    expect(form.button('Save changes').disabled).toBe(true);
    await form.fill(/e-mail/, 'ada@');
    await form.press('Save changes');
    await form.says('This must be a valid e-mail address.');
    expect(form.field(/e-mail/).getAttribute('aria-invalid')).toBe('true');
    expect(document.activeElement).toBe(form.field(/e-mail/));

    const sent = sentBodies();
    await form.fill(/e-mail/, 'ada@example.com');
    await form.fill('Seats', '5');
    await form.fill(/^Features \(/, 'sync export');
    await form.check('Never expires');
    await patch(`/v1/licenses/${license.id}`, { metadata: { order: 'A-2' } });
    await form.press('Save changes');
    await told('Changed the license');
    expect(sent).toEqual([{ customer_email: 'ada@example.com', expires_at: null, max_seats: 5, features: ['export', 'sync'] }]);
    expect(await getLicense(license.id)).toMatchObject({ metadata: { order: 'A-2' }, seats: { used: 1, max: 5 } });
  });

  test('metadata that was not edited is not sent, even if the license was loaded again while the form was open', async () => {
    const { license } = await newShop({}, { metadata: { order: 'A-1' } });
    let load = (_: LicenseView): void => undefined;
    function Page({ opened, onClose }: { opened: boolean; onClose: () => void }) {
      const [present, setPresent] = useState(license);
      load = setPresent;
      return <EditLicense license={present} opened={opened} onClose={onClose} />;
    }
    const form = await openDialog((opened, onClose) => <Page opened={opened} onClose={onClose} />);
    await form.fill(/e-mail/, 'ada@example.com');
    await patch(`/v1/licenses/${license.id}`, { metadata: { order: 'A-2' } });
    const present = await getLicense(license.id);
    act(() => load(present));
    const sent = sentBodies();
    await form.press('Save changes');
    await form.closed();
    expect(sent).toEqual([{ customer_email: 'ada@example.com' }]);
  });

  // To correct a buyer's name, an operator should not have to edit JSON, where a typing error loses the rest.
  test('the name and the company are fields of their own, and other metadata stays', async () => {
    const { license } = await newShop({}, { metadata: { order: 'A-1', name: 'Ada Kng', company: ' Northwind ' } });
    const form = await open(license);
    expect(['Buyer’s name (optional)', 'Company (optional)'].map((label) => form.field(label).value)).toEqual(['Ada Kng', '']);
    expect(JSON.parse(form.field(/Metadata/).value)).toEqual({ order: 'A-1', company: ' Northwind ' });
    await form.fill('Company (optional)', 'Northwind');
    await form.says(/The metadata already contains “company”/);
    expect(form.button('Save changes').disabled).toBe(true);
    await form.fill('Company (optional)', '');
    await form.fill(/name/, 'Ada King');
    await form.press('Save changes');
    await form.closed();
    expect((await getLicense(license.id)).metadata).toEqual({ order: 'A-1', name: 'Ada King', company: ' Northwind ' });
  });

  test('a form with an incomplete or unchanged value cannot be sent', async () => {
    const { license } = await newShop({ max_seats: 2 });
    const form = await open(license);
    const isReady = (): boolean => !form.button('Save changes').disabled;
    await form.fill('Seats', '');
    expect(isReady()).toBe(false);
    await form.check('Unlimited seats');
    expect(isReady()).toBe(true);
    await form.check('Seats of the license type');
    expect(isReady()).toBe(false);
    expect(form.field('Seats').value).toBe('2');
    await form.check('Never expires');
    expect(isReady()).toBe(false);
    await form.check('Never expires');
    await form.fill(/Metadata/, '[1]');
    await form.says(/must be a JSON object/);
    await form.fill(/e-mail/, 'ada@example.com');
    expect(isReady()).toBe(false);
    await form.fill(/Metadata/, '{"order": 1}');
    expect(isReady()).toBe(true);
  });

  test('own seats and features can be returned to those of the license type', async () => {
    const { license } = await newShop({ max_seats: 2, features: ['export'] }, { max_seats: 7, features: ['sync'] });
    const form = await open(license);
    expect(form.field('Seats').value).toBe('7');
    await form.check('Seats of the license type');
    await form.check('Features of the license type');
    expect([form.field('Seats').value, form.field(/^Features \(/).value]).toEqual(['2', 'export']);
    const sent = sentBodies();
    await form.press('Save changes');
    await told('Changed the license');
    expect(sent).toEqual([{ max_seats: null, features: null }]);
    expect(await getLicense(license.id)).toMatchObject({ own_terms: [], seats: { max: 2 }, features: ['export'] });
  });

  test('the Close button and Escape ask before they discard input', async () => {
    const { license } = await newShop();
    const form = await open(license);
    await form.fill(/e-mail/, 'ada@example.com');
    await form.press('Close');
    await form.says('Discard your changes?');
    await form.press('Keep editing');
    expect(form.within.queryByText('Discard your changes?')).toBeNull();
    expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true);
    await form.user.keyboard('{Escape}');
    await form.says('Discard your changes?');
    expect(form.field(/e-mail/).value).toBe('ada@example.com');
    await form.press('Discard');
    await form.closed();
  });

  test('a new address can get the key at once', async () => {
    const { license } = await newShop({}, { customer_email: 'wrong@example.com' });
    const form = await open(license);
    await form.fill(/e-mail/, 'right@example.com');
    await form.check('Mail the key to right@example.com');
    await form.press('Save changes');
    await told('The key will be mailed to right@example.com');
  });

  test('if somebody else changes the metadata during an edit, both versions are shown and neither is lost silently', async () => {
    const { license } = await newShop({}, { metadata: { order: 'A-1' } });
    const form = await open(license);
    await form.fill(/Metadata/, '{"order": "A-1", "mine": true}');
    await patch(`/v1/licenses/${license.id}`, { metadata: { order: 'A-1', theirs: true } });
    await form.press('Save changes');
    await form.says(/The metadata was changed in the meantime/);
    expect(form.within.getByRole('group', { name: 'The present metadata' }).textContent).toContain('theirs');
    expect(form.field(/Metadata/).value).toContain('mine');
    expect(form.button('Save changes').disabled).toBe(true);

    await form.press('Keep my version, and replace this one');
    await form.press('Save changes');
    await form.closed();
    expect((await getLicense(license.id)).metadata).toEqual({ order: 'A-1', mine: true });
  });

  test('after a conflict, the version of somebody else can be taken and extended', async () => {
    const { license } = await newShop();
    const form = await open(license);
    await form.fill(/Metadata/, '{"mine": true}');
    await patch(`/v1/licenses/${license.id}`, { metadata: { theirs: true } });
    await form.press('Save changes');
    await form.says(/The metadata was changed in the meantime/);
    await form.press('Take this version');
    expect(form.button('Save changes').disabled).toBe(true);
    await form.fill(/Metadata/, '{"theirs": true, "mine": true}');
    await form.press('Save changes');
    await form.closed();
    expect((await getLicense(license.id)).metadata).toEqual({ theirs: true, mine: true });
  });
});

describe('the form for a new license', () => {
  const open = (productId: number): Promise<Form> =>
    openDialog((opened, onClose) => <NewLicense productId={productId} opened={opened} onClose={onClose} />);
  const issuedKey = async (form: Form): Promise<string | null> => (await form.within.findByTestId('issued-key')).textContent;
  /** Sends the form. The service issues the license, but the form does not get the response. */
  async function issueUnheard(productId: number, lose: () => Response | Promise<never> = lost): Promise<Form> {
    const form = await open(productId);
    await form.fill(/e-mail/, 'ada@example.com');
    loseNextResponse(lose);
    await form.press('Issue license');
    await form.within.findByRole('alert');
    return form;
  }
  const lost = (): Promise<never> => Promise.reject(new TypeError('Failed to fetch'));
  const timedOut = (): Response => new Response('{"detail":"The service took too long"}', { status: 504 });

  test('it issues a license with terms that differ from the type, and stores an international address as typed', async () => {
    const { product_id: productId } = await newType(await newProduct());
    const form = await open(productId);
    await form.fill(/Metadata/, '{"order": ');
    await form.says(/This is not valid JSON/);
    expect(form.button('Issue license').disabled).toBe(true);
    await form.fill(/Metadata/, '{"order": "A-1001"}');
    await form.fill(/e-mail/, 'anna@');
    await form.fill(/^Seats/, '4');
    await form.fill(/^Features \(/, 'sync export');
    await form.fill(/major version/, '3');
    await form.press('Issue license');
    await form.says('This must be a valid e-mail address.');
    expect(document.activeElement).toBe(form.field(/e-mail/));
    expect(document.body.textContent).not.toContain('customer_email');
    const sent = sentBodies();
    await form.fill(/e-mail/, 'anna@bücher.example');
    await form.press('Issue license');
    const key = await issuedKey(form);
    expect(sent).toMatchObject([{ customer_email: 'anna@bücher.example' }]);
    expect(await licensesOf(productId)).toMatchObject([
      { key, metadata: { order: 'A-1001' }, features: ['export', 'sync'], updates: { max_major: 3 }, seats: { max: 4 } },
    ]);
  });

  test('if keys are mailed, the form names the recipient and asks for a confirmation, and does not ask the operator to send the key', async () => {
    const { product_id: productId } = await newType(await newProduct());
    await post(`/v1/products/${productId}/mail`, { send_keys: true });
    const form = await open(productId);
    await form.fill(/e-mail/, 'ada@example.com');
    await form.says(/Mail the key to/);
    await form.press('Issue license');
    await form.says(/The key is mailed to/);
    await form.press('Issue another');
    await form.fill(/e-mail/, 'grace@example.com');
    await form.check(/Mail the key to/);
    const sent = sentBodies();
    await form.press('Issue license');
    await form.says(/Send this key to the buyer/);
    expect(sent).toMatchObject([{ mail: false }]);
  });

  test.each([
    ['after the connection breaks', lost],
    ['after a gateway times out', timedOut],
  ])('%s the license is issued once if it is requested again, and another request issues another license', async (_, lose) => {
    const { product_id: productId } = await newType(await newProduct());
    const form = await issueUnheard(productId, lose);
    // An invalid input in between does not lead to a second license.
    await form.fill(/e-mail/, 'ada@');
    await form.press('Issue license');
    await form.says(/^This must be a valid e-mail address/);
    await form.fill(/e-mail/, 'ada@example.com');
    await form.press('Issue license');
    const first = await issuedKey(form);
    expect((await licensesOf(productId)).map(({ key }) => key)).toEqual([first]);

    await form.press('Issue another');
    await form.fill(/e-mail/, 'ada@example.com');
    await form.press('Issue license');
    expect(await issuedKey(form)).not.toBe(first);
    expect(await licensesOf(productId)).toHaveLength(2);
  });

  test('after a lost response, a request with another address issues another license', async () => {
    const { product_id: productId } = await newType(await newProduct());
    const form = await issueUnheard(productId);
    await form.fill(/e-mail/, 'grace@example.com');
    await form.press('Issue license');
    await issuedKey(form);
    expect((await licensesOf(productId)).map(({ customer_email: email }) => email)).toEqual(['ada@example.com', 'grace@example.com']);
  });

  test('without a license type that is not archived, the dialog leads to the license types', async () => {
    const { id } = await newProduct();
    await show(<NewLicense productId={id} opened onClose={() => undefined} />);
    await screen.findByText('Add a license type first');
  });
});

describe('the form to issue many licenses', () => {
  test('if keys are mailed, the box to mail them is ticked, and each result says that the key was mailed', async () => {
    const { product_id: productId } = await newType(await newProduct());
    await post(`/v1/products/${productId}/mail`, { send_keys: true });
    const form = await openDialog((opened, onClose) => <IssueMany productId={productId} opened={opened} onClose={onClose} />);
    await form.says(/Mail the key to/);
    expect(form.field(/Mail the key to/).checked).toBe(true);
    const sent = sentBodies();
    await form.fill('Buyers', 'linus@example.com');
    // A second submit before the form is replaced must not issue the licenses twice.
    act(() => {
      form.button('Issue 1 license').click();
      form.button('Issue 1 license').click();
    });
    await form.says(/, mailed$/);
    expect(sent).toMatchObject([{ customer_email: 'linus@example.com' }]);
    expect(sent[0]).not.toHaveProperty('mail');
  });
});

describe('the form to renew a license', () => {
  const open = (license: LicenseView): Promise<Form> =>
    openDialog((opened, onClose) => <RenewLicense license={license} opened={opened} onClose={onClose} />);

  test('after a lost response, the license is renewed only once', async () => {
    const { license } = await newShop({ kind: 'subscription', duration_days: 30 });
    const form = await open(license);
    loseNextResponse(() => Promise.reject(new TypeError('Failed to fetch')));
    await form.press('Renew');
    await form.within.findByRole('alert');
    await form.press('Renew');
    await form.closed();
    expect(Date.parse((await getLicense(license.id)).expires_at ?? '') - Date.parse(license.expires_at ?? '')).toBe(30 * 86_400_000);
  });

  test('a license whose term starts with the first activation can be renewed only until a date', async () => {
    const { license } = await newShop({ kind: 'subscription', duration_days: 30, starts: 'activation' });
    const form = await open(license);
    expect(form.within.queryByLabelText('Renew')).toBeNull();
    await form.fill('Until', '2099-01-01T00:00');
    await form.press('Renew');
    await told(/Renewed until Jan 1, 2099/);
    expect(await getLicense(license.id)).toMatchObject({ term: null, expires_at: new Date('2099-01-01T00:00').toISOString() });
  });
});
