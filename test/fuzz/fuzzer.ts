// Sends generated requests to a running service and collects the answers that are its own fault.
import { Agent, request } from 'node:http';
import { checkResponse } from '../support/openapi-check.ts';
import { Random } from '../support/random.ts';
import { Interface, type Operation } from './operations.ts';
import { ValueMaker } from './values.ts';

export interface FuzzTarget {
  readonly base: string;
  /** Addresses of indexes of different kinds; they may change while it runs. */
  readonly hosts: () => readonly string[];
  readonly key: string;
  readonly token: string;
  /** Names and ids of things that requests may name, and delete. */
  readonly known: readonly string[];
}

export interface FuzzOptions {
  readonly seed: number;
  /** Requests under way at a time. */
  readonly parallel: number;
  /** Every how many-th answer is compared with the OpenAPI document. */
  readonly checkedEvery: number;
}

export interface Finding {
  readonly kind: 'status' | 'connection' | 'undescribed';
  readonly operation: string;
  readonly version: string;
  readonly sent: string;
  readonly got: string;
}

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

const VERSIONS = ['2025-04', '2025-10', '2026-07'];
/** What the interface answers for parts that it does not have. */
const UNIMPLEMENTED = 501;
/** As it answers for an index that is being made. */
const NOT_READY = /"Index [a-z0-9-]+ is not ready yet\."/;
const SHOWN_CHARS = 1_500;
const TIMEOUT_MS = 60_000;
const FINDINGS_MAX = 1_000;

export class Fuzzer {
  readonly statuses = new Map<number, number>();
  readonly findings: Finding[] = [];
  readonly #target: FuzzTarget;
  readonly #options: FuzzOptions;
  readonly #agent: Agent;
  readonly #random: Random;
  readonly #versions: readonly { readonly described: Interface; readonly maker: ValueMaker }[];
  #count = 0;

  constructor(target: FuzzTarget, options: FuzzOptions) {
    this.#target = target;
    this.#options = options;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.parallel });
    this.#random = new Random(options.seed);
    this.#versions = VERSIONS.map((version) => {
      const described = new Interface(version);
      return { described, maker: new ValueMaker(this.#random, described, target.known) };
    });
  }

  /** Sends so many requests, spread evenly over the versions and their operations. */
  async run(requests: number): Promise<void> {
    let left = requests;
    const work = async () => {
      while (left-- > 0) await this.#one();
    };
    await Promise.all(Array.from({ length: this.#options.parallel }, work));
  }

  close(): void {
    this.#agent.destroy();
  }

  async #one(): Promise<void> {
    const number = this.#count++;
    const { described, maker } = this.#random.pick(this.#versions);
    const operation = described.operations[number % described.operations.length];
    if (operation === undefined) return;
    const sent = this.#request(operation, described.version, maker);
    const note = (kind: Finding['kind'], got: string) =>
      this.#note(kind, { operation, described, sent, got });
    try {
      const { status, text, header } = await this.#send(sent);
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
      if (status >= 500 && status !== UNIMPLEMENTED && !NOT_READY.test(text))
        note('status', `${status} ${text}`);
      if (number % this.#options.checkedEvery > 0) return;
      const { pathname, search } = new URL(sent.url);
      try {
        const { method, headers } = sent;
        checkResponse({ method, path: pathname + search, headers }, { status, header, text });
      } catch (error) {
        note('undescribed', String(error));
      }
    } catch (error) {
      note('connection', String(error));
    }
  }

  #note(
    kind: Finding['kind'],
    {
      operation,
      described,
      sent,
      got,
    }: {
      readonly operation: Operation;
      readonly described: Interface;
      readonly sent: Sent;
      readonly got: string;
    },
  ): void {
    if (this.findings.length >= FINDINGS_MAX) return;
    const { method, url, headers, body } = sent;
    this.findings.push({
      kind,
      operation: operation.id,
      version: described.version,
      sent: `${method} ${url} ${JSON.stringify(headers)} ${body?.toString() ?? ''}`.slice(0, SHOWN_CHARS),
      got: got.slice(0, SHOWN_CHARS),
    });
  }

  #request(operation: Operation, version: string, maker: ValueMaker): Sent {
    const random = this.#random;
    const { key, token, base, hosts } = this.#target;
    const host = operation.isData ? random.pick(hosts()) : base;
    const credential: Record<string, string> = operation.usesToken
      ? { authorization: `Bearer ${token}` }
      : { 'api-key': key };
    const body = random.below(50) === 0 ? this.#garbage() : this.#body(operation, maker);
    const isOddType = operation.body !== null && random.below(50) === 0;
    const type = isOddType ? 'text/html' : (body?.type ?? 'application/json');
    return {
      url: `${host}${this.#path(operation, maker)}`,
      method: operation.method,
      headers: {
        ...(random.below(100) === 0 ? {} : credential),
        'x-service-api-version': random.below(200) === 0 ? '1999-01' : version,
        ...(body === null ? {} : { 'content-type': type, 'content-length': String(body.bytes.length) }),
      },
      body: body?.bytes ?? null,
    };
  }

  #path({ path, parameters }: Operation, maker: ValueMaker): string {
    const random = this.#random;
    const text = () => (random.below(6) === 0 ? maker.oddText() : random.pick(maker.known));
    const filled = path.replaceAll(/\{\w+\}/g, () => encoded(text()));
    const query = parameters.flatMap((each) => {
      if (each.in !== 'query' || (each.required !== true && random.below(2) === 0)) return [];
      const value = random.below(8) === 0 ? maker.oddText() : maker.make(each.schema ?? {});
      const values = Array.isArray(value) ? value : [value];
      return values.map(
        (one) =>
          `${encoded(each.name)}=${encoded(typeof one === 'string' ? one : (JSON.stringify(one) ?? ''))}`,
      );
    });
    return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
  }

