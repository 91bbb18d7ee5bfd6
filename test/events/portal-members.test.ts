import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { randomBytes } from 'node:crypto';
import type { PortalAction } from '../../lambdas/contract/portal-actions';
import type { LicenseView, MemberView } from '../../lambdas/contract/resources';
import { dateOf } from '../../lambdas/domain/time';
import { limitKey } from '../../lambdas/store/keys';
import { captureLogs } from '../support/logs';
import { startMailServer, type MailServer } from '../support/mail-server';
import { ownTable } from '../support/own-table';
import type { CallResult } from '../support/harness';
import type { Product } from '../support/event-harness';
import { newPortalToken, startPortalHarness, toCodeMail, type PortalHarness } from '../support/portal';

/** Licenses of named people in the portal: who sees and changes what, who is invited, and what an export and an erasure do with members. */

captureLogs();
const DAY = 86_400_000;
const NOBODY = 'q7ZkV0m3yXn1bT8sLwRd5A';
let mail: MailServer;
let table: string;
let service: PortalHarness;
let product: Product;
/** The id of the license type of named people. */
let team: number;
let license: LicenseView;
let buyer: string;

beforeAll(async () => {
  table = await ownTable();
  mail = await startMailServer();
});
afterAll(() => mail.close());
beforeEach(async () => {
  mail.inbox.length = 0;
  service = startPortalHarness(table, mail);
  product = await service.newProduct();
  const type = { name: 'Team', kind: 'lifetime', binding: 'user', max_seats: 5 };
  ({ id: team } = await service.ok<{ id: number }>('createLicenseType', { params: { id: product.id }, body: type }));
  buyer = address('buyer');
  license = await newTeam({ customer_email: buyer });
  await service.openPortal(product);
});
afterEach(() => service.close());

const address = (name: string): string => `${name}-${randomBytes(4).toString('hex')}@example.com`;

const newTeam = (fields: object = {}): Promise<LicenseView> => product.license({ license_type_id: team, ...fields });

type Put = MemberView & { readonly invited: boolean; readonly reason: string | null };
function add(email: string, fields: object = {}, id = license.id): Promise<Put> {
  // Members are listed in the order in which they were added.
  service.advance(1);
  return service.ok<Put>('putMember', { params: { id }, body: { email, invite: false, ...fields } });
}
const members = (id = license.id): Promise<MemberView[]> => service.ok<MemberView[]>('listMembers', { params: { id } });

async function signIn(email: string): Promise<string> {
  return String((await service.signIn(product, { token: await newPortalToken(service.ok, product.id, email) })).body['session']);
}
const put = (session: string, body: object, id = license.id): Promise<CallResult> =>
  service.as(product, session, 'putPortalMember', { params: { id }, body });
const remove = (session: string, member_id: string, id = license.id): Promise<CallResult> =>
  service.as(product, session, 'removePortalMember', { params: { id, member_id } });
const list = (session: string, id = license.id): Promise<CallResult> =>
  service.as(product, session, 'listPortalMembers', { params: { id } });
const allow = (...actions: PortalAction[]): Promise<unknown> =>
  service.ok('setPortal', { params: { id: product.id }, body: { allow: actions } });

