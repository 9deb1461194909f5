/** Albums: all files are uploaded before the first message. Each message's id derives from the album's, so a repeat sends only what has failed. */
import type { FileContent } from '../../domain/messages/files.ts';
import { type OutgoingContent, type SendAttempt, ofItem } from '../../domain/messages/outgoing.ts';
import type { MessageRecord } from '../../domain/message.ts';
import type { GivenRecipient } from '../../domain/chats/recipient.ts';
import type { NetworkSession } from '../../domain/network.ts';
import { HandsetError, messageOf, SendOutcomeUnknown } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { DeviceRuntime } from '../sessions/device-runtime.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import type { RequestDeadline } from '../time/deadline.ts';
import type { FileIntake, FileSource } from './files.ts';
import { checkRecipient, mayWriteTo, adviceToConnect, openSession, retryOnSession } from './readiness.ts';
import type { Idempotency, SendOnce } from './send-once.ts';

export interface AlbumItem {
  readonly source: FileSource | { readonly fileId: string };
  readonly caption: string | null;
}

export interface AlbumToSend {
  readonly recipient: GivenRecipient;
  readonly items: readonly AlbumItem[];
  readonly quotedMessageId?: string | undefined;
  readonly deadline: RequestDeadline;
}

export interface SentAlbum {
  readonly messageId: string;
  readonly messageIds: readonly string[];
}

type Deliver = (content: OutgoingContent, as: SendAttempt, quotedMessageId?: string) => Promise<void>;

interface AlbumParts {
  readonly parts: LiveParts;
  readonly once: SendOnce;
  readonly files: FileIntake;
  readonly deliver: (runtime: DeviceRuntime, recipient: GivenRecipient) => Deliver;
}

/** Files fetched and uploaded at a time: the limit of one user. */
const atOnce = 4;

/** `body`: the result of `NetworkSession.upload`. */
interface Uploaded {
  readonly kind: 'image' | 'video';
  readonly body: Uint8Array;
}

