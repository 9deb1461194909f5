/** Sending: what is asked for is checked in the order device, request, connection (docs/spec/http-interface.md, Check order). */
import type { Clock } from '../../domain/clock.ts';
import { LeaseLost } from '../../domain/lease.ts';
import type { FileWish } from '../../domain/messages/files.ts';
import { fileOf, isMedia, type OutgoingContent, type OutgoingMessage } from '../../domain/messages/outgoing.ts';
import { checkPoll, checkText, mentionsOf } from '../../domain/messages/rules.ts';
import type { NetworkSession } from '../../domain/network.ts';
import type { Stores } from '../../domain/stores.ts';
import type { Recipient } from '../../domain/jid.ts';
import { HandsetError, isRefusal, mayHaveBeenSent, notFound } from '../../errors.ts';
import { beginChat, checkRecipient, mayWriteTo, onNetwork } from './permission.ts';
import { chatOf, type MadeOf } from './earlier.ts';
import { FileIntake } from './file-source.ts';
import { type FileSource, ImageIntake, type ImageSource } from './image-source.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import type { DeviceScope } from '../sessions/scope.ts';
import { previewer } from './link-preview.ts';
import {
  type Wait,
  adviceToConnect,
  isLinkLost,
  networkWaitMs,
  openSession,
  reopenedSession,
  waitOf,
} from './readiness.ts';
import { type Idempotency, SendOnce } from './send-once.ts';
import type { RequestDeadline } from '../time/deadline.ts';
import type { ConcurrencyLimit } from '../users/concurrency-limit.ts';

export interface SentId {
  readonly messageId: string;
}

/** Mentions are as the caller gave them. */
interface References {
  readonly quotedMessageId?: string | undefined;
  readonly mentions?: readonly string[] | undefined;
}

export interface MessageToSend extends References {
  readonly recipient: Recipient;
  readonly content: OutgoingContent;
  /** Deadline of a request that wants a preview of the first link in its text. */
  readonly previewBy?: Pick<RequestDeadline, 'signal'> | undefined;
}

export interface ImageToSend extends References {
  readonly recipient: Recipient;
  /** `fileId`: of a file that was uploaded before. */
  readonly source: ImageSource | { readonly fileId: string };
  readonly caption: string | null;
  readonly deadline: RequestDeadline;
}

export interface FileToSend extends ImageToSend {
  readonly wish: FileWish;
}

/** An earlier message, and what is made of it. */
export interface MadeOfEarlier {
  readonly messageId: string;
  /** Needed if several chats have a message of this id. */
  readonly chat: string | undefined;
  /** The chat of the message, if omitted. */
  readonly recipient?: Recipient;
  readonly make: MadeOf;
}

type Draft = Omit<OutgoingMessage, 'id'>;

/** A link that is lost in the middle of a send is waited for: the same message, under the same id, so it stays one. */
const maxTries = 3;

/** Wraps any other error as a failure to send; the cause is for the log. */
const failure = (content: OutgoingContent, cause: unknown): HandsetError => {
  // The device moves: the request is answered by its new node.
  if (cause instanceof LeaseLost) throw cause;
  if (cause instanceof HandsetError && cause.cause instanceof LeaseLost) throw cause.cause;
  if (cause instanceof HandsetError) return cause;
  return isMedia(content)
    ? new HandsetError('SendMediaFailed', 'Failed to send media message', { cause })
    : new HandsetError('SendFailed', 'Failed to send message', { cause });
};

/** The memory that a message holds while it waits. */
const sizeOf = (content: OutgoingContent): number => {
  if (content.kind === 'image') return content.image.bytes.length;
  return content.kind === 'text' ? content.text.length : (fileOf(content)?.held ?? usualSize);
};
const usualSize = 4_096;

interface DeliveryParts {
  readonly clock: Clock;
  readonly stores: Pick<Stores, 'newChats' | 'suppressions'>;
  readonly waitMs: number;
}

