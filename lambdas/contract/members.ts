import * as z from 'zod/mini';
import { checked, documented } from './schema';
import { endpoint } from './endpoint';
import { MAX_MEMBERS } from './limits';
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
  status: 200,
  response: z.array(member),
  errors: [],
  store: membersRead,
  examples: { response: [memberExample] },
}));

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
  }),
  status: 201,
  repeatedStatus: 200,
  response: member,
  errors: ['license_revoked', 'no_seats'],
  store: {
    GetItem: ['license', 'member'],
    BatchGetItem: ['license', 'product'],
    UpdateItem: ['license'],
    PutItem: ['member'],
  },
  emits: ['license.member_added', 'license.updated', 'license.seats_exhausted'],
  examples: {
    request: { email: memberExample.email },
    response: { ...memberExample, devices: 0, last_seen_on: null },
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
    member_id: documented(checked(z.string(), z.maxLength(100)), { examples: [memberExample.id] }),
  }),
  status: 200,
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
    PutItem: ['deviceKey'],
    DeleteItem: ['license', 'member'],
  },
  emits: ['license.member_removed', 'license.deactivated'],
  examples: { response: { removed: true, freed: 2 } },
}));
