// A connection that asks one thing at a time, as light as it can be: bytes made beforehand go out, bytes come back.
import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';

/** Longest wait for one answer. */
const ANSWER_MS_MAX = 120_000;

/** Bytes of the first whole answer in `bytes`, or null while it is incomplete. */
export type AnswerLength = (bytes: Buffer) => number | null;

export class Lane {
  readonly #socket: Socket;
  readonly #answerLength: AnswerLength;
  #received: Buffer[] = [];
  #waiting: { resolve(answer: Buffer): void; reject(error: Error): void } | null = null;

  private constructor(socket: Socket, answerLength: AnswerLength) {
    this.#socket = socket;
    this.#answerLength = answerLength;
    socket.setNoDelay(true);
    socket.setTimeout(ANSWER_MS_MAX, () => socket.destroy(new Error('no answer in time')));
    socket.on('data', (bytes: Buffer) => this.#take(bytes));
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the server closed the connection')));
  }

  static async open(address: NetConnectOpts, answerLength: AnswerLength): Promise<Lane> {
    const socket = connect(address);
    await once(socket, 'connect');
    return new Lane(socket, answerLength);
  }

  ask(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(bytes: Buffer): void {
    this.#received.push(bytes);
    const all = this.#received.length === 1 ? bytes : Buffer.concat(this.#received);
    const length = this.#answerLength(all);
    this.#received = [all];
    if (length === null) return;
    this.#received = [];
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.resolve(all);
  }
}