describe('a member', () => {
  test('signs in with a code, whatever the portal allows, also with another spelling of the address', async () => {
    await allow();
    await add('Grace@Bücher.example');
    const code = await service.requestCode(product, 'grace@xn--bcher-kva.example');
    expect(code?.to).toBe('Grace@bücher.example');
    const session = await service.signIn(product, { email: 'GRACE@bücher.example', code: code?.code });
    expect(session.status).toBe(201);
    expect(await service.licenses(product, String(session.body['session']))).toHaveLength(1);
  });

  test('sees neither the key, the order and the renewal page nor the number of colleagues', async () => {
    await service.ok('setMailSettings', { params: { id: product.id }, body: { renew_url: 'https://example.com/renew?key={{key}}' } });
    const grace = address('grace');
    const { id } = await add(grace);
    await add(address('colleague'));
    const [shown] = await service.licenses(product, await signIn(grace));
    expect(shown).toMatchObject({ id: license.id, role: 'member', member_id: id, key: null, order: null, members: null, renew_url: null });
    expect(JSON.stringify(shown)).not.toContain(license.key);
    const [own] = await service.licenses(product, await signIn(buyer));
    expect(own).toMatchObject({ role: 'buyer', member_id: null, key: license.key, members: 2, seats: { used: 2, max: 5 } });
  });

  test('may leave, whatever the portal allows, and may change nothing else', async () => {
    const grace = address('grace');
    const { id } = await add(grace);
    const colleague = await add(address('colleague'));
    const session = await signIn(grace);
    const params = { id: license.id };
    for (const refused of [
      await list(session),
      await put(session, { email: address('new') }),
      await remove(session, colleague.id),
      await service.as(product, session, 'labelPortalLicense', { params, body: { label: 'Mine' } }),
      await service.as(product, session, 'reissuePortalLicense', { params }),
      await service.as(product, session, 'mailPortalLicense', { params }),
      await service.as(product, session, 'changePortalEmail', { body: { email: address('other') } }),
    ])
      expect(refused).toMatchObject({ status: 403, headers: { 'X-Svc-Error-Code': 'forbidden' } });
    await allow();
    expect(await remove(session, colleague.id)).toMatchObject({ status: 403 });
    expect(await remove(session, id)).toMatchObject({ status: 200, body: { removed: true, freed: 0 } });
    expect((await members()).map(({ email }) => email)).toEqual([colleague.email]);
    expect(await service.licenses(product, session)).toEqual([]);
    expect(await remove(session, id)).toMatchObject({ status: 403 });
    await allow('members');
    expect(await remove(session, id)).toMatchObject({ status: 404 });
    expect(await list(session)).toMatchObject({ status: 404 });
  });
});

