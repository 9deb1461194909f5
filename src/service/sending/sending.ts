/** Sending; checks in the order device, request, connection (docs/spec/http-interface.md, Check order). */
import { fileKinds, type FileRequest } from '../../domain/messages/files.ts';
import {
  fileOf,
  type OutgoingContent,
  type OutgoingMessage,
  type SendAttempt,
} from '../../domain/messages/outgoing.ts';
import { checkMentionAll, checkPoll, checkText, mentionsOf } from '../../domain/messages/rules.ts';
import type { GivenRecipient } from '../../domain/chats/recipient.ts';
import { HandsetError, notFound } from '../../errors.ts';
import {
  beginChat,
  checkRecipient,
  mayWriteTo,
  onNetwork,
  adviceToConnect,
  openSession,
  retryOnSession,
} from './readiness.ts';
import { chatOf, type MakeAction } from './actions.ts';
import { albumSender } from './album.ts';
import type { FileIntake, FileSource } from './files.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import { previewer } from './link-preview.ts';
import { type Idempotency, SendOnce } from './send-once.ts';
import type { RequestDeadline } from '../time/deadline.ts';

export interface SentId {
  readonly messageId: string;
}

interface References {
  readonly quotedMessageId?: string | undefined;
  readonly mentions?: readonly string[] | undefined;
  readonly mentionAll?: boolean | undefined;
}

export interface MessageToSend extends References {
  readonly recipient: GivenRecipient;
  readonly content: OutgoingContent;
  /** Given if a preview of the first link is wanted. */
  readonly previewBy?: Pick<RequestDeadline, 'signal'> | undefined;
}

export interface FileToSend extends References {
  readonly recipient: GivenRecipient;
  readonly file: FileRequest;
  readonly source: FileSource | { readonly fileId: string };
  readonly caption: string | null;
  readonly deadline: RequestDeadline;
}

export interface ActionToSend {
  readonly messageId: string;
  /** Required if several chats have a message of this id. */
  readonly chat: string | undefined;
  readonly recipient?: GivenRecipient;
  readonly make: MakeAction;
}

type Draft = Omit<OutgoingMessage, 'id' | 'isRepeat' | 'until'>;

const maxSends = 1_000;
const maxBytes = 64 * 1_024 * 1_024;
const busySeconds = 5;

const tooManyWait = (): HandsetError => {
  const words = 'Too many messages of this device are waiting to be sent; try again in a few seconds';
  return new HandsetError('RateLimited', words, { retryAfterSeconds: busySeconds, reason: 'busy' });
};

const usualBytes = 4_096;

interface Delivery {
  readonly parts: LiveParts;
  /** Sends under way by device, which are bounded, so that a slow network or a lost connection costs no memory. */
  readonly underWay: Map<number, { sends: number; bytes: number }>;
}

const deliver = async (
  { parts, underWay }: Delivery,
  runtime: DeviceRuntime,
  draft: Draft,
  { messageId: id, isRepeat }: SendAttempt,
): Promise<void> => {
  const { stores, clock } = parts;
  const { recipient, content } = draft;
  if (content.kind !== 'delete' && stores.suppressions.users.has(runtime.userId))
    await mayWriteTo(stores, runtime, recipient);
  const advice = fileKinds.has(content.kind) ? adviceToConnect : '';
  const bytes = content.kind === 'text' ? content.text.length : (fileOf(content)?.held ?? usualBytes);
  const held = underWay.get(runtime.id) ?? { sends: 0, bytes: 0 };
  if (held.sends >= maxSends || (held.sends > 0 && held.bytes + bytes > maxBytes)) throw tooManyWait();
  held.sends += 1;
  held.bytes += bytes;
  underWay.set(runtime.id, held);
  try {
    await runtime.work(() =>
      retryOnSession(parts, runtime, advice, async (session, tries, until) => {
        const message = { ...draft, id, isRepeat: isRepeat || tries > 1, until };
        await session.send(message, async () => {
          const to = await onNetwork(parts, session, recipient);
          // The look-up may have revealed a suppressed number.
          if (to !== recipient && stores.suppressions.users.has(runtime.userId)) await mayWriteTo(stores, runtime, to);
          if (runtime.settings.newChatsPerDay !== null) await beginChat(stores, runtime, to, clock);
          return to;
        });
      }),
    );
  } finally {
    held.sends -= 1;
    held.bytes -= bytes;
    if (held.sends === 0) underWay.delete(runtime.id);
  }
};

