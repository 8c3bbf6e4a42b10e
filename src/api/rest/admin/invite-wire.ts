// The wire form of invites.
import { type Invite, inviteStatus } from '../../../domain/administration/model.ts';
import { Type } from '../../schema/type.ts';
import { choice } from '../indexes/body-parts.ts';
import type { AdminServices } from './admin-endpoint.ts';
import { idParams } from './path-ids.ts';

const Moment = Type.String({ format: 'date-time' });

const INVITE = {
  id: '6f708192-0a1b-4c2d-9e3f-4a5b6c7d8e9f',
  email: 'ada@example.org',
  status: 'pending',
  expires_at: '2026-07-08T09:30:00.000Z',
  processed_at: null,
  created_at: '2026-07-01T09:30:00.000Z',
};

const FACTS = {
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  status: choice(['pending', 'expired', 'processed']),
  expires_at: Type.Union([Moment, Type.Null()]),
  processed_at: Type.Union([Moment, Type.Null()], { description: 'When the invite was accepted.' }),
  created_at: Moment,
};

export const InviteObject = Type.Object(FACTS, { title: 'Invite', examples: [INVITE] });

export const SentInviteObject = Type.Object(
  {
    ...FACTS,
    accept_url: Type.String({
      description: 'The link that accepts the invite, to be given to the invited person. Shown only once.',
    }),
  },
  {
    title: 'SentInvite',
    examples: [{ ...INVITE, accept_url: 'http://localhost:5080/accept-invite?token=Zm9yLWFkYQ' }],
  },
);

export const InviteParams = idParams('invite_id', 'Id of the invite.');

export function inviteToWire(invite: Invite, now: Date) {
  const { id, email, expiresAt, processedAt, createdAt } = invite;
  return {
    id,
    email,
    status: inviteStatus(invite, now),
    expires_at: expiresAt,
    processed_at: processedAt,
    created_at: createdAt,
  };
}

/** Mails the invite if mail is configured; the caller gets the link in any case. */
export async function sendInvite(invite: Invite, { invites, now }: AdminServices) {
  await invites.send(invite);
  return { ...inviteToWire(invite, now()), accept_url: invites.linkOf(invite) };
}
