/** Requests dropped files from the phone (`retry.ts`). An answer is stored before its ack, even if nobody waits: the next download finds the path. */
import { decodeStored } from '../translate/parts/decode.ts';
import { Mutex } from 'async-mutex';
import { type BinaryNode, getBinaryNodeChild } from '../library/nodes.ts';
import { proto } from '../library/proto.ts';
import type { AuthenticationCreds } from '../library/types.ts';
import type { Clock } from '../../domain/clock.ts';
import type { MessageRecord } from '../../domain/message.ts';
import { MediaLost } from '../../domain/messages/kept-media.ts';
import type { MessageStore } from '../../domain/stores.ts';
import { HandsetError, messageOf } from '../../errors.ts';
import type { Logger } from '../../log.ts';
import { meOf, isMe, plainJid } from '../identity/people.ts';
import type { DeviceMemory } from '../state/device-memory.ts';
import { openRetryAnswer, type RetryAnswer, retryErrorOf, retryRequest } from './retry.ts';
import type { SessionStore } from '../state/session-store.ts';
import type { LidMapping } from '../signal/lid-mapping.ts';
import { plainId } from '../translate/parts/envelope.ts';
import { mediaPartOf, withDirectPath } from '../translate/parts/media.ts';

export interface MediaReuploadsOptions {
  readonly deviceId: number;
  readonly creds: AuthenticationCreds;
  readonly store: Pick<SessionStore, 'commit'>;
  readonly messages: MessageStore;
  readonly memory: Pick<DeviceMemory, 'reuploads'>;
  readonly lidMapping: Pick<LidMapping, 'addressesOf'>;
  readonly send: (node: BinaryNode) => Promise<unknown>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The phone is asked for a file at most this often. */
const askEveryMs = 60_000;
const longestWaitMs = 15_000;
/** Downloads of a device that wait for the phone. */
const maxWaiting = 64;

type Settle = (answer: RetryAnswer | null) => void;

const nameOf = ({ id, chat }: Pick<MessageRecord, 'id' | 'chat'>): string => `${id} ${chat}`;

const noLonger = 'The network no longer has this media';
export const askedAgain = (): MediaLost =>
  new MediaLost(`${noLonger}; the phone was asked to upload it again, try later`, false);
export const notAsked = (): MediaLost => new MediaLost(noLonger, true);

export class MediaReuploads {
  readonly #options: MediaReuploadsOptions;
  readonly #waiting = new Map<string, Set<Settle>>();
  readonly #oneByOne = new Mutex();

  constructor(options: MediaReuploadsOptions) {
    this.#options = options;
  }

  /** Throws NotFound if the phone gives no path in time, RateLimited while too many downloads wait. */
  async pathOf(message: MessageRecord, mediaKey: Uint8Array, former: string, waitMs: number): Promise<string> {
    const answer = await this.#answerTo(message, mediaKey, former, Math.min(waitMs, longestWaitMs));
    if (answer === null) throw askedAgain();
    if (answer.kind === 'uploaded') return answer.directPath;
    if (answer.kind === 'missing') throw new MediaLost(`${noLonger}, and neither has the phone`, true);
    throw new MediaLost(`${noLonger}, and the phone could not upload it again; try later`, false);
  }

  readonly take = (notice: BinaryNode): Promise<void> => this.#oneByOne.runExclusive(() => this.#take(notice));

  async #take(notification: BinaryNode): Promise<void> {
    const { deviceId, store, log } = this.#options;
    const message = await this.#messageOf(notification);
    const stored = decodeStored(message?.content ?? null);
    const content = stored === null ? null : proto.Message.create(stored);
    const part = content === null ? null : mediaPartOf(content);
    if (message === null || content === null || part === null || part.mediaKey === null) {
      log.debug({ deviceId }, 'ignored a media retry answer for an unknown message');
      return;
    }
    const answer = this.#errorOf(notification) ?? openRetryAnswer(notification, message.id, part.mediaKey);
    if (answer === null) {
      log.debug({ deviceId }, 'ignored an unauthenticated media retry answer');
      return;
    }
    if (answer.kind === 'uploaded' && answer.directPath !== part.directPath) {
      const { id: messageId, chat } = message;
      const moved = withDirectPath(content, answer.directPath);
      await store.commit(deviceId, { messageChanges: [{ messageId, chat, content: moved }] });
    }
    this.#settle(nameOf(message), answer);
  }