const attempt = async (
  { clock, stores }: DeliveryParts,
  runtime: DeviceRuntime,
  message: OutgoingMessage,
  wait: Wait,
  onLeft: () => void,
): Promise<void> => {
  const { recipient, content } = message;
  // Once the network may have the message, this is what the caller hears, and no later "not connected" hides it.
  let unknown: HandsetError | null = null;
  for (let tries = 1; ; tries += 1) {
    let session: NetworkSession | null = null;
    try {
      session =
        runtime.networkSession ??
        (await reopenedSession(runtime, isMedia(content) ? adviceToConnect : '', clock, wait));
      // `connection.open` is in the log before anything that is sent through it.
      await runtime.writes.settled;
      // The caller has its 408 by now: what it believes to have failed must not go out later.
      if (wait.until <= clock.now()) throw new HandsetError('RequestTimeout', 'Request timeout');
      const to = await onNetwork(session, recipient);
      // The look-up may have told whose number it is.
      if (to !== recipient && stores.suppressions.users.has(runtime.userId)) await mayWriteTo(stores, runtime, to);
      if (runtime.settings.newChatsPerDay !== null) await beginChat(stores, runtime, to, clock);
      await session.send({ ...message, recipient: to }, onLeft);
      return;
    } catch (error) {
      const failed = failure(content, error);
      if (mayHaveBeenSent(failed)) unknown ??= failed;
      const again = session !== null && tries < maxTries && wait.until > clock.now() && !isRefusal(error);
      if (!again || !(await isLinkLost(runtime, session!))) throw unknown ?? failed;
    }
  }
};

/** Resolves once the network has accepted the message. */
const deliver = async (parts: DeliveryParts, runtime: DeviceRuntime, draft: Draft, id: string): Promise<void> => {
  const { clock, stores, waitMs } = parts;
  const { recipient, content } = draft;
  if (content.kind !== 'delete' && stores.suppressions.users.has(runtime.userId))
    await mayWriteTo(stores, runtime, recipient);
  const asked = clock.now();
  const bytes = sizeOf(content);
  runtime.usedAt = asked;
  const next = await runtime.sends.enter(bytes);
  try {
    await attempt(parts, runtime, { ...draft, id }, { asked, until: asked + waitMs }, next);
  } finally {
    next();
    runtime.sends.leave(bytes);
  }
};

/** Mentions are checked against the text in which they are to be seen. */
const draftOf = ({ recipient, content, quotedMessageId, mentions }: MessageToSend): Draft => {
  if (content.kind === 'text') checkText(content.text);
  else if (content.kind === 'poll') checkPoll(content.poll);
  if (quotedMessageId === undefined && mentions === undefined) return { recipient, content };
  return { recipient, content, quotedMessageId, mentions: mentionsOf(mentions, content) };
};

interface MediaSenderParts {
  readonly parts: LiveParts;
  readonly once: SendOnce['run'];
  readonly delivery: DeliveryParts;
}

/** A file that comes with the request is checked before the connection; one that has to be fetched, after it. The recipient comes first. */
const mediaSender =
  ({ parts, once, delivery }: MediaSenderParts) =>
  async (
    [scope, input, idempotency, wished]: readonly [
      DeviceScope,
      ImageToSend,
      Idempotency | undefined,
      string | undefined,
    ],
    intake: Pick<FileIntake, 'check'>,
    fetched: (source: FileSource, use: (content: OutgoingContent) => Promise<void>) => Promise<void>,
  ): Promise<SentId> => {
    const { recipient, source, caption, deadline, quotedMessageId } = input;
    const runtime = await scope.runtime();
    const mentions = mentionsOf(input.mentions, { kind: 'caption', text: caption });
    if (!('fileId' in source)) await intake.check(source);
    const deliverFile = async (file: FileSource, messageId: string): Promise<void> => {
      await mayWriteTo(parts.stores, runtime, recipient);
      const session =
        'url' in file
          ? await openSession(runtime, adviceToConnect, parts.clock, waitOf(parts))
          : runtime.networkSession;
      if (session !== null) await checkRecipient(parts, runtime, session, recipient);
      const about = { recipient, quotedMessageId, mentions, signal: deadline.signal };
      await fetched(file, (content) => deliver(delivery, runtime, { ...about, content }, messageId));
    };
    // A repeat of what was sent does not need its file any more.
    const run = (messageId: string): Promise<void> =>
      'fileId' in source
        ? parts.uploads.use(scope.userId, scope.id, source.fileId, (upload) => deliverFile({ upload }, messageId))
        : deliverFile(source, messageId);
    return once(scope.id, idempotency, run, wished);
  };

