import { NewProduct } from '../../admin-site/src/pages/new-product';
import { unique } from '../support/http';
import { loseNextResponse, openDialog } from './page';

test("after a lost response, the created product is not reported as somebody else's name", async () => {
  const form = await openDialog((opened, onClose) => <NewProduct opened={opened} onClose={onClose} />);
  await form.fill('Name', unique('Lost'));
  loseNextResponse(() => Promise.reject(new TypeError('Failed to fetch')));
  await form.press('Create product');
  await form.within.findByRole('alert');
  await form.press('Create product');
  await form.closed();
  expect(window.location.hash).toMatch(/^#\/products\/\d+\/integration/);
});