describe('the buyer and managers', () => {
  test('list, add, promote and remove members, if the portal allows it', async () => {
    const grace = address('grace');
    const owner = await signIn(buyer);
    expect(await put(owner, { email: grace, role: 'manager' })).toMatchObject({ status: 201, body: { email: grace, role: 'manager' } });
    const session = await signIn(grace);
    const alan = address('alan');
    service.advance(1);
    const added = await put(session, { email: alan });
    expect(added).toMatchObject({ status: 201, body: { email: alan, role: 'member', devices: 0, invited: true, reason: null } });
    expect(await put(session, { email: alan.toUpperCase(), role: 'manager' })).toMatchObject({ status: 200, body: { role: 'manager' } });
    expect((await list(session)).body).toMatchObject([{ email: grace }, { email: alan, role: 'manager' }]);
    expect(await remove(session, String(added.body['id']))).toMatchObject({ status: 200, body: { removed: true } });
    expect(await remove(session, NOBODY)).toMatchObject({ status: 200, body: { removed: false, freed: 0 } });
    const [shown] = await service.licenses(product, session);
    expect(shown).toMatchObject({ role: 'manager', key: null, order: null, members: 1 });
    await allow('free_devices');
    for (const refused of [await list(session), await put(owner, { email: alan }), await remove(owner, NOBODY)])
      expect(refused).toMatchObject({ status: 403 });
  });

  test('are told with 422 that a license of devices has no members, and with 404 that a license is not theirs', async () => {
    const owner = await signIn(buyer);
    const { id } = await product.license({ customer_email: buyer });
    const other = await newTeam({ customer_email: address('other') });
    for (const [of, status] of [
      [id, 422],
      [other.id, 404],
    ] as const) {
      expect((await list(owner, of)).status).toBe(status);
      expect((await put(owner, { email: address('new') }, of)).status).toBe(status);
      expect((await remove(owner, NOBODY, of)).status).toBe(status);
    }
  });

  test('cannot take the last manager from a license without a buyer; the operator can', async () => {
    const shared = await newTeam();
    const [ada, grace] = [address('ada'), address('grace')];
    const first = await add(ada, { role: 'manager' }, shared.id);
    const session = await signIn(ada);
    const isRefused = { status: 422, headers: { 'X-Svc-Error-Code': 'invalid_request' } };
    expect(await remove(session, first.id, shared.id)).toMatchObject(isRefused);
    expect(await put(session, { email: ada, role: 'member' }, shared.id)).toMatchObject(isRefused);
    await add(grace, { role: 'manager' }, shared.id);
    expect(await put(session, { email: ada, role: 'member' }, shared.id)).toMatchObject({ status: 200 });
    const [last] = (await members(shared.id)).filter(({ role }) => role === 'manager');
    expect(await service.ok('removeMember', { params: { id: shared.id, member_id: last!.id } })).toEqual({ removed: true, freed: 0 });
  });

  test('two managers of a license without a buyer, who remove each other at once, leave one', async () => {
    const shared = await newTeam();
    const people = [address('ada'), address('grace')];
    const ids: string[] = [];
    for (const email of people) ids.push((await add(email, { role: 'manager' }, shared.id)).id);
    const sessions = await Promise.all(people.map(signIn));
    const results = await Promise.all(sessions.map((session, place) => remove(session, ids[1 - place]!, shared.id)));
    expect(results.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await members(shared.id)).toMatchObject([{ role: 'manager' }]);
  });

  test.each(['remove', 'demote'] as const)(
    'a manager adds nobody from the moment of losing the role (%s), even at the same moment',
    async (how) => {
      const grace = address('grace');
      const { id } = await add(grace, { role: 'manager' });
      const session = await signIn(grace);
      const lost = async (): Promise<unknown> =>
        how === 'remove' ? service.ok('removeMember', { params: { id: license.id, member_id: id } }) : add(grace, { role: 'member' });
      const guests = [address('a'), address('b'), address('c')];
      const [, ...results] = await Promise.all([lost(), ...guests.map((email) => put(session, { email }))]);
      const added = results.filter(({ status }) => status === 201);
      for (const result of results) expect([201, how === 'remove' ? 404 : 403]).toContain(result.status);
      // Whoever was added was added before the role was lost: the events say so.
      const events = (await product.deliveries({ channel: 'webhook' })).reverse().map(({ event, payload }) => {
        const { member } = payload.data as { member?: { email: string } };
        return { event, email: member?.email };
      });
      const end = events.findIndex(
        ({ event, email }) => email === grace && event === (how === 'remove' ? 'license.member_removed' : 'license.updated'),
      );
      const invited = events.filter(({ event, email }) => event === 'license.member_added' && guests.includes(email ?? ''));
      expect(invited).toHaveLength(added.length);
      for (const one of invited) expect(events.indexOf(one)).toBeLessThan(end);
      expect((await put(session, { email: guests[0]! })).status).toBe(how === 'remove' ? 404 : 403);
    },
  );
});

