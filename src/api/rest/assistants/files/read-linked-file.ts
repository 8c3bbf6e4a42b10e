// GET /assistant/file-content/{token}: returns the bytes of a file to the holder of a signed link.
import { Type } from '../../../schema/type.ts';
import type { LinkEndpoint } from '../assistant-endpoint.ts';

/** Uploaded bytes may be a page with scripts, which must not run on this origin. */
const HARMLESS = {
  'content-type': 'application/octet-stream',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-store',
};

export const readLinkedFile: LinkEndpoint = {
  kind: 'link',
  credential: 'none',
  versioning: 'ignored',
  id: 'read_linked_file',
  method: 'GET',
  path: '/assistant/file-content/{token}',
  tag: 'Assistant files',
  summary: 'Read a file by its signed link',
  description:
    'What `signed_url` leads to. Open for an hour, while the file is as it was; it is sent as a download.',
  since: '2025-01',
  permission: null,
  errors: 'standard',
  params: Type.Object({
    token: Type.String({ description: 'From `signed_url`.', examples: ['Zm9yLXRoZS1leGFtcGxl'] }),
  }),
  success: {
    status: 200,
    description: "The file's bytes.",
    schema: Type.String({ format: 'binary' }),
    mediaType: 'application/octet-stream',
    headers: Type.Object({
      'content-disposition': Type.String({ description: 'A download under the name of the file.' }),
    }),
  },
  faults: ['link-invalid', 'assistant-file-not-found', 'assistant-file-damaged'],
  handle: async ({ params, services }) => {
    const { file, content } = await services.links.open(params.token ?? '');
    const headers = {
      ...HARMLESS,
      'content-length': String(file.size),
      'content-disposition': attachment(file.name),
    };
    return { status: 200, headers, content };
  },
};

/** RFC 6266: a name that old clients can read, and the real name. */
function attachment(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%;]/g, '_');
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (mark) => {
    return `%${mark.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
