// Links of invites: created and mailed for administrators, verified and accepted for invited people.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { InviteStore } from '../../catalog/port.ts';
import type { AcceptedInvite, InviteAcceptance } from '../../domain/administration/identity.ts';
import type { InviteLinks } from '../../domain/administration/invite-links.ts';
import { type Invite, inviteStatus } from '../../domain/administration/model.ts';
import { fault } from '../../domain/faults.ts';
import { parseOwnJson } from '../../domain/json.ts';
import type { SigningSecret } from './signing-secrets.ts';
import type { Tokens } from './tokens.ts';

const MAC_BYTES = 32;

export interface InviteServiceParts {
  readonly invites: Pick<InviteStore, 'find' | 'accept'>;
  readonly tokens: Pick<Tokens, 'issueToUser'>;
  /** The first one signs; all of them verify. */
  readonly secrets: readonly SigningSecret[];
  /** Public address of the server, without a trailing slash. */
  readonly baseUrl: () => string;
  /** Null when no mail server is configured. */
  readonly mail: ((to: string, link: string) => Promise<void>) | null;
  readonly onFailure: (error: unknown) => void;
}

/** The content of a link with a valid signature. */
interface LinkClaims {
  readonly organizationId: string;
  readonly id: string;
  readonly linkNumber: number;
}

export class InviteService implements InviteLinks, InviteAcceptance {
  readonly #parts: InviteServiceParts;

  constructor(parts: InviteServiceParts) {
    this.#parts = parts;
  }

  linkOf({ organizationId, id, linkNumber }: Invite): string {
    const [newest] = this.#parts.secrets;
    if (newest === undefined) throw new Error('There is no signing key.');
    const text = Buffer.from(JSON.stringify([organizationId, id, linkNumber]));
    const token = Buffer.concat([macOf(newest, text), text]).toString('base64url');
    return `${this.#parts.baseUrl()}/accept-invite?token=${token}`;
  }

  async send(invite: Invite): Promise<void> {
    await this.#parts.mail?.(invite.email, this.linkOf(invite)).catch(this.#parts.onFailure);
  }

  async emailOf(link: string): Promise<string | undefined> {
    const fields = this.#read(link);
    const invite = fields === undefined ? null : await this.#parts.invites.find(fields);
    const isOpen =
      invite !== null &&
      invite.linkNumber === fields?.linkNumber &&
      inviteStatus(invite, new Date()) === 'pending';
    return isOpen ? invite.email : undefined;
  }

  async accept(
    link: string,
    { name, requestId }: { readonly name: string | null; readonly requestId: string },
  ): Promise<AcceptedInvite> {
    const fields = this.#read(link);
    if (fields === undefined) throw fault('unauthenticated');
    const { linkNumber } = fields;
    const at = new Date().toISOString();
    const user = await this.#parts.invites.accept(fields, { linkNumber, at, name, requestId });
    return { user, access: await this.#parts.tokens.issueToUser(user.id, fields.organizationId) };
  }

  #read(link: string): LinkClaims | undefined {
    const bytes = Buffer.from(link, 'base64url');
    // Decoding ignores unknown characters: several texts would decode to the same bytes.
    if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== link) return undefined;
    const text = bytes.subarray(MAC_BYTES);
    const isOurs = this.#parts.secrets.some((secret) =>
      timingSafeEqual(macOf(secret, text), bytes.subarray(0, MAC_BYTES)),
    );
    if (!isOurs) return undefined;
    const [organizationId, id, linkNumber] = parseOwnJson<[string, string, number]>(text.toString());
    return { organizationId, id, linkNumber };
  }
}

function macOf({ bytes }: SigningSecret, text: Buffer): Buffer {
  return createHmac('sha256', bytes).update(text).digest();
}