describe('the devices of members', () => {
  const app = (name: string, body: object): Promise<CallResult> =>
    service.call(name, { params: { id: product.id }, apiKey: product.api_key, body });
  const ask = async (fingerprint: string): Promise<string> =>
    String((await app('createActivationRequest', { fingerprint, name: fingerprint })).body['user_code']);
  const approve = async (session: string, fingerprint: string, id = license.id): Promise<CallResult> =>
    service.as(product, session, 'decideActivationRequest', {
      body: { user_code: await ask(fingerprint), decision: 'approve', license_id: id },
    });
  const free = (session: string, ref: string, id = license.id): Promise<CallResult> =>
    service.as(product, session, 'freePortalDevice', { params: { id, ref } });
  const shown = async (session: string): Promise<(string | null)[][]> =>
    (await service.licenses(product, session)).flatMap(({ devices }) => devices.map(({ name, member }) => [name, member]));
  const refOf = async (session: string, device: string): Promise<string> =>
    (await service.licenses(product, session)).flatMap(({ devices }) => devices).find(({ name }) => name === device)?.ref ?? '';

  test('are seen and freed by their member, by managers and by the buyer only', async () => {
    const [grace, alan] = [address('grace'), address('alan')];
    await add(grace);
    await add(alan, { role: 'manager' });
    const [graces, alans, owner] = [await signIn(grace), await signIn(alan), await signIn(buyer)];
    expect(await approve(graces, 'graces-laptop')).toMatchObject({ status: 200 });
    service.advance(1);
    expect(await approve(alans, 'alans-laptop')).toMatchObject({ status: 200 });
    expect(await shown(graces)).toEqual([['graces-laptop', grace]]);
    for (const session of [alans, owner])
      expect(await shown(session)).toEqual([
        ['alans-laptop', alan],
        ['graces-laptop', grace],
      ]);
    // A person can replace only own devices, so the page that approves a sign-in offers no others.
    const looked = await service.as(product, owner, 'lookupActivationRequest', { body: { user_code: await ask('buyers-laptop') } });
    expect(looked.body).toMatchObject({ licenses: [{ id: license.id, devices: [] }] });
    // A ref that the session doesn't see is unknown.
    expect((await free(graces, await refOf(owner, 'alans-laptop'))).body).toEqual({ freed: false });
    expect((await free(alans, await refOf(owner, 'graces-laptop'))).body).toEqual({ freed: true });
    expect((await free(graces, await refOf(owner, 'alans-laptop'))).body).toEqual({ freed: false });
    expect((await free(owner, await refOf(owner, 'alans-laptop'))).body).toEqual({ freed: true });
    expect((await members()).map(({ devices }) => devices)).toEqual([0, 0]);
  });

  test('are told to the member and to the buyer, and a removed member is told nothing', async () => {
    const grace = address('grace');
    const { id } = await add(grace);
    const session = await signIn(grace);
    await approve(session, 'graces-laptop');
    await service.run();
    expect(mail.inbox.map(({ to }) => to.join()).sort()).toEqual([buyer, grace].sort());
    await approve(session, 'graces-phone');
    expect(await remove(session, id)).toMatchObject({ body: { removed: true, freed: 2 } });
    mail.inbox.length = 0;
    await service.run();
    expect(mail.inbox).toEqual([]);
  });

  test('are freed when the data of their member is erased, without the address in the events', async () => {
    const grace = address('grace');
    await add(grace);
    await approve(await signIn(grace), 'graces-laptop');
    await service.run();
    await service.ok('eraseCustomer', { body: { customer_email: grace } });
    await service.run();
    expect(await service.ok('eraseCustomer', { body: { customer_email: grace } })).toMatchObject({ complete: true });
    const log = await product.deliveries({ channel: 'webhook' });
    expect(log[1]).toMatchObject({
      event: 'license.deactivated',
      payload: { data: { reason: 'member_removed', member: { email: null }, device: { name: '' } } },
    });
    for (const secret of [grace, '"name":"graces-laptop"']) expect(JSON.stringify(log)).not.toContain(secret);
  });

  test('move with a confirmed address: the 20 that were used last stay, within one transaction', async () => {
    const { id: large } = await service.ok<{ id: number }>('createLicenseType', {
      params: { id: product.id },
      body: { name: 'Large', kind: 'lifetime', binding: 'user', devices_per_user: 20 },
    });
    const shared = await product.license({ license_type_id: large });
    const [grace, other] = [address('grace'), address('other')];
    await product.license({ customer_email: grace });
    await add(other, {}, shared.id);
    await add(grace, {}, shared.id);
    const sessions = { old: await signIn(other), current: await signIn(grace) };
    for (const [whose, session] of Object.entries(sessions))
      for (let count = 0; count < 20; count += 1) {
        service.advance(1);
        expect((await approve(session, `${whose}-device-${count}`, shared.id)).status).toBe(200);
      }
    await service.as(product, sessions.current, 'changePortalEmail', { body: { email: other } });
    await service.run();
    const { code } = toCodeMail(mail.inbox.find(({ to, mail: { subject } }) => to.includes(other) && subject?.startsWith('Confirm'))!);
    const confirmed = await service.as(product, sessions.current, 'confirmPortalEmail', { body: { email: other, code } });
    expect(confirmed).toMatchObject({ status: 200 });
    const { activations } = await service.ok<LicenseView>('getLicense', { params: { id: shared.id } });
    expect(activations.map(({ name, member }) => [name.split('-')[0], member])).toEqual(Array(20).fill(['current', other]));
    expect(await members(shared.id)).toMatchObject([{ email: other, devices: 20 }]);
    const merged = (await product.deliveries({ event: 'license.deactivated' })).filter(
      ({ payload }) => (payload.data as { reason?: string }).reason === 'merged',
    );
    expect(merged).toHaveLength(20);
  }, 120_000);
});

