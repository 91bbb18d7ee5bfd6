import * as z from 'zod/mini';
import { checked, documented } from '../schema';
import { date, timestamp } from '../text';

/** What a member may do: a manager also manages the members and their devices. */
export const memberRoles = ['member', 'manager'] as const;
export type MemberRole = (typeof memberRoles)[number];

export const memberRole = documented(z.enum(memberRoles), {
  description: '`member`: uses the license. `manager`: also manages its members and their devices in the portal.',
});

/** A member of a license of named people (docs/spec/sign-in.md, Licenses of named people). */
export const member = documented(
  z.object({
    id: documented(z.string(), {
      description: 'The id of the member. It is always the same for a license and an e-mail address.',
    }),
    email: z.string(),
    role: memberRole,
    devices: documented(checked(z.int(), z.minimum(0)), { description: 'The number of devices that the member uses now.' }),
    added_at: documented(timestamp, { description: 'The time at which the person became a member.' }),
    last_seen_on: documented(z.nullable(date), {
      description: 'The UTC day on which a device of the member was last seen; null: never.',
    }),
  }),
  { id: 'Member' },
);

export type MemberView = z.infer<typeof member>;
