// A test server with assistants: real services and jobs over storage on disk, with models and a parser in process.
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { assistantEndpoints } from '../../api/rest/assistant-endpoints.ts';
import type { AssistantServices } from '../../api/rest/assistants/assistant-endpoint.ts';
import { SignedLinks } from '../../app/assistants/files/signed-links.ts';
import { AssistantFixture } from '../../app/assistants/testing/assistant-fixture.ts';
import { eventually } from '../../app/indexes/testing/control-plane.ts';
import { UNFINISHED_FOLDER } from '../../blobs/folder/unfinished.ts';
import { PageCursors } from '../../domain/administration/page-cursors.ts';
import { untouched } from '../../platform/testing/untouched.ts';
import { KEY_A, startTestServer } from './start-test-server.ts';

export interface RequestOptions {
  readonly key?: string | null;
  /** Null: no version header. */
  readonly version?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Forms and strings are sent as they are, anything else as JSON. */
  readonly body?: unknown;
}

export type Answered = Awaited<ReturnType<typeof askAt>>;

async function askAt(base: string, method: string, path: string, request: RequestOptions) {
  const { key = KEY_A, version = '2026-07', headers = {}, body } = request;
  const isRaw = typeof body === 'string' || body instanceof FormData;
  const answer = await fetch(path.startsWith('http') ? path : `${base}${path}`, {
    method,
    headers: {
      ...(key !== null && { 'api-key': key }),
      ...(version !== null && { 'x-service-api-version': version }),
      ...(!isRaw && body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.startsWith('application/json');
  return { status: answer.status, headers: answer.headers, json: isJson ? JSON.parse(text) : text };
}

export type AssistantServer = Awaited<ReturnType<typeof startAssistantServer>>;

export async function startAssistantServer() {
  const fixture = await AssistantFixture.make();
  const running = await fixture.start();
  const clock = { lateMs: 0 };
  const address = { base: '' };
  const links = new SignedLinks({
    catalog: fixture.plane.catalog,
    blobs: fixture.blobs,
    secret: randomBytes(32),
    urlFor: (token) => `${address.base}/assistant/file-content/${token}`,
    now: () => Date.now() + clock.lateMs,
  });
  const server = await startTestServer({
    settings: { drainSeconds: 1 },
    projectIds: { a: 'project-1', b: 'project-2' },
    assistant: assistantEndpoints,
    assistantServices: {
      ...untouchedChat,
      assistants: running.assistants,
      files: running.files,
      passages: running.passages,
      reembeddings: running.reembeddings,
      links,
      cursors: new PageCursors(randomBytes(32)),
      host: () => 'http://the-host:1',
    },
  });
  address.base = server.base;

  const ask = (method: string, path: string, request: RequestOptions = {}): Promise<Answered> =>
    askAt(server.base, method, path, request);
  return {
    ...server,
    fixture,
    running,
    clock,
    ask,
    /** Creates an assistant and waits until it takes files. */
    make: async (name: string): Promise<void> => {
      await ask('POST', '/assistant/assistants', { body: { name } });
      await eventually(
        async () => (await ask('GET', `/assistant/assistants/${name}`)).json.status === 'Ready',
      );
    },
    /** Waits for the end of what an accepted request began. */
    ended: async (accepted: Answered): Promise<Answered> => {
      const path = `/assistant${accepted.headers.get('location')}`;
      await eventually(async () => (await ask('GET', path)).json.status !== 'Processing');
      return ask('GET', path);
    },
    /** Uploads whose bytes are arriving. */
    arriving: async (): Promise<number> =>
      (await readdir(join(fixture.plane.folder, 'blobs', UNFINISHED_FOLDER))).length,
    dispose: async (): Promise<void> => {
      await server.server.stop();
      await fixture.dispose();
    },
  };
}

const untouchedChat = {
  chat: untouched<AssistantServices['chat']>(),
  evaluation: untouched<AssistantServices['evaluation']>(),
};

/** An upload form with the metadata before the file. */
export function formOf(name: string, text: string, metadata?: unknown): FormData {
  const form = new FormData();
  if (metadata !== undefined) {
    form.append('metadata', new Blob([JSON.stringify(metadata)], { type: 'application/json' }));
  }
  form.append('file', new Blob([text]), name);
  return form;
}
