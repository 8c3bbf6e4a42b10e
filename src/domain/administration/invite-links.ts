// How the people who are invited get to know of it.
import type { Invite } from './model.ts';

export interface InviteLinks {
  /** The signed link by which the invite is accepted, for the administrator to hand over. */
  linkOf(invite: Invite): string;
  /** Mails the link when mail is set up, else does nothing. Never rejects: what fails is logged. */
  send(invite: Invite): Promise<void>;
}