  #garbage(): { readonly bytes: Buffer; readonly type: string } {
    const texts = ['{', '[[[[', '{"a":', '"', 'null', '\u0000', '{"vectors":[{}]}', '[1,2', '{}{}', '1e999'];
    const bytes = Buffer.concat([
      Buffer.from(this.#random.pick(texts)),
      Buffer.from(Array.from({ length: this.#random.below(30) }, () => this.#random.below(256))),
    ]);
    return { bytes, type: 'application/json' };
  }

  #body({ body }: Operation, maker: ValueMaker): { readonly bytes: Buffer; readonly type: string } | null {
    if (body === null) return null;
    const value =
      this.#random.below(3) === 0 && body.example !== undefined ? body.example : maker.make(body.schema);
    const { type } = body;
    if (type.includes('ndjson')) {
      const lines = Array.isArray(value) ? value : [value];
      return { bytes: Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')), type };
    }
    if (type.startsWith('multipart/')) return this.#form(value);
    return { bytes: Buffer.from(JSON.stringify(value) ?? ''), type: 'application/json' };
  }

  #form(value: unknown): { readonly bytes: Buffer; readonly type: string } {
    const boundary = 'fuzz';
    const name = this.#random.pick(['notes.txt', 'notes.md', 'notes.json', 'a.pdf', 'a.docx', 'x', '..']);
    const content = JSON.stringify(value)?.slice(0, 2_000) ?? '';
    const part = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${content}\r\n`;
    const end = this.#random.below(10) === 0 ? '' : `--${boundary}--\r\n`;
    return { bytes: Buffer.from(part + end), type: `multipart/form-data; boundary=${boundary}` };
  }

  #send({ url, method, headers, body }: Sent) {
    return new Promise<{ status: number; text: string; header: (name: string) => string | undefined }>(
      (resolve, reject) => {
        const options = { method, headers, agent: this.#agent, timeout: TIMEOUT_MS };
        const outgoing = request(url, options, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.once('error', reject);
          answer.once('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              text: Buffer.concat(chunks).toString(),
              header: (name) => answer.headers[name]?.toString(),
            }),
          );
        });
        outgoing.once('timeout', () => outgoing.destroy(new Error('no answer in a minute')));
        outgoing.once('error', reject);
        outgoing.end(body ?? undefined);
      },
    );
  }
}

/** Of lone surrogates, too, which no UTF-8 has. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
