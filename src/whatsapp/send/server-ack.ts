/** The network's acknowledgements of messages: what they say, and the wait for them. */
import type { BinaryNode } from '../engine/nodes.ts';
import type { WASocket } from '../engine/types.ts';
import { SendOutcomeUnknown } from '../../errors.ts';

/** The error code for a chat that does not exist. */
export const noSuchChat = '404';

/** The error code for a group that the account is not in. */
export const notAMember = '403';

/** Hints in an ack, beside the acceptance or refusal itself. */
export interface AckSaid {
  /** A hash of the devices that the message should have gone to. */
  readonly phash: string | null;
  /** The recipient has another LID by now. */
  readonly refreshLid: boolean;
}

const nothingSaid: AckSaid = { phash: null, refreshLid: false };

/** The network has refused the message: it certainly went nowhere. */
export class SendRefused extends Error {
  readonly code: string;
  readonly said: AckSaid;
  constructor(code: string, said = nothingSaid) {
    super(`${refusals[code] ?? 'the network refused the message'} (error ${code})`);
    this.code = code;
    this.said = said;
  }
}

const refusals: Readonly<Record<string, string>> = {
  400: 'the network did not understand the message',
  401: 'the account may not write to this chat',
  403: 'the account may not write to this chat',
  404: 'the chat does not exist',
  405: 'the account may not write to this chat',
  406: 'the network does not accept this message',
  421: 'the group speaks of its members by other addresses than the message did',
  429: 'the network asks to send less often',
  // In whole words: `limit-refusal.ts`.
  463: 'the network does not let this chat begin',
  475: 'the account has begun as many new chats as the network allows',
  479: 'the network found the message malformed, mostly for a device that is no longer there',
};

/** An error of the network's own: it may have taken the message before. */
const isInternal = (code: string): boolean => /^5\d\d$/.test(code);

const outcomeOf = (code: string, said: AckSaid): Error =>
  isInternal(code)
    ? new SendOutcomeUnknown(
        `the network reported an internal error (error ${code}): it may have taken the message or not`,
      )
    : new SendRefused(code, said);

const saidIn = ({ phash, refresh_lid: refreshLid }: BinaryNode['attrs']): AckSaid =>
  phash === undefined && refreshLid === undefined
    ? nothingSaid
    : { phash: phash ?? null, refreshLid: refreshLid === 'true' };

interface Waiting {
  readonly until: number;
  resolve(said: AckSaid): void;
  reject(error: unknown): void;
}

/** How long the network may take; a request lasts 30 s at most (docs/spec/http-interface.md, Errors). */
const usualTimeoutMs = 20_000;
const sweepMs = 1_000;

/** All that one connection waits for: one listener and one timer, however many messages are under way. */
export class Acks {
  readonly #waiting = new Map<string, Waiting>();
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(sock: Pick<WASocket, 'ws'>, whenEnded: Set<(error: unknown) => void>, timeoutMs = usualTimeoutMs) {
    this.#timeoutMs = timeoutMs;
    sock.ws.on('CB:ack', ({ attrs }: BinaryNode) => {
      const { id, class: kind, error } = attrs;
      const waiting =
        id === undefined || (kind !== undefined && kind !== 'message') ? undefined : this.#waiting.get(id);
      if (waiting === undefined) return;
      this.#waiting.delete(id!);
      if (error === undefined) waiting.resolve(saidIn(attrs));
      else waiting.reject(outcomeOf(error, saidIn(attrs)));
    });
    whenEnded.add(() => {
      this.#fail(() => true, 'the connection was lost before the network answered');
      this.#rest();
    });
  }

  /** To be called before the message leaves, so that no answer is missed. Rejects as `left` does, with SendRefused or SendOutcomeUnknown. */
  wait(messageId: string, left: Promise<void>): Promise<AckSaid> {
    const { promise, resolve, reject } = Promise.withResolvers<AckSaid>();
    const waiting = { until: performance.now() + this.#timeoutMs, resolve, reject };
    this.#waiting.set(messageId, waiting);
    this.#timer ??= setInterval(() => this.#sweep(), sweepMs).unref();
    left.catch((error: unknown) => {
      if (this.#waiting.get(messageId) === waiting) this.#waiting.delete(messageId);
      reject(error);
    });
    return promise;
  }

  #sweep(): void {
    if (this.#waiting.size === 0) return this.#rest();
    const now = performance.now();
    this.#fail(({ until }) => until <= now, 'the network did not answer in time');
  }

  #fail(which: (waiting: Waiting) => boolean, why: string): void {
    for (const [messageId, waiting] of this.#waiting) {
      if (!which(waiting)) continue;
      this.#waiting.delete(messageId);
      waiting.reject(new SendOutcomeUnknown(why));
    }
  }

  #rest(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