/** Mentions are checked against the text in which they are to be seen. */
export const draftOf = ({ recipient, content, quotedMessageId, mentions, mentionAll }: MessageToSend): Draft => {
  if (content.kind === 'text') checkText(content.text);
  else if (content.kind === 'poll') checkPoll(content.poll);
  if ((quotedMessageId ?? mentions ?? mentionAll) === undefined) return { recipient, content };
  checkMentionAll(mentionAll, recipient, content);
  return { recipient, content, quotedMessageId, mentions: mentionsOf(mentions, content), mentionAll };
};

interface SenderParts {
  readonly parts: LiveParts;
  readonly once: SendOnce;
  readonly delivery: Delivery;
}

/** The recipient is checked first. A file within the request is checked before the connection, one to be fetched after it. */
const fileSender =
  ({ parts, once, delivery }: SenderParts, files: FileIntake) =>
  async (scope: DeviceScope, input: FileToSend, idempotency?: Idempotency, attempt?: SendAttempt): Promise<SentId> => {
    const { recipient, file, source, caption, deadline, quotedMessageId, mentionAll } = input;
    const runtime = await scope.runtime();
    const mentions = mentionsOf(input.mentions, { kind: 'caption', text: caption });
    checkMentionAll(mentionAll, recipient, { kind: 'caption', text: caption });
    if ('url' in source || 'bytes' in source) await files.check(source, file.kind);
    const send = async (from: FileSource, as: SendAttempt): Promise<void> => {
      await mayWriteTo(parts.stores, runtime, recipient);
      const session = 'url' in from ? await openSession(parts, runtime, adviceToConnect) : runtime.networkSession;
      if (session !== null) await checkRecipient(parts, runtime, session, recipient);
      const about = { recipient, quotedMessageId, mentions, mentionAll, signal: deadline.signal };
      const requester = { userId: scope.userId, deadline };
      await files.with(from, file, caption, requester, (content) =>
        deliver(delivery, runtime, { ...about, content }, as),
      );
    };
    const run = (as: SendAttempt): Promise<void> =>
      'fileId' in source ? parts.uploads.use(scope, source.fileId, (upload) => send({ upload }, as)) : send(source, as);
    return once.run(scope.id, idempotency, run, attempt);
  };

const actionSender =
  ({ parts, once, delivery }: SenderParts) =>
  async (
    scope: DeviceScope,
    { messageId: id, chat, recipient, make }: ActionToSend,
    idempotency?: Idempotency,
    attempt?: SendAttempt,
  ): Promise<SentId> => {
    const runtime = await scope.runtime();
    const run = async (as: SendAttempt): Promise<void> => {
      const original = await parts.stores.messages.find(scope.id, id, chat);
      if (original === null || original.state === 'action') throw notFound('Message');
      const content = make(original, parts.clock.now());
      await deliver(delivery, runtime, { recipient: recipient ?? chatOf(original), content }, as);
    };
    return once.run(scope.id, idempotency, run, attempt);
  };

/**
 * All resolve after the network's ack and throw InvalidRequest, DeviceNotConnected, DeviceNotAuthenticated, Conflict, Forbidden,
 * RateLimited, RequestTimeout, and SendFailed or SendMediaFailed.
 */
export const makeSending = (parts: LiveParts, files: FileIntake) => {
  const once = new SendOnce(parts);
  const delivery: Delivery = { parts, underWay: new Map() };
  const previewed = previewer(parts, files);
  return {
    /** For forwarded requests: the id ensures that the message is sent once. */
    newMessageId: parts.network.newMessageId,
    send: async (
      scope: DeviceScope,
      input: MessageToSend,
      idempotency?: Idempotency,
      attempt?: SendAttempt,
    ): Promise<SentId> => {
      const runtime = await scope.runtime();
      const draft = draftOf(input);
      const run = async (as: SendAttempt): Promise<void> => {
        const { previewBy } = input;
        const content = previewBy === undefined ? draft.content : await previewed(runtime, draft.content, previewBy);
        await deliver(delivery, runtime, { ...draft, content }, as);
      };
      return once.run(scope.id, idempotency, run, attempt);
    },
    sendAction: actionSender({ parts, once, delivery }),
    sendFile: fileSender({ parts, once, delivery }, files),
    ...albumSender({
      parts,
      once,
      files,
      deliver: (runtime, recipient) => (content, as, quotedMessageId) =>
        deliver(delivery, runtime, { recipient, content, quotedMessageId }, as),
    }),
  };
};

export type Sending = ReturnType<typeof makeSending>;
