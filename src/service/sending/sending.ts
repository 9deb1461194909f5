/** Sending: text and images, checked in the order device, request, connection (docs/spec/http-interface.md, Check order). */
import type { Clock } from '../../domain/clock.ts';
import { LeaseLost } from '../../domain/lease.ts';
import type { OutgoingContent, OutgoingImage } from '../../domain/message.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { Recipient } from '../../domain/recipient.ts';
import { deviceNotFound, HandsetError, invalidRequest, isUnavailable, mayHaveBeenSent } from '../../errors.ts';
import { ImageIntake, type ImageSource } from './image-source.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import { type Wait, adviceToConnect, networkWaitMs, openSession, waitOf } from './readiness.ts';
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
  newMessageId(this: void, elsewhere: boolean): string;
  sendText(
    this: void,
    userId: number,
    deviceId: number,
    input: { readonly recipient: Recipient; readonly text: string },
    idempotency?: Idempotency,
    messageId?: string,
  ): Promise<SentId>;
  /** Throws InvalidImage and PayloadTooLarge too. */
  sendImage(
    this: void,
    userId: number,
    deviceId: number,
    input: ImageToSend,
    idempotency?: Idempotency,
    messageId?: string,
  ): Promise<SentId>;
}

interface Draft {
  readonly recipient: Recipient;
  readonly content: OutgoingContent;
}

/** A link that is lost in the middle of a send is waited for: the same message, under the same id, so it stays one. */
const maxTries = 3;
/** A send fails a moment before the end of its session is told. */
const momentMs = 500;

/** Wraps any other error as a failure to send; the cause is for the log. */
const failure = (content: OutgoingContent, cause: unknown): HandsetError => {
  // The device moves: the request is answered by its new node.
  if (cause instanceof LeaseLost) throw cause;
  if (cause instanceof HandsetError && cause.cause instanceof LeaseLost) throw cause.cause;
  if (cause instanceof HandsetError) return cause;
  return content.kind === 'image'
    ? new HandsetError('SendMediaFailed', 'Failed to send media message', { cause })
    : new HandsetError('SendFailed', 'Failed to send message', { cause });
};

/** Writing to numbers that do not exist is what gets accounts restricted: unknown ones are refused here. */
const resolve = async (session: NetworkSession, recipient: Recipient): Promise<Recipient> => {
  if (recipient.kind !== 'number') return recipient;
  const jid = await session.lookUp(recipient.number);
  if (jid === null) throw invalidRequest('toNumber is not on the network: no account has this number');
  return { ...recipient, jid };
};

/** The request is wrong, or the database is away, whatever the link does. */
const refused = (error: unknown): boolean =>
  isUnavailable(error) || (error instanceof HandsetError && error.name === 'InvalidRequest');

const linkLost = async (runtime: DeviceRuntime, session: NetworkSession): Promise<boolean> =>
  (await runtime.waitFor(() => (runtime.networkSession === session ? undefined : true), momentMs)) !== null;

interface Attempt extends Draft, Wait {
  readonly id: string;
}

const attempt = async (runtime: DeviceRuntime, clock: Clock, message: Attempt, onLeft: () => void): Promise<void> => {
  const { id, recipient, content, until } = message;
  const advice = content.kind === 'image' ? adviceToConnect : '';
  // Once the network may have the message, this is what the caller hears, and no later "not connected" hides it.
  let unknown: HandsetError | null = null;
  for (let tries = 1; ; tries += 1) {
    let session: NetworkSession | null = null;
    try {
      session = await openSession(runtime, advice, clock, message);
      // The caller has its 408 by now: what it believes to have failed must not go out later.
      if (until <= clock.now()) throw new HandsetError('RequestTimeout', 'Request timeout');
      await session.send({ id, recipient: await resolve(session, recipient), content }, onLeft);
      return;
    } catch (error) {
      const failed = failure(content, error);
      if (mayHaveBeenSent(failed)) unknown ??= failed;
      const again = session !== null && tries < maxTries && until > clock.now() && !refused(error);
      if (!again || !(await linkLost(runtime, session!))) throw unknown ?? failed;
    }
  }
};

/** Resolves once the network has accepted the message. */
const deliver = async (
  { clock, waitMs }: { readonly clock: Clock; readonly waitMs: number },
  runtime: DeviceRuntime,
  { recipient, content }: Draft,
  id: string,
): Promise<void> => {
  const asked = clock.now();
  const message = { id, recipient, content, asked, until: asked + waitMs };
  const bytes = content.kind === 'image' ? content.image.bytes.length : content.text.length;
  runtime.usedAt = asked;
  const next = await runtime.sends.enter(bytes);
  try {
    await attempt(runtime, clock, message, next);
  } finally {
    next();
    runtime.sends.leave(bytes);
  }
};

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
    newMessageId: network.newMessageId,
    clock,
    log,
  });
  const delivery = { clock, waitMs: networkWaitMs(parts.options) };
  /** Throws DeviceNotFound for another user's device. */
  const runtimeOf = async (userId: number, deviceId: number): Promise<DeviceRuntime> => {
    const runtime = await runtimes.ofId(deviceId);
    if (runtime.userId !== userId) throw deviceNotFound();
    return runtime;
  };
  return {
    newMessageId: network.newMessageId,
    async sendText(userId, deviceId, { recipient, text }, idempotency, wished) {
      const runtime = await runtimeOf(userId, deviceId);
      checkText(text);
      const draft: Draft = { recipient, content: { kind: 'text', text } };
      return once.run(deviceId, idempotency, (messageId) => deliver(delivery, runtime, draft, messageId), wished);
    },
    async sendImage(userId, deviceId, { recipient, source, caption, deadline }, idempotency, wished) {
      const runtime = await runtimeOf(userId, deviceId);
      await images.check(source);
      const run = async (messageId: string): Promise<void> => {
        // What the request brings is checked before the connection; what has to be fetched, after it.
        if ('url' in source) await openSession(runtime, adviceToConnect, clock, waitOf(parts));
        const use = (image: OutgoingImage) =>
          deliver(delivery, runtime, { recipient, content: { kind: 'image', image } }, messageId);
        await images.with(source, caption, { userId, deadline }, use);
      };
      return once.run(deviceId, idempotency, run, wished);
    },
  };
};
