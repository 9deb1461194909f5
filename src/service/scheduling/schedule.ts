/** Scheduled messages: kept, listed, changed and cancelled until their time (docs/spec/messages.md, Sends at a time). */
import type { FileRequest, RandomAccessBytes } from '../../domain/messages/files.ts';
import type { SendAttempt } from '../../domain/messages/outgoing.ts';
import { checkMentionAll, checkText, mentionsOf } from '../../domain/messages/rules.ts';
import {
  type GivenFile,
  type PlainContent,
  type ScheduledBody,
  type ScheduledContent,
  type ScheduledMessage,
  sendTimesOf,
} from '../../domain/messages/scheduled.ts';
import type { Recipient } from '../../domain/jid.ts';
import { HandsetError, invalidRequest, notFound } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import { forward } from '../sending/actions.ts';
import type { FileIntake, FileSource, RequestedFile } from '../sending/files.ts';
import type { AlbumToSend } from '../sending/album.ts';
import { type Idempotency, SendOnce } from '../sending/send-once.ts';
import { draftOf, type SentId } from '../sending/sending.ts';
import { albumKeeper } from './albums.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import type { RequestDeadline } from '../time/deadline.ts';

type References = Omit<ScheduledBody, 'content'>;

export interface ContentToSchedule extends References {
  readonly content: PlainContent;
  readonly linkPreview: boolean;
}

export interface FileToSchedule extends References {
  readonly file: FileRequest;
  readonly source: RequestedFile | { readonly fileId: string };
  readonly caption: string | null;
  readonly deadline: RequestDeadline;
}

export interface AlbumToSchedule extends AlbumToSend {
  readonly recipient: Recipient;
}

export interface ForwardToSchedule extends References {
  readonly messageId: string;
  readonly chat: string | undefined;
}

/** Times in ms; `sendUntil` null: the default. */
export interface ScheduleRequest {
  readonly sendAt: number;
  readonly sendUntil: number | null;
  readonly keyId: number | null;
  readonly idempotency?: Idempotency | undefined;
  readonly attempt?: SendAttempt | undefined;
}

export interface SchedulePatch {
  readonly sendAt?: number | undefined;
  readonly sendUntil?: number | undefined;
  readonly text?: string | undefined;
}

interface ScheduleParts {
  readonly files: FileIntake;
  readonly changed: (deviceId: number) => void;
}

const leaves = (): HandsetError =>
  new HandsetError('Conflict', 'The message is being sent and can no longer be changed or cancelled');

const takesCaption = (file: FileRequest): boolean =>
  file.kind !== 'audio' && file.kind !== 'sticker' && !(file.kind === 'video' && file.isNote === true);

const withText = (content: ScheduledContent, text: string): ScheduledContent => {
  if (content.kind === 'file' && takesCaption(content.file)) {
    if (text.length > 1_024) throw invalidRequest('message must be at most 1,024 characters for a caption');
    return { ...content, caption: text };
  }
  if (content.kind !== 'plain' || content.content.kind !== 'text')
    throw invalidRequest('message can be changed only for texts and captions');
  checkText(text);
  return { ...content, content: { kind: 'text', text } };
};

const patched = (message: ScheduledMessage, patch: SchedulePatch, now: number): ScheduledMessage => {
  const { sendAt = message.sendAt, text } = patch;
  const { body } = message;
  const until = patch.sendUntil ?? sendAt + message.sendUntil - message.sendAt;
  const content = text === undefined ? body.content : withText(body.content, text);
  if (text !== undefined) {
    mentionsOf(body.mentions, { kind: 'caption', text });
    checkMentionAll(body.mentionAll, body.recipient, { kind: 'caption', text });
  }
  return { ...message, ...sendTimesOf(sendAt, until, now), body: { ...body, content } };
};

const inMemory = (bytes: Uint8Array): RandomAccessBytes => ({
  size: bytes.length,
  read: async (offset, length) => bytes.subarray(offset, offset + length),
});

const nothing = async (): Promise<void> => undefined;

type Keep = (body: ScheduledBody, file?: RandomAccessBytes) => Promise<void>;

