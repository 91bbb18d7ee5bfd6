import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { INVITATIONS_PER_DAY, MAX_MEMBERS } from './limits';
import { pageBy } from './paging';
import { email, member, memberRole, pathId, type MemberView } from './resources';

/** Members of licenses of named people (docs/spec/sign-in.md, Licenses of named people). */

export const memberExample: MemberView = {
  id: 'q7ZkV0m3yXn1bT8sLwRd5A',
  email: 'grace@example.com',
  role: 'member',
  devices: 2,
  added_at: '2026-11-20T14:10:00.000Z',
  last_seen_on: '2026-11-27',
};

export const memberIdInPath = documented(checked(z.string(), z.maxLength(100)), { examples: [memberExample.id] });

/** The table access of a route that reads a license by its id, with its members. */
const membersRead = { GetItem: ['license'], BatchGetItem: ['license'], Query: ['member'] } as const;

export const listMembers = /* @__PURE__ */ endpoint(() => ({
  name: 'listMembers',
  method: 'GET',
  path: '/v1/licenses/{id}/members',
  tag: 'Licenses',
  summary: 'List the members of a license',
  description:
    'Returns the members of a license of named people, oldest first. The response is 422 if the license type has the binding `device`.',
  credential: 'admin',
  scope: 'read',
  subject: 'license',
  params: z.object({ id: pathId }),
  query: z.object(pageBy(/^\d{1,16}-[A-Za-z0-9_-]{22}$/)),
  response: z.array(member),
  store: membersRead,
  examples: { response: [memberExample] },
}));

/** Why a member was not invited, although an invitation was wanted. */
export const invitationReasons = ['portal_off', 'mail_not_configured', 'already_invited', 'too_many_invitations'] as const;
export type InvitationReason = (typeof invitationReasons)[number];

/** A member after a request that added or changed the member. */
const putResult = documented(
  z.object({
    ...member.shape,
    invited: documented(z.boolean(), { description: 'Whether this request has sent an invitation by mail.' }),
    reason: documented(z.nullable(z.enum(invitationReasons)), {
      description: `Why no invitation was sent, although one was wanted; null: it was sent, or none was wanted. \`portal_off\`: the portal of the product is disabled. \`mail_not_configured\`: the deployment sends no mail. \`already_invited\`: the address got an invitation of the product within the last 24 hours. \`too_many_invitations\`: on this UTC day, ${INVITATIONS_PER_DAY.license} invitations were sent for the license, or ${INVITATIONS_PER_DAY.product} for the product.`,
    }),
  }),
  { id: 'PutMember' },
);
export type PutMemberView = z.infer<typeof putResult>;

export const putMember = /* @__PURE__ */ endpoint(() => ({
  name: 'putMember',
  method: 'PUT',
  path: '/v1/licenses/{id}/members',
  tag: 'Licenses',
  summary: 'Add a member, or change a role',
  description: `Adds a person to a license of named people. The person takes a seat. If the person already is a member, the request can change the role, and the status is 200. The response is 422 if the license type has the binding \`device\`, or if the license has ${MAX_MEMBERS} members. It is 429 with the code \`no_seats\` if every seat is taken.`,
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({ id: pathId }),
  body: z.object({
    email,
    role: documented(z.optional(memberRole), {
      description: 'The role; default `member` for a new member. Without this field, a member keeps the role.',
    }),
    invite: documented(z.optional(z.boolean()), {
      description:
        'Whether the person gets an invitation by mail; default true for a new member, otherwise false. True invites a member again, at the earliest 24 hours after the previous invitation. The person is added even if no invitation can be sent.',
    }),
  }),
  status: 201,
  repeatedStatus: 200,
  response: putResult,
  errors: ['license_revoked', 'no_seats'],
  store: {
    GetItem: ['license', 'member', 'portal', 'product'],
    BatchGetItem: ['license', 'product', 'limit'],
    UpdateItem: ['license', 'limit'],
    PutItem: ['member'],
  },
  mail: 'status',
  queue: true,
  emits: ['license.member_added', 'license.updated', 'license.seats_exhausted'],
  examples: {
    request: { email: memberExample.email },
    response: { ...memberExample, devices: 0, last_seen_on: null, invited: true, reason: null },
  },
}));

export const removeMember = /* @__PURE__ */ endpoint(() => ({
  name: 'removeMember',
  method: 'DELETE',
  path: '/v1/licenses/{id}/members/{member_id}',
  tag: 'Licenses',
  summary: 'Remove a member',
  description:
    'Removes a person from a license of named people, in every status of the license. The seat and all devices of the person are freed at once. An offline token that a device of the person already has stays valid until it expires.',
  credential: 'admin',
  scope: 'licenses',
  subject: 'license',
  params: z.object({
    id: pathId,
    member_id: memberIdInPath,
  }),
  response: documented(
    z.object({
      removed: documented(z.boolean(), { description: 'False if the license has no such member.' }),
      freed: documented(checked(z.int(), z.minimum(0)), { description: 'The number of devices that were freed.' }),
    }),
    { id: 'MemberRemoval' },
  ),
  errors: ['invalid_request'],
  store: {
    GetItem: ['license', 'member'],
    BatchGetItem: ['license', 'product'],
    UpdateItem: ['license'],
    PutItem: ['deviceKey', 'previousAddress'],
    DeleteItem: ['license', 'member'],
  },
  emits: ['license.member_removed', 'license.deactivated'],
  examples: { response: { removed: true, freed: 2 } },
}));