/** Runs a few at a time. Throws all errors together, each with its file's index. */
const each = async <T, R>(items: readonly T[], run: (item: T, index: number) => Promise<R>): Promise<readonly R[]> => {
  const results: R[] = [];
  const failed: (readonly [number, unknown])[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length && failed.length === 0) {
      const index = next;
      next += 1;
      try {
        results[index] = await run(items[index]!, index);
      } catch (error) {
        failed.push([index, ofItem(error, index)]);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const [first] = failed.toSorted(([one], [other]) => one - other);
  if (first !== undefined) throw first[1];
  return results;
};

/** Only part of the album was sent: a repeat with the same key sends the rest. */
const incomplete = (count: number, failed: readonly (readonly [number, unknown])[]): HandsetError => {
  const words = failed.map(
    ([index, error]) => `items[${index}]: ${error instanceof HandsetError ? error.message : 'it could not be sent'}`,
  );
  const sent = count - failed.length;
  return new HandsetError(
    'SendMediaFailed',
    `Failed to send media message: ${sent} of the ${count} files of the album were sent. ${words.join('; ')}. A repeat with the same Idempotency-Key sends only what is missing`,
    { cause: new SendOutcomeUnknown(`${failed.length} files of an album were not sent`, { cause: failed[0]![1] }) },
  );
};

/** Errors that the next file would meet, too. */
const ends: ReadonlySet<string> = new Set([
  'DeviceNotConnected',
  'DeviceNotAuthenticated',
  'RequestTimeout',
  'Unavailable',
]);

const endsAll = (error: unknown): boolean => !(error instanceof HandsetError) || ends.has(error.name);

const isAccepted = (record: MessageRecord | null): boolean => record !== null && record.acceptedAt !== null;

/** Sends in order, up to an error in `ends`. Returns the failures by index. */
const inTurn = async (ids: readonly string[], post: (id: string, index: number) => Promise<void>) => {
  const failed: (readonly [number, unknown])[] = [];
  for (const [index, id] of ids.entries()) {
    const last = failed.at(-1)?.[1];
    if (last !== undefined && endsAll(last)) {
      failed.push([index, last]);
      continue;
    }
    try {
      await post(id, index);
    } catch (error) {
      failed.push([index, error]);
    }
  }
  return failed;
};

const uploader = ({ parts, files }: Pick<AlbumParts, 'parts' | 'files'>) => {
  const { uploads } = parts;
  return async (
    scope: DeviceScope,
    runtime: DeviceRuntime,
    { source, caption }: AlbumItem,
    deadline: RequestDeadline,
  ): Promise<Uploaded> => {
    let found: Uploaded | null = null;
    const take = async (content: FileContent): Promise<void> => {
      const kind = content.kind === 'image' ? 'image' : 'video';
      const upload = (session: NetworkSession): Promise<Uint8Array> => session.upload(content, deadline.signal);
      found = { kind, body: await retryOnSession(parts, runtime, adviceToConnect, upload) };
    };
    const requester = { userId: scope.userId, deadline };
    const run = (from: FileSource): Promise<void> => files.withPicture(from, caption, requester, take);
    if ('fileId' in source) await uploads.use(scope, source.fileId, (upload) => run({ upload }));
    else await run(source);
    return found!;
  };
};

export const albumSender = ({ parts, once, files, deliver }: AlbumParts) => {
  const { stores, network } = parts;
  const idsOf = (messageId: string, { items }: Pick<AlbumToSend, 'items'>): readonly string[] =>
    items.map((_, index) => network.partId(messageId, index));

  const uploaded = uploader({ parts, files });
  const send = async (
    scope: DeviceScope,
    runtime: DeviceRuntime,
    input: AlbumToSend,
    { messageId, isRepeat }: SendAttempt,
  ): Promise<void> => {
    const { recipient, items, quotedMessageId, deadline } = input;
    await mayWriteTo(stores, runtime, recipient);
    const session = await openSession(parts, runtime, adviceToConnect);
    await checkRecipient(parts, runtime, session, recipient);
    const ids = idsOf(messageId, input);
    const earlier = async (id: string) => (isRepeat ? stores.messages.find(scope.id, id) : null);
    const before = await Promise.all(ids.map(earlier));
    const ready = await each(items, async (item, index) =>
      before[index]?.content || isAccepted(before[index]!) ? null : uploaded(scope, runtime, item, deadline),
    );
    const post = deliver(runtime, recipient);
    if (!isAccepted(await earlier(messageId))) {
      const images = ready.filter((file) => file?.kind === 'image').length;
      const frame = { kind: 'album', images, videos: items.length - images } as const;
      await post(frame, { messageId, isRepeat }, quotedMessageId);
    }
    const failed = await inTurn(ids, async (id, index) => {
      if (isAccepted(before[index]!)) return;
      const body = ready[index]?.body ?? new Uint8Array();
      await post({ kind: 'albumItem', albumId: messageId, body }, { messageId: id, isRepeat });
    });
    if (failed.length > 0) {
      parts.log.warn({ deviceId: scope.id, reason: messageOf(failed[0]![1]) }, 'files of an album were not sent');
      throw incomplete(items.length, failed);
    }
  };

  const sendAlbum = async (
    scope: DeviceScope,
    input: AlbumToSend,
    idempotency?: Idempotency,
    attempt?: SendAttempt,
  ): Promise<SentAlbum> => {
    const runtime = await scope.runtime();
    for (const [index, { source }] of input.items.entries()) {
      if ('url' in source || 'bytes' in source)
        await files.check(source, 'video').catch((error: unknown) => {
          throw ofItem(error, index);
        });
    }
    const isDone = async (messageId: string): Promise<boolean> => {
      const records = idsOf(messageId, input).map((id) => stores.messages.find(scope.id, id));
      return (await Promise.all(records)).every(isAccepted);
    };
    const run = (as: SendAttempt): Promise<void> => send(scope, runtime, input, as);
    const { messageId } = await once.run(scope.id, idempotency, run, attempt, isDone);
    return { messageId, messageIds: idsOf(messageId, input) };
  };
  return { sendAlbum, albumIds: idsOf };
};