  end(): void {
    for (const name of this.#waiting.keys()) this.#release(name, null);
  }

  async #answerTo(
    message: MessageRecord,
    mediaKey: Uint8Array,
    former: string,
    waitMs: number,
  ): Promise<RetryAnswer | null> {
    const { creds, memory, send, clock, log } = this.#options;
    const name = nameOf(message);
    const last = memory.reuploads.get(name);
    if (last !== undefined && clock.now() - last.at < askEveryMs) {
      if (last.answer === null) return this.#wait(name, waitMs);
      return last.answer.kind === 'uploaded' && last.answer.directPath === former ? null : last.answer;
    }
    if (this.#waiting.size >= maxWaiting) {
      throw new HandsetError('RateLimited', 'Too many downloads wait for the phone to upload their files again', {
        retryAfterSeconds: longestWaitMs / 1_000,
        reason: 'busy',
      });
    }
    memory.reuploads.set(name, { at: clock.now(), answer: null });
    const answer = this.#wait(name, waitMs);
    try {
      await send(retryRequest(creds, message, mediaKey));
    } catch (error) {
      log.info({ error: messageOf(error) }, 'failed to ask the phone for a file');
      memory.reuploads.delete(name);
      this.#release(name, null);
    }
    return answer;
  }

  #wait(name: string, waitMs: number): Promise<RetryAnswer | null> {
    const { promise, resolve } = Promise.withResolvers<RetryAnswer | null>();
    const settles = this.#waiting.get(name) ?? new Set<Settle>();
    this.#waiting.set(name, settles);
    const settle: Settle = (answer) => {
      timer.cancel();
      resolve(answer);
    };
    const timer = this.#options.clock.after(waitMs, () => {
      settles.delete(settle);
      if (settles.size === 0 && this.#waiting.get(name) === settles) this.#waiting.delete(name);
      resolve(null);
    });
    settles.add(settle);
    return promise;
  }

  #settle(name: string, answer: RetryAnswer): void {
    const { memory } = this.#options;
    const asked = memory.reuploads.get(name);
    if (asked !== undefined) memory.reuploads.set(name, { at: asked.at, answer });
    this.#release(name, answer);
  }

  #release(name: string, answer: RetryAnswer | null): void {
    const settles = this.#waiting.get(name);
    this.#waiting.delete(name);
    for (const settle of settles ?? []) settle(answer);
  }

  /** Errors are not authenticated, so only those from the own account are trusted. */
  #errorOf(notification: BinaryNode): RetryAnswer | null {
    return isMe(meOf(this.#options.creds), notification.attrs.from) ? retryErrorOf(notification) : null;
  }

  async #messageOf(notification: BinaryNode): Promise<MessageRecord | null> {
    const rmr = getBinaryNodeChild(notification, 'rmr')?.attrs;
    const { id } = notification.attrs;
    if (!id || !rmr?.jid) return null;
    const message = await this.#find(plainId(id), plainJid(rmr.jid));
    if (message === null || message.viewOnce === true || message.deletedAt !== null) return null;
    if ((message.direction === 'out') !== (rmr.from_me === 'true')) return null;
    if (!message.isGroup || !rmr.participant) return message;
    const author = plainJid(rmr.participant);
    return author === message.from || author === message.fromLid ? message : null;
  }

  async #find(id: string, jid: string): Promise<MessageRecord | null> {
    const { deviceId, messages, lidMapping } = this.#options;
    const found = await messages.find(deviceId, id, jid, true);
    if (found !== null || jid.endsWith('@g.us')) return found;
    const { phone, lid } = await lidMapping.addressesOf(jid);
    const other = phone === jid ? lid : phone;
    return other === null || other === jid ? null : messages.find(deviceId, id, other, true);
  }
}
