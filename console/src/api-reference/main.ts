// The page at /docs: the API reference of a version, in which readers try operations with a key of theirs.
import { API_VERSIONS } from '../../../src/domain/api-version.ts';
import { atOwnOrigin, type OpenApiDocument, parseDocument } from './own-origin.ts';
import { loadRenderer } from './renderer.ts';
import './reference.css';

/** What the renderer can write examples for beside curl, fetch, Python's requests and Go. */
const HIDDEN_CLIENTS = [
  ...['c', 'clojure', 'csharp', 'dart', 'fsharp', 'http', 'java', 'julia', 'kotlin', 'node', 'objc', 'ocaml'],
  ...['php', 'powershell', 'r', 'ruby', 'rust', 'swift'],
  ...['js/axios', 'js/jquery', 'js/ofetch', 'js/xhr'],
  ...['python/aiohttp', 'python/httpx_sync', 'python/httpx_async', 'python/python3'],
  ...['shell/httpie', 'shell/wget'],
];

/** Nothing is asked of another host: the policy of the page would stop it, and these keep it from being tried. */
const OFFLINE = {
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
};

/** Where the SDKs come from, and what a reader needs to know first. */
const INTRODUCTION = `
Send the API key in the header \`Api-Key\`, an access token in \`Authorization: Bearer\`, and the version in
\`X-Service-Api-Version\`. **Test Request** sends a request to this server, with your key, and to no other. The page
forgets the key when it is closed.

Each index also has an address of its own, its \`host\` field. Here its operations are sent below
\`/data/INDEX_NAME\` on this address.
`;
const SDKS = [
  { lang: 'TypeScript', source: 'npm install @pinecone-database/pinecone' },
  { lang: 'Python', source: 'pip install pinecone' },
  { lang: 'Go', source: 'go get github.com/pinecone-io/go-pinecone/v5' },
].map(({ lang, source }) => ({ lang, description: '', source }));

function described(shown: OpenApiDocument): OpenApiDocument {
  const links = API_VERSIONS.map((version) => `[${version}](?version=${version})`).join(', ');
  const description = `${shown.info.description ?? ''}\n${INTRODUCTION}\nVersions: ${links}.\n`;
  return { ...shown, info: { ...shown.info, description, 'x-scalar-sdk-installation': SDKS } };
}

async function fetchDocument(): Promise<OpenApiDocument> {
  const version = new URLSearchParams(location.search).get('version');
  const query = version === null ? '' : `?version=${encodeURIComponent(version)}`;
  const response = await fetch(`openapi.json${query}`);
  const text = await response.text();
  if (response.ok) return parseDocument(text, location.origin);
  throw new Error(text);
}

async function show(): Promise<void> {
  const [reference, renderer] = await Promise.all([fetchDocument(), loadRenderer()]);
  document.title = `Pinyon API ${reference.info.version}`;
  document.querySelector('#state')?.remove();
  renderer.createApiReference(document.querySelector('#reference') ?? document.body, {
    content: described(atOwnOrigin(reference, location.origin)),
    ...OFFLINE,
    persistAuth: false,
    authentication: { preferredSecurityScheme: 'ApiKey' },
    hiddenClients: HIDDEN_CLIENTS,
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    documentDownloadType: 'json',
    hideModels: true,
    theme: 'default',
    orderSchemaPropertiesBy: 'preserve',
  });
}

show().catch((error: unknown) => {
  const state = document.querySelector('#state');
  if (state !== null) state.textContent = `The API reference cannot be shown: ${String(error)}.`;
});
