/**
 * What agents have written, on its way to the network. Chatwoot posts a message once and takes the first answer for the last word, so it is
 * stored before it is answered, and sent from here: in order within a conversation, with a key that makes a second send of it impossible.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatwootClient } from './chatwoot.ts';
import type { HandsetClient } from './handset.ts';
import { Refused, parse } from './http.ts';
import type { Part, Recipient, Reply } from './reply.ts';
import type { Job, State } from './state.ts';

interface Parts {
  readonly state: State;
  readonly chatwoot: ChatwootClient;
  readonly handset: HandsetClient;
  readonly markRead: boolean;
  /** The waits before each further attempt; after the last one it has failed. */
  readonly retryDelaysMs: readonly number[];
  readonly warn: (text: string) => void;
}

export type Work = ({ readonly kind: 'send' } & Reply) | { readonly kind: 'delete'; readonly message: number };

/** What Handset may answer otherwise a moment later; a 404 says that the device is not connected. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof Refused) || [404, 408, 409, 425, 429].includes(error.status) || error.status >= 500;

/** A message that is no longer in the log cannot be deleted, and need not be. */
const unlessMissing = (error: unknown): void => {
  if (!(error instanceof Refused) || error.status !== 404 || error.message !== 'Message not found') throw error;
};

const addressIn = (recipient: Recipient): string => ('to' in recipient ? recipient.to : recipient.toNumber);

/** Kinds that can answer another message. */
const quoting = new Set(['text', 'media', 'video', 'document', 'audio', 'location']);

export class Sender {
  readonly #parts: Parts;
  readonly #stopped = new AbortController();
  /** The conversations that are being worked through. */
  readonly #lanes = new Map<number, Promise<void>>();
  /** The attempts that are under way. */
  readonly #attempts = new Set<Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Sends what an earlier process has left. */
  start(): void {
    for (const conversation of this.#parts.state.waitingConversations()) this.#wake(conversation);
  }

  /** Stores it; it is sent from now on. The same key is taken once. */
  add(key: string, conversation: number, work: Work): void {
    const recipient = work.kind === 'send' ? addressIn(work.recipient) : '';
    if (this.#parts.state.addJob(key, conversation, recipient, JSON.stringify(work))) this.#wake(conversation);
  }

  /** Sends what had failed, as an agent has asked for. */
  retry(key: string, conversation: number, reply: Reply): void {
    const work: Work = { kind: 'send', ...reply };
    const recipient = addressIn(reply.recipient);
    if (this.#parts.state.retakeJob(key, recipient, JSON.stringify(work))) this.#wake(conversation);
  }

  /** Ends when the attempts that are under way have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#attempts);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.allSettled(this.#lanes.values());
  }

  #wake(conversation: number): void {
    if (this.#lanes.has(conversation) || this.#stopped.signal.aborted) return;
    const lane = this.#drain(conversation).then(
      () => this.#lanes.delete(conversation),
      () => {
        this.#lanes.delete(conversation);
        if (this.#stopped.signal.aborted) return;
        // Chatwoot could not be told of a failure: again in a while.
        this.#parts.warn(`conversation ${conversation} waits for Chatwoot`);
        setTimeout(() => this.#wake(conversation), this.#parts.retryDelaysMs[0] ?? 1000).unref();
      },
    );
    this.#lanes.set(
      conversation,
      lane.then(() => undefined),
    );
  }

  async #drain(conversation: number): Promise<void> {
    const { state } = this.#parts;
    const { signal } = this.#stopped;
    for (let job = state.nextJob(conversation); job !== null; job = state.nextJob(conversation)) {
      const wait = job.notBefore - Date.now();
      if (wait > 0) await sleep(wait, undefined, { signal });
      if (signal.aborted) return;
      const attempt = this.#step(job);
      this.#attempts.add(attempt);
      try {
        await attempt;
      } finally {
        this.#attempts.delete(attempt);
      }
    }
  }

  async #step(job: Job): Promise<void> {
    const { state, retryDelaysMs } = this.#parts;
    const work = parse<Work>(job.payload);
    state.attempted(job.id);
    try {
      if (work.kind === 'send') await this.#send(job.conversation, work);
      else await this.#remove(job.conversation, work.message);
      state.endJob(job.id);
    } catch (error) {
      const delay = retryDelaysMs[job.attempts];
      if (isPassing(error) && delay !== undefined) state.postpone(job.id, Date.now() + delay);
      else await this.#giveUp(job, work, error);
    }
  }

  async #giveUp({ id, conversation }: Job, { kind, message }: Work, error: unknown): Promise<void> {
    const { state, chatwoot, warn } = this.#parts;
    const refused = error instanceof Refused ? error : null;
    const reason = refused?.message ?? 'Handset could not be reached';
    if (kind === 'send') await chatwoot.setStatus(conversation, message, 'failed', reason);
    warn(`the ${kind} of Chatwoot's message ${message} has failed${refused === null ? '' : ` with ${refused.status}`}`);
    state.endJob(id, true);
  }

  async #send(conversation: number, { message, recipient, parts, inReplyTo }: Reply): Promise<void> {
    const { state, handset, markRead } = this.#parts;
    const quoted = inReplyTo === null ? undefined : state.pairsOf(inReplyTo)[0]?.handset;
    for (const [at, part] of parts.entries()) {
      const quotes = at === 0 && quoted !== undefined && quoting.has(part.kind);
      const more = { ...recipient, ...(quotes ? { quotedMessageId: quoted } : {}) };
      const id = await this.#sendPart(part, more, `chatwoot-${message}-${at}`);
      state.keepPair({ handset: id, conversation, chatwoot: message, outgoing: true });
    }
    state.moveChat('to' in recipient ? recipient.to : `${recipient.toNumber}@s.whatsapp.net`, conversation);
    if (markRead && 'to' in recipient) await handset.read(recipient.to).catch(() => undefined);
  }

  /** A file that the network does not take as what it is goes as a document. */
  async #sendPart({ kind, body, otherwise }: Part, more: object, key: string): Promise<string> {
    const { handset } = this.#parts;
    try {
      return await handset.send(kind, { ...more, ...body }, key);
    } catch (error) {
      if (otherwise === null || !(error instanceof Refused) || error.status !== 400) throw error;
      return handset.send(otherwise.kind, { ...more, ...otherwise.body }, `${key}-document`);
    }
  }

  async #remove(conversation: number, message: number): Promise<void> {
    const { state, handset } = this.#parts;
    const chat = state.chatOf(conversation);
    for (const pair of state.pairsOf(message)) {
      if (chat !== null) await handset.delete(pair.handset, chat).catch(unlessMissing);
      state.markDeleted(pair);
    }
  }
}
