/** Sending: text and images, checked in the order device, request, connection (docs/spec/http-interface.md, Check order). */
import type { OutgoingImage } from '../../domain/message.ts';
import type { Recipient } from '../../domain/recipient.ts';
import { invalidRequest } from '../../errors.ts';
import { type Draft, deliver } from './deliver.ts';
import { assertOwned } from '../devices/access.ts';
import { ImageIntake, type ImageSource } from './image-source.ts';
import type { LiveParts } from '../parts.ts';
import { adviceToConnect, openSession, waitOf } from './readiness.ts';
import { type Idempotency, SendOnce } from './send-once.ts';
import type { ConcurrencyLimit, RequestDeadline } from '../users/concurrency-limit.ts';

export interface SentId {
  readonly messageId: string;
}

export interface ImageToSend {
  readonly recipient: Recipient;
  readonly source: ImageSource;
  readonly caption: string | null;
  readonly deadline: RequestDeadline;
}

/**
 * Both answer after the network's ack and throw DeviceNotFound, InvalidRequest, DeviceNotConnected, DeviceNotAuthenticated,
 * Conflict, RateLimited, RequestTimeout, and SendFailed or SendMediaFailed.
 */
export interface Sending {
  /** For a message that may have to be tried again on another node: with its id it stays one. `elsewhere`: that node sends first. */
  newMessageId(elsewhere: boolean): string;
  sendText(
    userId: number,
    deviceId: number,
    input: { readonly recipient: Recipient; readonly text: string },
    idempotency?: Idempotency,
    messageId?: string,
  ): Promise<SentId>;
  /** Throws InvalidImage and PayloadTooLarge too. */
  sendImage(
    userId: number,
    deviceId: number,
    input: ImageToSend,
    idempotency?: Idempotency,
    messageId?: string,
  ): Promise<SentId>;
}

/** Characters, of which one may be two UTF-16 units (docs/spec/messages.md, Send text). */
const maxTextLength = 65_536;

const checkText = (text: string): void => {
  const tooLong = text.length > maxTextLength && Array.from(text).length > maxTextLength;
  if (text.length === 0 || tooLong) throw invalidRequest(`message must be 1 to ${maxTextLength} characters`);
};

export const makeSending = (parts: LiveParts, imageLimit: ConcurrencyLimit): Sending => {
  const { stores, network, outbound, clock, log, runtimes } = parts;
  const images = new ImageIntake(network, outbound, imageLimit);
  const once = new SendOnce({
    idempotency: stores.idempotency,
    messages: stores.messages,
    newMessageId: () => network.newMessageId(),
    clock,
    log,
  });
  const send = async (deviceId: number, draft: Draft, messageId: string): Promise<void> =>
    deliver(parts, await runtimes.ofId(deviceId), draft, messageId);
  return {
    newMessageId: (elsewhere) => network.newMessageId(elsewhere),
    async sendText(userId, deviceId, { recipient, text }, idempotency, wished) {
      await assertOwned(stores.devices, userId, deviceId);
      checkText(text);
      const run = (messageId: string) => send(deviceId, { recipient, content: { kind: 'text', text } }, messageId);
      return once.run(deviceId, idempotency, run, wished);
    },
    async sendImage(userId, deviceId, { recipient, source, caption, deadline }, idempotency, wished) {
      await assertOwned(stores.devices, userId, deviceId);
      await images.check(source);
      const run = async (messageId: string): Promise<void> => {
        // What the request brings is checked before the connection; what has to be fetched, after it.
        if ('url' in source) await openSession(await runtimes.ofId(deviceId), adviceToConnect, clock, waitOf(parts));
        const use = (image: OutgoingImage) =>
          send(deviceId, { recipient, content: { kind: 'image', image } }, messageId);
        await images.with(source, caption, { userId, deadline }, use);
      };
      return once.run(deviceId, idempotency, run, wished);
    },
  };
};
