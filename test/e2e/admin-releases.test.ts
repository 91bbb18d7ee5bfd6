import type { Page } from 'playwright-core';
import type { ReleaseView } from '../../lambdas/contract/resources';
import { button, dialog, goTo, heading, main, openAdmin, told } from '../support/admin';
import { findings } from '../support/axe';
import { freshTabs } from '../support/browser';
import { baseUrl, get, newProduct, post } from '../support/http';
import { until } from '../support/until';

/**
 * Tests how an operator publishes a version in the browser. The browser uploads the files directly to the file store. The page must not
 * offer an action that the service would refuse.
 */

let page: Page;
freshTabs((opened) => (page = opened));

const getRelease = async (id: number): Promise<ReleaseView> => (await get<ReleaseView>(`/v1/releases/${id}`)).body;
const idOnPage = (): number => Number(/releases\/(\d+)$/.exec(page.url())?.[1]);
const file = (name: string, buffer = Buffer.from(`the bytes of ${name}`)) => ({ name, mimeType: 'application/octet-stream', buffer });
const choose = (...files: readonly ReturnType<typeof file>[]): Promise<void> =>
  page.locator('input[type="file"]').setInputFiles([...files]);

/** Opens the page of a draft. */
async function openDraft(): Promise<ReleaseView> {
  const { id } = await newProduct();
  const { body } = await post<ReleaseView>(`/v1/products/${id}/releases`, { version: '2.4.0' });
  await openAdmin(page, `/releases/${body.id}`);
  await heading(page, 'Version 2.4.0').waitFor();
  return body;
}