describe('an invitation', () => {
  const settings = (body: object): Promise<unknown> => service.ok('setMailSettings', { params: { id: product.id }, body });
  const sent = async (): Promise<readonly { to: string; subject: string; text: string }[]> => {
    await service.run();
    return mail.inbox.map(toCodeMail);
  };

  test('is mailed to a new member in the language of the license, with a link to the portal and without the key', async () => {
    await settings({ language: 'de' });
    const grace = address('grace');
    expect(await add(grace, { invite: undefined })).toMatchObject({ invited: true, reason: null });
    const [invitation, ...more] = await sent();
    expect(more).toEqual([]);
    expect(invitation).toMatchObject({ to: grace, subject: `Sie können ${product.name} verwenden` });
    expect(invitation?.text).toContain(`https://licenses.example.com/portal/${product.slug}`);
    for (const secret of [license.key, buyer]) expect(invitation?.text).not.toContain(secret);
    expect(await product.deliveries({ channel: 'mail' })).toMatchObject([
      { event: 'portal.invitation', url: `mailto:${grace}`, license_id: license.id, status: 'delivered' },
    ]);
  });

  test('has the texts of the product, which can be previewed and never show the key', async () => {
    await settings({ invitation_subject: 'Join {{product}}', invitation_text: 'Go to {{portal}} for {{license_type}}.' });
    await add(address('grace'), { invite: true });
    expect(await sent()).toMatchObject([{ subject: `Join ${product.name}` }]);
    expect(mail.inbox[0]?.mail.text?.trim()).toBe(`Go to https://licenses.example.com/portal/${product.slug} for Team.`);
    const preview = (body: object): Promise<CallResult> => service.call('previewMail', { params: { id: product.id }, body });
    const shown = await preview({ event: 'invitation', license_id: license.id, subject: 'Hello' });
    expect(shown).toMatchObject({ status: 200, body: { subject: 'Hello', text: expect.stringContaining('for Team.') as string } });
    expect(await preview({ event: 'invitation', text: '{{keys}}' })).toMatchObject({ status: 422 });
    const wrong = await service.call('setMailSettings', { params: { id: product.id }, body: { invitation_text: '{{keys}}' } });
    expect(wrong).toMatchObject({ status: 422, body: { detail: expect.stringContaining('invitation_text') as string } });
  });

  test('is not sent on request, and again only after 24 hours', async () => {
    const grace = address('grace');
    expect(await add(grace, { invite: false })).toMatchObject({ invited: false, reason: null });
    expect(await add(grace, { invite: undefined })).toMatchObject({ invited: false, reason: null });
    expect(await add(grace, { invite: true })).toMatchObject({ invited: true, reason: null });
    expect(await add(grace, { invite: true })).toMatchObject({ invited: false, reason: 'already_invited' });
    service.advance(DAY);
    expect(await add(grace, { invite: true })).toMatchObject({ invited: true });
    expect(await sent()).toHaveLength(2);
  });

  test('two requests at once send one', async () => {
    const grace = address('grace');
    const results = await Promise.all([1, 2].map(() => add(grace, { invite: true })));
    expect(results.map(({ invited }) => invited).sort()).toEqual([false, true]);
    expect(await sent()).toHaveLength(1);
  });

  test('is not sent while the portal is off, or without mail, and the response says why', async () => {
    await service.ok('setPortal', { params: { id: product.id }, body: { enabled: false } });
    expect(await add(address('grace'), { invite: true })).toMatchObject({ invited: false, reason: 'portal_off' });
    const silent = startPortalHarness(table, undefined);
    const body = { email: address('alan') };
    expect(await silent.ok('putMember', { params: { id: license.id }, body })).toMatchObject({
      invited: false,
      reason: 'mail_not_configured',
    });
    silent.close();
    expect(await members()).toHaveLength(2);
  });

  test('is not sent to a person who was removed before the mail was sent', async () => {
    const { id } = await add(address('grace'), { invite: true });
    await service.ok('removeMember', { params: { id: license.id, member_id: id } });
    expect(await sent()).toEqual([]);
    expect(await product.deliveries({ channel: 'mail' })).toMatchObject([{ status: 'failed' }]);
  });

  test('is one of at most 250 on a day for a license; the people are added nevertheless', async () => {
    const shared = await newTeam({ max_seats: 0 });
    service.advance(DAY - (service.now() % DAY) + 1000);
    const invite = (): Promise<Put> => add(address('guest'), { invite: true }, shared.id);
    expect(await invite()).toMatchObject({ invited: true });
    // The day's count is raised, instead of sending 244 further invitations.
    const Key = limitKey('INVITATIONS_LICENSE', `${shared.id}#${dateOf(service.now())}`);
    const counts = { ExpressionAttributeNames: { '#count': 'count' }, ExpressionAttributeValues: { ':one': 1, ':more': 244 } };
    await service.client.send(
      new UpdateCommand({ TableName: table, Key, UpdateExpression: 'ADD #count :more', ConditionExpression: '#count = :one', ...counts }),
    );
    const results = await Promise.all(Array.from({ length: 10 }, invite));
    for (const one of results) expect(one.reason).toBe(one.invited ? null : 'too_many_invitations');
    expect(results.filter((one) => one.invited)).toHaveLength(5);
    expect(await members(shared.id)).toHaveLength(11);
    service.advance(DAY);
    expect(await invite()).toMatchObject({ invited: true });
  });
});

