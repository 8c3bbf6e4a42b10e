// How invites reach the people who are invited.
import type { Invite } from './model.ts';

export interface InviteLinks {
  /** Returns the signed link that accepts the invite, for the administrator to hand over. */
  linkOf(invite: Invite): string;
  /** Mails the link when a mail server is configured. Never rejects; failures are logged. */
  send(invite: Invite): Promise<void>;
}