const onceBy = ({ stores, network, clock, log }: LiveParts): SendOnce['run'] => {
  const { newMessageId } = network;
  const { idempotency, messages } = stores;
  const repeats = new SendOnce({ idempotency, messages, newMessageId, clock, log });
  return async (deviceId, given, send, wished) => {
    if (given !== undefined || wished !== undefined) return repeats.run(deviceId, given, send, wished);
    // Nobody else knows an id that is made here.
    const messageId = newMessageId(false);
    await send(messageId);
    return { messageId };
  };
};

/**
 * All answer after the network's ack and throw InvalidRequest, DeviceNotConnected, DeviceNotAuthenticated, Conflict, Forbidden,
 * RateLimited, RequestTimeout, and SendFailed or SendMediaFailed.
 */
export const makeSending = (parts: LiveParts, imageLimit: ConcurrencyLimit) => {
  const { stores, network, outbound, clock } = parts;
  const images = new ImageIntake(network, outbound, imageLimit);
  const files = new FileIntake(parts);
  const once = onceBy(parts);
  const delivery = { clock, stores, waitMs: networkWaitMs(parts.options) };
  const previewed = previewer(parts, images);
  const sendMedia = mediaSender({ parts, once, delivery });
  return {
    /** For a message that may have to be tried again on another node: with its id it stays one. `elsewhere`: that node sends first. */
    newMessageId: network.newMessageId,
    send: async (
      scope: DeviceScope,
      input: MessageToSend,
      idempotency?: Idempotency,
      wished?: string,
    ): Promise<SentId> => {
      const runtime = await scope.runtime();
      const draft = draftOf(input);
      const run = async (messageId: string): Promise<void> => {
        const { previewBy } = input;
        const content = previewBy === undefined ? draft.content : await previewed(runtime, draft.content, previewBy);
        await deliver(delivery, runtime, { ...draft, content }, messageId);
      };
      return once(scope.id, idempotency, run, wished);
    },
    /** Throws NotFound for an unknown message. */
    sendOfEarlier: async (
      scope: DeviceScope,
      { messageId: id, chat, recipient, make }: MadeOfEarlier,
      idempotency?: Idempotency,
      wished?: string,
    ): Promise<SentId> => {
      const runtime = await scope.runtime();
      const run = async (messageId: string): Promise<void> => {
        const original = await stores.messages.find(scope.id, id, chat);
        if (original === null || original.state === 'action') throw notFound('Message');
        const content = make(original, clock.now());
        await deliver(delivery, runtime, { recipient: recipient ?? chatOf(original), content }, messageId);
      };
      return once(scope.id, idempotency, run, wished);
    },
    /** Throws InvalidImage and PayloadTooLarge too. */
    sendImage: (scope: DeviceScope, input: ImageToSend, idempotency?: Idempotency, wished?: string): Promise<SentId> =>
      sendMedia([scope, input, idempotency, wished], images, (source, use) => {
        const { caption, deadline } = input;
        return images.with(source, caption, { userId: scope.userId, deadline }, (image) =>
          use({ kind: 'image', image }),
        );
      }),
    /** Throws PayloadTooLarge too. */
    sendFile: (scope: DeviceScope, input: FileToSend, idempotency?: Idempotency, wished?: string): Promise<SentId> =>
      sendMedia([scope, input, idempotency, wished], files, (source, use) => {
        const { wish, caption, deadline } = input;
        return files.with(source, wish, caption, { userId: scope.userId, deadline }, use);
      }),
  };
};

export type Sending = ReturnType<typeof makeSending>;