describe('the data of a member', () => {
  test('moves to a confirmed new address; two memberships of one license become one, with the higher role and the earlier beginning', async () => {
    const [grace, other] = [address('grace'), address('other')];
    const shared = await newTeam();
    await product.license({ customer_email: grace });
    const first = await add(grace, { role: 'manager' });
    await add(grace, {}, shared.id);
    service.advance(1000);
    await add(other);
    const session = await signIn(grace);
    await service.as(product, session, 'changePortalEmail', { body: { email: other } });
    await service.run();
    const { code } = toCodeMail(mail.inbox.find(({ to }) => to.includes(other))!);
    expect(await service.as(product, session, 'confirmPortalEmail', { body: { email: other, code } })).toMatchObject({ status: 200 });
    expect(await members()).toMatchObject([{ email: other, role: 'manager', added_at: first.added_at }]);
    expect(await members(shared.id)).toMatchObject([{ email: other, role: 'member' }]);
    expect(await service.ok('getLicense', { params: { id: license.id } })).toMatchObject({ members: 1, seats: { used: 1 } });
    expect((await service.licenses(product, session)).map(({ role }) => role)).toEqual(['buyer', 'member', 'manager']);
    const updated = (await product.deliveries({ event: 'license.updated' })).find(({ license_id }) => license_id === license.id);
    expect(updated).toMatchObject({ payload: { data: { member: { email: other, role: 'manager' } } } });
  });

  test('is found by the address and its beginning, apart from what the person has bought', async () => {
    const grace = address('grace');
    await add(grace);
    const bought = await product.license({ customer_email: grace });
    const search = async (query: Record<string, string>): Promise<number[]> =>
      (await service.ok<LicenseView[]>('searchLicenses', { query })).map(({ id }) => id).sort((a, b) => a - b);
    const inList = async (query: Record<string, string>): Promise<number[]> =>
      (await service.ok<LicenseView[]>('listLicenses', { params: { id: product.id }, query })).map(({ id }) => id);
    const other = { member: grace.toUpperCase() };
    expect(await search(other)).toEqual([license.id]);
    expect(await search({ customer_email: grace })).toEqual([bought.id]);
    expect(await search({ q: grace.slice(0, -4) })).toEqual([license.id, bought.id]);
    for (const sort of ['id', 'expires_at']) {
      expect(await inList({ ...other, sort })).toEqual([license.id]);
      expect(await inList({ ...other, sort, customer_email: buyer })).toEqual([license.id]);
      expect(await inList({ ...other, sort, customer_email: grace })).toEqual([]);
    }
    const [{ id } = { id: '' }] = await members();
    await service.ok('removeMember', { params: { id: license.id, member_id: id } });
    expect(await search({ q: grace.slice(0, -4) })).toEqual([bought.id]);
    expect(await search(other)).toEqual([]);
  });

  test('is in lists in CSV and NDJSON on request, in pages of at most 100 licenses', async () => {
    const [ada, grace] = [address('ada'), address('grace')];
    await add(ada, { role: 'manager' });
    await add(grace);
    await product.license();
    const list = (type: string, query: object): Promise<CallResult> =>
      service.call('listLicenses', { params: { id: product.id }, query: { include: 'members', ...query }, headers: { Accept: type } });
    const { text: csv } = await list('text/csv', {});
    const [head = '', first = '', second = ''] = csv.split('\r\n');
    expect(head).toContain(',member_list,');
    expect(first).toContain(`,${ada}* ${grace},`);
    expect(second).not.toContain('@');
    const { text: json } = await list('application/x-ndjson', {});
    expect(
      json
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([{ id: license.id, member_list: `${ada}* ${grace}` }, { member_list: '' }]);
    expect((await list('text/csv', { include: 'meters' })).text).not.toContain('member_list');
  });

  test('is exported without key, buyer and colleagues, and the buyer’s export has no addresses of members', async () => {
    const [grace, alan] = [address('grace'), address('alan')];
    await add(grace, { role: 'manager' });
    await add(alan);
    const exported = (email: string): Promise<object> => service.ok('exportCustomer', { body: { customer_email: email } });
    const own = await exported(grace);
    expect(own).toMatchObject({
      licenses: [],
      memberships: [{ license_id: license.id, product_id: product.id, role: 'manager', devices: [] }],
      next: null,
    });
    for (const secret of [license.key, buyer, alan]) expect(JSON.stringify(own)).not.toContain(secret);
    const bought = JSON.stringify(await exported(buyer));
    expect(bought).toContain('license.member_added');
    for (const other of [grace, alan]) expect(bought).not.toContain(other);
  });

  test('is erased from the license and its events; the license keeps its buyer', async () => {
    const [grace, alan] = [address('grace'), address('alan')];
    await add(grace, { invite: true });
    await add(alan);
    await service.run();
    // An earlier removal has left the address in the events, too.
    const left = await newTeam({ customer_email: buyer });
    const once = await add(grace, {}, left.id);
    await service.ok('removeMember', { params: { id: left.id, member_id: once.id } });
    await service.run();
    const erase = (): Promise<object> => service.ok('eraseCustomer', { body: { customer_email: grace.toUpperCase() } });
    expect(await erase()).toMatchObject({ licenses: 0, complete: true });
    expect((await members()).map(({ email }) => email)).toEqual([alan]);
    const log = JSON.stringify(await product.deliveries({}));
    expect(log).not.toContain(grace);
    for (const kept of [alan, buyer, 'license.member_removed']) expect(log).toContain(kept);
    expect(await service.ok('getLicense', { params: { id: license.id } })).toMatchObject({ customer_email: buyer, members: 1 });
    expect(await erase()).toMatchObject({ licenses: 0, complete: true });
  });
});
