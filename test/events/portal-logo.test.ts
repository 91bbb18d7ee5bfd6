import { startFiles, type TestFiles } from '../support/files';
import { captureLogs } from '../support/logs';
import type { Product } from '../support/event-harness';
import type { MailServer } from '../support/mail-server';
import { declaredLogo, png } from '../support/png';
import { freshPortals, startPortalHarness, type PortalHarness } from '../support/portal';
import { upload, type Upload } from '../support/releases';

/** Tests the logo of a portal, from its upload to the page and the mails that show it (docs/spec/portal.md, Logo). */

captureLogs();

interface Settings {
  readonly logo: { readonly sha256: string; readonly path: string; readonly width: number; readonly height: number } | null;
}

let files: TestFiles;
let mail: MailServer;
let service: PortalHarness;
let product: Product;
let ada: string;
let origin: string;

freshPortals(async (fresh) => {
  ({ mail, product, ada } = fresh);
  files = await startFiles(() => fresh.service.now());
  service = startPortalHarness(fresh.table, mail, { files: files.files, clock: () => fresh.service.now() });
  await product.license({ customer_email: ada });
});
afterEach(async () => {
  service.close();
  await files.close();
});

const set = (body: object) => service.call('setPortal', { params: { id: product.id }, body });
const get = (path: string): Promise<Response> => fetch(origin + path);

/** Uploads an image and returns its hash. */
async function uploaded(image: Uint8Array): Promise<string> {
  const declared = declaredLogo(image);
  const answer = await service.ok<{ upload: Upload }>('createPortalLogoUpload', { params: { id: product.id }, body: declared });
  ({ origin } = new URL(answer.upload.url));
  expect((await upload(answer.upload, image)).status).toBe(200);
  return declared.sha256;
}
const shown = async (logo: string | null): Promise<Settings['logo']> => {
  const { status, body } = await set({ logo });
  expect({ status, body }).toMatchObject({ status: 200 });
  return (body as unknown as Settings).logo;
};

test('a logo appears on the page and in mails, as an image that browsers keep for ever', async () => {
  const image = png(480, 96);
  const sha256 = await uploaded(image);
  expect((await get(`/logo-uploads/${product.slug}/${sha256}`)).status).toBe(404);
  const logo = await shown(sha256);
  expect(logo).toEqual({ sha256, path: expect.stringMatching(`^/logos/${product.slug}/[0-9a-f]{16}\\.png$`), width: 480, height: 96 });
  for (const [name, params] of [
    ['getPortal', { id: product.id }],
    ['showPortal', { slug: product.slug }],
  ] as const)
    expect((await service.ok<Settings>(name, { params })).logo).toEqual(logo);

  const response = await get(logo!.path);
  expect([...response.headers]).toEqual(
    expect.arrayContaining([
      ['content-type', 'image/png'],
      ['x-content-type-options', 'nosniff'],
      ['cache-control', 'public, max-age=31536000, immutable'],
    ]),
  );
  expect(Buffer.from(await response.arrayBuffer()).equals(image)).toBe(true);

  const { html, text } = (await service.requestCode(product, ada))!;
  expect(html).toContain(`<img src="https://licenses.example.com${logo!.path}" alt="" width="240" height="48"`);
  expect(text).not.toContain('/logos/');
});

test('a replaced or removed logo is no longer served, and a repeated request keeps the logo', async () => {
  const first = await shown(await uploaded(png(10, 10)));
  const sha256 = await uploaded(png(20, 10));
  const second = await shown(sha256);
  // A request that changes something else keeps the logo, and so does a request with the same hash.
  expect([(await set({ title: 'Other' })).body['logo'], await shown(sha256)]).toEqual([second, second]);
  expect((await get(first!.path)).status).toBe(403);
  expect((await get(second!.path)).status).toBe(200);
  expect(await shown(null)).toBeNull();
  const { status, headers } = await get(second!.path);
  expect([status, headers.get('cache-control')]).toEqual([403, null]);
  expect((await service.requestCode(product, ada))?.html).not.toContain('<img');
});

test.each([
  ['a text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), 'must be a PNG image'],
  ['a page behind the beginning of an image', Buffer.concat([png(1, 1), Buffer.from('<script>')]), 'must be a PNG image'],
  ['an incomplete image', png(9, 9).subarray(0, 40), 'must be a PNG image'],
  ['an image that is too wide', png(1025, 1), 'must have at most 1024 pixels on each side'],
  ['an image without pixels', png(1, 0), 'must have at least one pixel'],
])('%s is no logo', async (_, content, problem) => {
  const { status, body } = await set({ logo: await uploaded(content) });
  expect([status, body['detail']]).toEqual([422, `logo ${problem}`]);
  expect((await service.ok<Settings>('getPortal', { params: { id: product.id } })).logo).toBeNull();
});

test('an image that was not uploaded, or is too large, is refused with the name of the field', async () => {
  expect((await set({ logo: 'f'.repeat(64) })).body['detail']).toMatch(/^logo must be the hash of an image/);
  const tooLarge = { params: { id: product.id }, body: { size: 64 * 1024 + 1, sha256: 'f'.repeat(64) } };
  const { status, body } = await service.call('createPortalLogoUpload', tooLarge);
  expect([status, body['detail']]).toEqual([422, expect.stringContaining('size')]);
});
