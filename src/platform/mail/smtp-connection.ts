// One connection to a mail server: a command, a reply, one after the other.
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';

const TIMEOUT_MS = 30_000;
/** Replies are some lines; a server that sends more than this is none. */
const REPLY_CHARS_MAX = 65_536;

export interface SmtpReply {
  readonly code: number;
  readonly lines: readonly string[];
}

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte on; else the connection may be raised to it. */
  readonly implicitTls: boolean;
}

export class SmtpConnection {
  #socket: Socket | TLSSocket;
  readonly #host: string;
  #received = '';
  #wake: (() => void) | undefined;
  #failure: Error | undefined;

  private constructor(socket: Socket, host: string) {
    this.#socket = socket;
    this.#host = host;
    this.#listen();
  }

  static open({ host, port, implicitTls }: MailServer): SmtpConnection {
    const socket = implicitTls ? connectTls({ host, port, ...serverName(host) }) : connect({ host, port });
    return new SmtpConnection(socket, host);
  }

  /** Sends a line and reads the reply. @throws unless the reply has one of the codes; never shows the line */
  async ask(line: string, ...codes: readonly number[]): Promise<SmtpReply> {
    this.#socket.write(`${line}\r\n`);
    return this.expect(...codes);
  }

  /** @throws when the reply has another code, or none comes */
  async expect(...codes: readonly number[]): Promise<SmtpReply> {
    const reply = await this.#read();
    if (!codes.includes(reply.code)) {
      throw new Error(`the mail server answered ${reply.code} ${reply.lines.join(' ')}`);
    }
    return reply;
  }

  /** Goes on encrypted, on a certificate of the host's name. */
  async raise(): Promise<void> {
    this.#socket.removeAllListeners();
    // Whatever came before encryption may be anybody's.
    this.#received = '';
    this.#socket = connectTls({ socket: this.#socket, host: this.#host, ...serverName(this.#host) });
    this.#listen();
    await new Promise<void>((resolve, reject) => {
      this.#socket.once('secureConnect', resolve);
      this.#socket.once('error', reject);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #listen(): void {
    const fail = (error: Error) => {
      this.#failure ??= error;
      this.#wake?.();
    };
    this.#socket.setEncoding('utf8');
    this.#socket.setTimeout(TIMEOUT_MS, () =>
      this.#socket.destroy(new Error('the mail server does not answer')),
    );
    this.#socket.on('data', (text: string) => {
      this.#received += text;
      if (this.#received.length > REPLY_CHARS_MAX)
        this.#socket.destroy(new Error('the mail server says too much'));
      this.#wake?.();
    });
    this.#socket.on('error', fail);
    this.#socket.on('close', () => fail(new Error('the mail server closed the connection')));
  }

  async #read(): Promise<SmtpReply> {
    for (;;) {
      const [whole, code] = /^(?:\d{3}-.*\r?\n)*(\d{3})(?: .*)?\r?\n/.exec(this.#received) ?? [];
      if (whole !== undefined) {
        this.#received = this.#received.slice(whole.length);
        const lines = whole.trimEnd().split(/\r?\n/);
        return { code: Number(code), lines: lines.map((line) => line.slice(4)) };
      }
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** The certificate is checked against the host in any case; only names can be asked for. */
function serverName(host: string): { servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}