test('an operator creates a version, uploads its files, publishes it, yanks it, and offers it again', async () => {
  const product = await newProduct();
  await openAdmin(page, `/products/${product.id}/releases`);
  await page.getByText('No releases yet').waitFor();
  expect(await findings(page, 'no releases')).toEqual([]);
  await button(main(page), 'New release').first().click();
  const form = dialog(page, 'New release');
  await form.getByLabel('Version').fill('two');
  await button(form, 'Create draft').click();
  await form.getByText(/^This must be a version by Semantic Versioning/).waitFor();
  await form.getByLabel('Version').fill('2.4.0');
  await form.getByLabel(/^Notes/).fill('Faster sync');
  await button(form, 'Create draft').click();
  await heading(page, 'Version 2.4.0').waitFor();
  expect(await button(page, 'Publish').isDisabled()).toBe(true);

  // Drops all files of a build together. Among them are a signature, an update feed that is not needed, and a file whose name does not show
  // its platform.
  const dropped = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    for (const [name, text] of [
      ['Aurora 2.4.0-arm64.dmg', 'dmg'], ['Aurora-2.4.0-x64.exe', 'exe'], ['Aurora-2.4.0-x64.exe.sig', 'signed '], ['latest.yml', ''], ['help.zip', 'help'],
    ]) data.items.add(new File([text], name));
    return data;
  })()`);
  await page.getByText('Drop files here').dispatchEvent('drop', { dataTransfer: dropped });
  await page.getByText('These files are not uploaded, because no release needs them: latest.yml').waitFor();
  await page.getByText('First choose the system and processor of: help.zip').waitFor();
  await page.getByLabel('System of help.zip').selectOption({ label: 'Any system' });
  await page.getByLabel('Processor of help.zip').selectOption({ label: 'any processor' });
  expect(await findings(page, 'chosen files')).toEqual([]);
  await button(page, 'Upload 3 files').click();
  for (const name of ['Aurora-2.4.0-arm64.dmg', 'Aurora-2.4.0-x64.exe', 'help.zip'])
    await page.getByRole('row').filter({ hasText: name }).getByText('Uploaded', { exact: true }).waitFor();
  const id = idOnPage();
  expect((await getRelease(id)).artifacts).toEqual([
    expect.objectContaining({
      filename: 'Aurora-2.4.0-arm64.dmg',
      platform: 'macos',
      arch: 'arm64',
      size: 3,
      signature: null,
      uploaded: true,
    }),
    expect.objectContaining({ filename: 'Aurora-2.4.0-x64.exe', platform: 'windows', arch: 'x64', signature: 'signed', uploaded: true }),
    expect.objectContaining({ filename: 'help.zip', platform: 'any', arch: 'any', uploaded: true }),
  ]);

  await button(page, 'Publish').click();
  await button(dialog(page, 'Publish this release?'), 'Publish').click();
  await told(page, 'Published version 2.4.0');
  await button(page, 'Edit').waitFor();
  expect(await page.getByText('Drop files here').count()).toBe(0);
  expect(await findings(page, 'published')).toEqual([]);
  await button(page, 'Edit').click();
  const edit = dialog(page, 'Edit this release');
  expect(await edit.getByLabel('Channel').count()).toBe(0);
  await edit.getByLabel(/^Notes/).fill('Faster sync and search');
  await edit.getByLabel(/^Minimum system/).fill('windows=10.0.17763 macos=22.0.0');
  await edit.getByLabel(/^Percentage/).fill('101');
  await button(edit, 'Save changes').click();
  await edit.getByText('This must be an integer from 1 to 100.').waitFor();
  await edit.getByLabel(/^Percentage/).fill('25');
  await button(edit, 'Save changes').click();
  await told(page, 'Changed the release');
  await page.getByText('25 % of the installations').waitFor();
  expect(await getRelease(id)).toMatchObject({
    minimum_system_version: { windows: '10.0.17763', macos: '22.0.0' },
    staging_percentage: 25,
  });

  await button(page, 'Yank').click();
  const yank = dialog(page, 'Yank this release?');
  await yank.getByLabel(/^Reason/).fill('Crashes on start');
  await button(yank, 'Yank').click();
  await page.getByText('“Crashes on start”').waitFor();
  expect(await getRelease(id)).toMatchObject({ status: 'yanked', yanked_reason: 'Crashes on start', notes: 'Faster sync and search' });
  await button(page, 'Offer again').click();
  await told(page, 'Version 2.4.0 is offered again');

  // The page shows the number of downloads.
  await post(`/v1/products/${product.id}/downloads`, { access: 'public' });
  const address = `${baseUrl()}/feeds/${product.slug}/files/2.4.0/Aurora-2.4.0-x64.exe`;
  expect((await fetch(address)).status).toBe(200);
  await goTo(page, `/products/${product.id}/releases`);
  await page.getByRole('row', { name: /2\.4\.0.*Published.*stable.*3 files.* 1 / }).waitFor();
  await page.getByRole('region', { name: 'Downloads by day' }).getByText('Downloads 1').waitFor();
  await page.getByRole('link', { name: '2.4.0' }).click();
  await page.getByRole('region', { name: 'Downloads by day' }).getByText('Downloads 1').waitFor();
  expect(await findings(page, 'downloads')).toEqual([]);
  await page.goBack();
  await page.getByLabel('Channel').selectOption('beta');
  await page.getByText('No releases match these filters').waitFor();
});

test('a file that fails is shown with the reason, the other files are uploaded, and the failed file can be tried again', async () => {
  const { id } = await openDraft();
  let broken = false;
  await page.route(/\/_local\/files\//, async (route) => {
    if (broken) return route.fallback();
    broken = true;
    await route.abort();
  });
  await choose(file('first-x64.exe'), file('second-x64.exe'), file('empty-x64.exe', Buffer.alloc(0)));
  await button(page, 'Upload 3 files').click();
  await page.getByRole('alert').filter({ hasText: 'empty-x64.exe: The file is empty.' }).waitFor();
  const alert = page.getByRole('alert').filter({ hasText: /^(first|second)-x64\.exe: The service cannot be reached/ });
  const failed = ((await alert.textContent()) ?? '').split(':')[0] ?? '';
  const row = (name: string) => page.getByRole('row').filter({ hasText: name }).getByText('Uploaded', { exact: true });
  await row(failed.startsWith('first') ? 'second-x64.exe' : 'first-x64.exe').waitFor();
  expect(await findings(page, 'failed uploads')).toEqual([]);
  expect(await button(page, 'Publish').isDisabled()).toBe(true);
  await button(page, `Try again: ${failed}`).click();
  await row(failed).waitFor();
  await button(page, 'Cancel empty-x64.exe').click();
  await button(page, 'Publish').click();
  await dialog(page, 'Publish this release?').waitFor();
  expect((await getRelease(id)).artifacts.map(({ filename, uploaded }) => [filename, uploaded])).toEqual([
    ['first-x64.exe', true],
    ['second-x64.exe', true],
  ]);
});

test('after a cancelled upload the release can be published', async () => {
  const { id } = await openDraft();
  await page.route(/\/_local\/files\//, () => undefined);
  await choose(file('App-x64.exe'));
  await button(page, 'Upload 1 file').click();
  await page.getByText('Uploading').waitFor();
  // The upload continues while the operator uses another page.
  await goTo(page, '/mail');
  await heading(page, 'Mail').waitFor();
  await goTo(page, `/releases/${id}`);
  await button(page, 'Cancel App-x64.exe').click();
  await until('the file is gone', async () => (await getRelease(id)).artifacts.length === 0);
});

test('a file can be removed from a draft, and a draft can be deleted', async () => {
  const { id } = await openDraft();
  await choose(file('App-x64.exe'));
  await button(page, 'Upload 1 file').click();
  await button(page, 'Remove App-x64.exe').click();
  await told(page, 'Removed the file');
  await button(page, 'Delete').click();
  await button(dialog(page, 'Delete this draft?'), 'Delete the draft').click();
  await heading(page, 'Releases').waitFor();
  expect((await get(`/v1/releases/${id}`)).status).toBe(404);
});

test('an operator opens the downloads to everybody', async () => {
  const product = await newProduct();
  await openAdmin(page, `/products/${product.id}/releases`);
  await page.getByLabel('Who may download').selectOption({ label: 'Everybody, without a license' });
  await told(page, 'Everybody may download');
  expect((await get<{ access: string }>(`/v1/products/${product.id}/downloads`)).body.access).toBe('public');
});
