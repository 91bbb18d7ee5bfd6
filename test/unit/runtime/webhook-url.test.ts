import { lookup } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { isFailure } from '../../../lambdas/contract/errors';
import { setWebhook } from '../../../lambdas/contract/webhooks';
import { webhookHostProblem, webhookUrlProblem } from '../../../lambdas/runtime/webhooks/url';
import { PRIVATE_HOSTS, PUBLIC_HOSTS } from '../../support/ssrf';

jest.mock('node:dns/promises', () => ({ lookup: jest.fn() }));
const resolver = lookup as unknown as jest.Mock<Promise<LookupAddress[]>>;

const refusal = (url: string, allowPrivate = false): string | undefined => {
  const problem = webhookUrlProblem(url, allowPrivate);
  expect(problem === undefined || isFailure(problem)).toBe(true);
  return problem?.detail;
};

describe('an operator learns at once that a URL cannot be a webhook', () => {
  test.each(PRIVATE_HOSTS)('host %s (%s)', (host) => {
    expect(refusal(`https://${host}/hook`)).toMatch(/private or local/);
    expect(refusal(`https://${host}:8443/hook`)).toMatch(/private or local/);
  });

  test.each([
    ['http://example.com/', /https:/],
    ['HTTP://example.com/', /https:/],
    ['ftp://example.com/', /https:/],
    ['file:///etc/passwd', /https:/],
    ['data:text/plain,x', /https:/],
    ['javascript:alert(1)', /https:/],
    ['gopher://example.com/', /https:/],
    ['unix:/var/run/docker.sock', /https:/],
    ['https://user@example.com/', /user info/],
    ['https://user:password@example.com/', /user info/],
    ['https://:password@example.com/', /user info/],
    ['https://@example.com/', /user info/],
    ['https://:@example.com/', /user info/],
    ['https://example.com@127.0.0.1/', /user info/],
    ['https://example.com%40127.0.0.1/', /absolute URL/],
    ['https://example.com\\@127.0.0.1@evil.example/', /backslashes/],
    ['https://127.0.0.1\\@example.com/', /backslashes/],
    ['https://example.com/\\evil.example', /backslashes/],
    ['https://{{order}}.example.com/', /braces/],
    ['https://127.0.0.1#@example.com/', /private or local/],
    ['https://127.0.0.1?@example.com/', /private or local/],
    ['https:example.com', /absolute URL/],
    ['https:127.0.0.1', /absolute URL/],
    ['https:/127.0.0.1/', /absolute URL/],
    ['https:\\\\127.0.0.1\\', /absolute URL/],
    ['///example.com/', /absolute URL/],
    ['//example.com/hook', /absolute URL/],
    ['/hook', /absolute URL/],
    ['example.com', /absolute URL/],
    ['https://', /absolute URL/],
    ['https:///', /absolute URL/],
    ['https://[::1', /absolute URL/],
    ['https://[fe80::1%25eth0]/', /absolute URL/],
    ['https://[::1%lo]/', /absolute URL/],
    ['https://256.0.0.1/', /absolute URL/],
    ['https://1.2.3.4.5/', /absolute URL/],
    ['https://0x7f.0.0.0.1/', /absolute URL/],
    ['https://example.com:65536/', /absolute URL/],
    ['https://exa mple.com/', /absolute URL/],
    ['https://exa\tmple.com/', /absolute URL/],
    ['https://127.0\n.0.1/', /absolute URL/],
    ['ht\ntps://example.com/', /absolute URL/],
    ['https://example.com/\r\nX-Injected: 1', /absolute URL/],
    ['\u0000https://example.com/', /absolute URL/],
    ['https://example.com/\u0000', /absolute URL/],
    ['https://example.com/\u00a0', /absolute URL/],
    ['https://example.com/\ud800', /absolute URL/],
  ])('%j', (url, rule) => {
    if (rule) expect(refusal(url)).toMatch(rule);
    else expect(refusal(url)).toBeUndefined();
  });

  test('a URL of 2,049 characters', () => {
    const url = (length: number): string => `https://example.com/${'a'.repeat(length - 20)}`;
    expect(setWebhook.body.safeParse({ url: url(2048) }).success).toBe(true);
    expect(setWebhook.body.safeParse({ url: url(2049) }).success).toBe(false);
  });
});

describe('an operator can set every URL that may be a webhook', () => {
  test.each([
    ...PUBLIC_HOSTS.map((host) => `https://${host}/hook`),
    'HTTPS://EXAMPLE.COM/',
    'https://example.com',
    'https://example.com:8443/a/b?c=d#e',
    'https://bücher.example/',
    'https://example.com/%0d%0a',
    'https://example.com/@user',
  ])('%s', (url) => expect(refusal(url)).toBeUndefined());

  test.each(['http://127.0.0.1:8788/', 'http://localhost:8788/', 'https://10.0.0.1/', 'http://[::1]/'])(
    '%s, if the deployment allows private addresses',
    (url) => expect(refusal(url, true)).toBeUndefined(),
  );

  test.each([['ftp://127.0.0.1/'], ['https://user@127.0.0.1/'], ['https://127.0.0.1/\ud800'], ['nonsense']])(
    '%j is refused even if the deployment allows private addresses',
    (url) => expect(refusal(url, true)).toBeDefined(),
  );
});

describe('a host name is checked by the IP addresses to which it resolves', () => {
  const addresses = (...list: string[]): LookupAddress[] => list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  const problem = (allowPrivate = false) => webhookHostProblem('https://hooks.example/', allowPrivate);

  test.each([[['127.0.0.1']], [['8.8.8.8', '10.0.0.1']], [['2606:4700::1', '::1']], [['::ffff:169.254.169.254']]])(
    'a host name that resolves to %j is refused',
    async (list) => {
      resolver.mockResolvedValueOnce(addresses(...list));
      expect((await problem())?.detail).toMatch(/private or local/);
    },
  );

  test('a host name that resolves to public addresses is accepted', async () => {
    resolver.mockResolvedValueOnce(addresses('8.8.8.8', '2606:4700::1'));
    expect(await problem()).toBeUndefined();
  });

  test('a host name that does not resolve yet is accepted, because the sender checks the addresses again', async () => {
    resolver.mockRejectedValueOnce(new Error('ENOTFOUND'));
    expect(await problem()).toBeUndefined();
  });

  test('nothing is looked up if the deployment allows private addresses', async () => {
    resolver.mockClear();
    expect(await problem(true)).toBeUndefined();
    expect(resolver).not.toHaveBeenCalled();
  });
});
