import * as z from 'zod/mini';
import { endpoint } from './endpoint';
import { listMembers, memberIdInPath, putMember, removeMember } from './members';
import { ofLicense } from './portal';

/** The endpoints with which buyers, managers and members manage the members of a license (docs/spec/sign-in.md, Members in the portal). */

export const listPortalMembers = /* @__PURE__ */ endpoint(() => ({
  name: 'listPortalMembers',
  method: 'GET',
  path: '/v1/portal/{slug}/licenses/{id}/members',
  tag: 'Portal',
  summary: "List the members of a buyer's license",
  description: 'Returns the members of a license of named people to its buyer or to a manager, oldest first.',
  credential: 'portal',
  allow: 'members',
  params: ofLicense,
  query: listMembers.query,
  response: listMembers.response,
  errors: ['forbidden'],
  store: { GetItem: ['member'], BatchGetItem: ['license'], Query: ['member'] },
  examples: listMembers.examples,
}));

export const putPortalMember = /* @__PURE__ */ endpoint(() => ({
  name: 'putPortalMember',
  method: 'PUT',
  path: '/v1/portal/{slug}/licenses/{id}/members',
  tag: 'Portal',
  summary: "Add a member of a buyer's license, or change a role",
  description:
    'Adds a person to a license of named people, or changes the role of a member. Only the buyer and managers can do this. The response is 422 if a license without a buyer would lose its last manager.',
  credential: 'portal',
  allow: 'members',
  params: ofLicense,
  body: putMember.body,
  status: 201,
  repeatedStatus: 200,
  response: putMember.response,
  errors: ['forbidden', ...putMember.errors],
  store: { ...putMember.store, Query: ['member'], ConditionCheckItem: ['member'] },
  mail: 'status',
  queue: true,
  emits: putMember.emits,
  examples: putMember.examples,
}));

export const removePortalMember = /* @__PURE__ */ endpoint(() => ({
  name: 'removePortalMember',
  method: 'DELETE',
  path: '/v1/portal/{slug}/licenses/{id}/members/{member_id}',
  tag: 'Portal',
  summary: 'Remove a member, or leave a license',
  description:
    "Removes a person from a license of named people. The seat and all devices of the person are freed at once. The buyer and managers can remove everybody if the portal's `allow` contains `members`. Every member can leave a license in this way, whatever the portal allows. The response is 422 if a license without a buyer would lose its last manager.",
  credential: 'portal',
  params: z.object({ ...ofLicense.shape, member_id: memberIdInPath }),
  response: removeMember.response,
  // The operation itself checks `allow`, because members may always leave.
  errors: ['forbidden', 'invalid_request'],
  store: { ...removeMember.store, Query: ['member'], ConditionCheckItem: ['member'] },
  emits: removeMember.emits,
  examples: removeMember.examples,
}));