const fileKeeper =
  ({ uploads }: LiveParts, files: FileIntake) =>
  async (scope: DeviceScope, input: FileToSchedule, keep: Keep): Promise<void> => {
    const { file, source, caption, deadline, ...about } = input;
    mentionsOf(about.mentions, { kind: 'caption', text: caption });
    checkMentionAll(about.mentionAll, about.recipient, { kind: 'caption', text: caption });
    const keepFrom = (from: { readonly url: string } | { readonly given: GivenFile }, plain?: RandomAccessBytes) =>
      keep({ ...about, content: { kind: 'file', file, caption, source: from } }, plain);
    const requester = { userId: scope.userId, deadline };
    const check = (from: FileSource): Promise<void> => files.with(from, file, caption, requester, nothing);
    if ('fileId' in source)
      return uploads.use(scope, source.fileId, async (upload) => {
        await check({ upload });
        const { plain, fileName, mimetype } = upload;
        await keepFrom({ given: { bytes: plain.size, fileName, mimetype } }, plain);
      });
    await files.check(source, file.kind);
    if ('url' in source) return keepFrom(source);
    await check(source);
    const { bytes } = source;
    await keepFrom({ given: { bytes: bytes.length, fileName: null, mimetype: null } }, inMemory(bytes));
  };

/** All throw what the send itself would, as far as that needs no network; and RateLimited if too much waits. */
export const makeSchedule = (parts: LiveParts, { files, changed }: ScheduleParts) => {
  const { stores, clock } = parts;
  const once = new SendOnce(parts);
  const keepFile = fileKeeper(parts, files);
  const keepAlbum = albumKeeper(parts, files);
  /** A repeat is answered before its times and file are checked. */
  const schedule = async (
    scope: DeviceScope,
    { sendAt, sendUntil, keyId, idempotency, attempt }: ScheduleRequest,
    run: (keep: Keep) => Promise<void>,
  ): Promise<SentId> => {
    await scope.runtime();
    const add = async ({ messageId }: SendAttempt): Promise<void> => {
      const createdAt = clock.now();
      const times = sendTimesOf(sendAt, sendUntil, createdAt);
      await run((body, file) =>
        stores.scheduled.add({ deviceId: scope.id, messageId, keyId, ...times, createdAt, body }, file ?? null),
      );
      changed(scope.id);
    };
    return once.run(scope.id, idempotency, add, attempt);
  };
  return {
    message: (scope: DeviceScope, request: ScheduleRequest, input: ContentToSchedule): Promise<SentId> =>
      schedule(scope, request, async (keep) => {
        const { content, linkPreview, ...about } = input;
        draftOf({ ...about, content });
        await keep({ ...about, content: { kind: 'plain', content, linkPreview } });
      }),
    file: (scope: DeviceScope, request: ScheduleRequest, input: FileToSchedule): Promise<SentId> =>
      schedule(scope, request, (keep) => keepFile(scope, input, keep)),
    album: (scope: DeviceScope, request: ScheduleRequest, input: AlbumToSchedule): Promise<SentId> =>
      schedule(scope, request, (keep) => {
        const { recipient, quotedMessageId } = input;
        return keepAlbum(scope, input, (content, file) => keep({ recipient, quotedMessageId, content }, file));
      }),
    /** Throws NotFound for an unknown message. */
    forward: (scope: DeviceScope, request: ScheduleRequest, input: ForwardToSchedule): Promise<SentId> =>
      schedule(scope, request, async (keep) => {
        const { recipient, messageId, chat } = input;
        const original = await stores.messages.find(scope.id, messageId, chat);
        if (original === null || original.state === 'action') throw notFound('Message');
        forward(original, clock.now());
        await keep({ recipient, content: { kind: 'forward', messageId, chat: chat ?? null } });
      }),
    async change(scope: DeviceScope, messageId: string, patch: SchedulePatch): Promise<ScheduledMessage> {
      await scope.runtime();
      const message = await stores.scheduled.find(scope.id, messageId);
      if (message === null) throw notFound('Scheduled message');
      const changedMessage = patched(message, patch, clock.now());
      if (!(await stores.scheduled.change(changedMessage))) throw leaves();
      changed(scope.id);
      return changedMessage;
    },
    async cancel(scope: DeviceScope, messageId: string): Promise<void> {
      if (await stores.scheduled.cancel(scope.id, messageId)) return changed(scope.id);
      if ((await stores.scheduled.find(scope.id, messageId)) === null) throw notFound('Scheduled message');
      throw leaves();
    },
  };
};

export type Schedule = ReturnType<typeof makeSchedule>;
