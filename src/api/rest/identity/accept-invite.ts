// GET and POST /accept-invite: the page behind an invite's link, and the button on it.
import type { AcceptedInvite } from '../../../domain/administration/identity.ts';
import { PLACE_NAME_CHARS_MAX } from '../../../domain/administration/limits.ts';
import { checkDisplayName } from '../../../domain/administration/names.ts';
import { Fault, type FaultName, invalid } from '../../../domain/faults.ts';
import type { Reply } from '../../endpoint.ts';
import { FORM_PAGE, pageHeaders } from '../../page-headers.ts';
import { Type } from '../../schema/type.ts';
import { acceptancePage, expiredPage, welcomePage } from './accept-invite-page.ts';
import type { IdentityCall, IdentityEndpoint } from './identity-endpoint.ts';

/** The URL contains the secret of the link, so no other page may receive it as a referrer. */
const PAGE_HEADERS = { ...pageHeaders(FORM_PAGE), 'cache-control': 'no-store' };

/** The faults of links that no longer work. */
const GONE: ReadonlySet<FaultName> = new Set(['invite-not-found', 'invite-processed', 'already-member']);

const FACTS = {
  path: '/accept-invite',
  tag: 'Identity',
  since: '2026-04',
  permission: null,
  credential: 'none',
  versioning: 'ignored',
  errors: 'standard',
} as const;

/** Changes nothing, because mail scanners open every link. */
async function show({ query, services: { invites } }: IdentityCall): Promise<Reply> {
  const link = String(query.token ?? '');
  const email = await invites.emailOf(link);
  return email === undefined
    ? { status: 404, html: expiredPage(), headers: PAGE_HEADERS }
    : { status: 200, html: acceptancePage({ email, link }), headers: PAGE_HEADERS };
}

async function accept({ fields, isForm, requestId, services: { invites } }: IdentityCall): Promise<Reply> {
  const { token, name } = fields;
  if (typeof token !== 'string' || token === '') throw invalid('token is required and must be a string');
  const accepted = invites.accept(token, { name: nameOf(name), requestId });
  return isForm ? pageOf(accepted) : jsonOf(accepted);
}

async function jsonOf(accepted: Promise<AcceptedInvite>): Promise<Reply> {
  const { user, access } = await accepted;
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: {
      user: { id: user.id, email: user.email, ...(user.name === null ? {} : { name: user.name }) },
      access_token: access.token,
      token_type: 'Bearer',
      expires_in: access.seconds,
    },
  };
}

/** A person who pressed the button twice, or too late, gets a page too. */
async function pageOf(accepted: Promise<AcceptedInvite>): Promise<Reply> {
  try {
    const { user, access } = await accepted;
    return { status: 200, html: welcomePage(user.email, access.token), headers: PAGE_HEADERS };
  } catch (error) {
    if (!(error instanceof Fault) || !GONE.has(error.condition)) throw error;
    return { status: error.status, html: expiredPage(), headers: PAGE_HEADERS };
  }
}

function nameOf(name: unknown): string | null {
  if (name === undefined || name === null || name === '') return null;
  if (typeof name !== 'string') throw invalid('name must be a string');
  return checkDisplayName(name, PLACE_NAME_CHARS_MAX);
}

const LinkToken = Type.String({ description: 'The token of the link.', examples: ['Zm9yLWFkYQ'] });

const Page = Type.String({ examples: ['<!doctype html>\n<html lang="en">...</html>'] });

const GONE_PAGE = {
  status: 404,
  description: 'A page that says that the link no longer works.',
  schema: Page,
  mediaType: 'text/html',
};

export const showInvite: IdentityEndpoint = {
  ...FACTS,
  id: 'show_invite',
  method: 'GET',
  summary: "Open an invite's link",
  description: 'A page for people, with a button that accepts the invite.',
  forms: false,
  query: Type.Object({ token: Type.Optional(LinkToken) }),
  success: { status: 200, description: 'The page.', schema: Page, mediaType: 'text/html' },
  pages: [GONE_PAGE],
  faults: [],
  handle: show,
};

export const acceptInvite: IdentityEndpoint = {
  ...FACTS,
  id: 'accept_invite',
  method: 'POST',
  summary: 'Accept an invite',
  description:
    'Makes the person a user with the roles of the invite. The response has an access token for the administration.',
  forms: true,
  body: Type.Object({
    token: LinkToken,
    name: Type.Optional(Type.String({ description: "The person's name.", examples: ['Ada'] })),
  }),
  success: {
    status: 200,
    description: 'The user; for a form, a page.',
    alternatives: { 'text/html': Page },
    schema: Type.Object({
      user: Type.Object(
        { id: Type.String(), email: Type.String(), name: Type.Optional(Type.String()) },
        {
          examples: [{ id: 'a3b4c5d6-4a5b-4c6d-8e7f-8a9b0c1d2e3f', email: 'ada@example.org', name: 'Ada' }],
        },
      ),
      access_token: Type.String({ examples: ['eyJhbGciOiJIUzI1NiJ9.example'] }),
      token_type: Type.Literal('Bearer'),
      expires_in: Type.Integer({ description: 'Seconds.', examples: [1800] }),
    }),
  },
  faults: [
    'invalid-argument',
    'body-not-json',
    'unauthenticated',
    'invite-not-found',
    'invite-processed',
    'already-member',
  ],
  pages: [GONE_PAGE, { ...GONE_PAGE, status: 409 }],
  handle: accept,
};
