/** Statuses: posting to an audience, and viewing, liking and deleting (docs/spec/statuses.md). */
import { parsePerson } from '../../domain/chats/recipient.ts';
import type { Contact } from '../../domain/chats/contact.ts';
import type { FileRequest } from '../../domain/messages/files.ts';
import type { OutgoingContent } from '../../domain/messages/outgoing.ts';
import type { Jid } from '../../domain/jid.ts';
import { checkReaction, checkText } from '../../domain/messages/rules.ts';
import type { Page, PageRequest } from '../../domain/stores.ts';
import {
  statusLifeMs,
  type StatusContent,
  type Statuses,
  type StatusPrivacy,
  type StatusRecord,
  type StatusViewer,
} from '../../domain/messages/statuses.ts';
import { HandsetError, invalidRequest, notFound } from '../../errors.ts';
import type { LiveParts } from '../parts.ts';
import type { FileIntake, FileSource } from '../sending/files.ts';
import { adviceToConnect, openSession, waitOf, onOpenSession } from '../sending/readiness.ts';
import { type Idempotency, SendOnce } from '../sending/send-once.ts';
import type { DeviceScope } from '../sessions/runtimes.ts';
import type { RequestDeadline } from '../time/deadline.ts';

/** As given: people by number or JID. Undefined: the setting on the phone. */
export type AudienceRequest =
  | 'contacts'
  | { readonly only: readonly string[] }
  | { readonly except: readonly string[] };

export interface StatusToPost {
  readonly content:
    | Extract<StatusContent, { readonly kind: 'text' }>
    | {
        readonly kind: 'file';
        readonly file: Extract<FileRequest, { readonly kind: 'image' | 'video' | 'audio' }>;
        readonly source: FileSource | { readonly fileId: string };
        readonly caption: string | null;
      };
  readonly audience: AudienceRequest | undefined;
  readonly deadline: RequestDeadline;
}

export interface PostedStatus {
  readonly id: string;
  readonly recipients: number;
  /** ms. */
  readonly expiresAt: number;
}

/** Each may have a file, and thousands of people. */
const maxUnderWay = 4;
const busySeconds = 30;
const pageSize = 1_000;

interface Audience {
  readonly privacy: StatusPrivacy['kind'];
  readonly people: readonly Jid[];
}

const addressesOf = ({ jid, lid }: Pick<Contact, 'jid' | 'lid'>): readonly Jid[] => (lid === null ? [jid] : [jid, lid]);

const isKnown = ({ name, blocked }: Contact): boolean => name !== null && !blocked;

const addressBook = async ({ stores }: LiveParts, deviceId: number): Promise<readonly Contact[]> => {
  const people: Contact[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Contact> = await stores.contacts.list(deviceId, { limit: pageSize, cursor });
    people.push(...page.items.filter(isKnown));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return people;
};

const named = async (
  { stores }: LiveParts,
  scope: DeviceScope,
  texts: readonly string[],
  member: 'only' | 'except',
): Promise<readonly Contact[]> => {
  const { account } = await scope.record();
  const people: Contact[] = [];
  for (const [index, text] of texts.entries()) {
    const name = `audience.${member}[${index}]`;
    const jid = parsePerson(text, name);
    if (jid === account?.jid || jid === account?.lid)
      throw invalidRequest(`${name} is the account itself, which sees its statuses anyway`);
    const contact = await stores.contacts.find(scope.id, jid);
    if (contact === null || !isKnown(contact)) {
      if (member === 'except') continue;
      throw invalidRequest(`${name} is nobody in the address book of the account: statuses are for its contacts`);
    }
    people.push(contact);
  }
  return people;
};

const except = async (parts: LiveParts, deviceId: number, hidden: readonly Jid[]): Promise<readonly Jid[]> => {
  const left = new Set(hidden);
  const book = await addressBook(parts, deviceId);
  return book.filter((contact) => !addressesOf(contact).some((jid) => left.has(jid))).map(({ jid }) => jid);
};

const audienceOf = async (
  parts: LiveParts,
  scope: DeviceScope,
  wanted: AudienceRequest | undefined,
  privacyOf: () => Promise<StatusPrivacy>,
): Promise<Audience> => {
  if (wanted !== undefined && wanted !== 'contacts') {
    if ('only' in wanted) {
      const people = (await named(parts, scope, wanted.only, 'only')).map(({ jid }) => jid);
      return { privacy: 'only', people };
    }
    const hidden = (await named(parts, scope, wanted.except, 'except')).flatMap(addressesOf);
    return { privacy: 'except', people: await except(parts, scope.id, hidden) };
  }
  const privacy: StatusPrivacy = wanted === 'contacts' ? { kind: 'contacts' } : await privacyOf();
  if (privacy.kind === 'only') return { privacy: 'only', people: privacy.people };
  const hidden = privacy.kind === 'except' ? privacy.people : [];
  return { privacy: privacy.kind, people: await except(parts, scope.id, hidden) };
};

const isContent = (content: OutgoingContent): content is Exclude<StatusContent, { readonly kind: 'text' }> =>
  content.kind === 'image' || content.kind === 'video' || content.kind === 'audio';

const makePost = (parts: LiveParts, files: FileIntake) => {
  const { clock, stores } = parts;
  const once = new SendOnce(parts);
  const underWay = new Map<number, number>();

  const send = async (scope: DeviceScope, id: string, content: StatusContent, { audience, deadline }: StatusToPost) =>
    onOpenSession(parts, scope, async ({ statuses }) => {
      const { privacy, people } = await audienceOf(parts, scope, audience, () => statuses.privacy());
      if (people.length === 0) throw invalidRequest('The status would be seen by nobody: its audience is empty');
      return statuses.post({ id, content, privacy, audience: people, signal: deadline.signal });
    });

  const withFile = async (scope: DeviceScope, id: string, given: StatusToPost): Promise<number> => {
    const { content, deadline } = given;
    if (content.kind === 'text') return send(scope, id, content, given);
    const { file, source, caption } = content;
    const requester = { userId: scope.userId, deadline };
    let recipients = 0;
    const use = async (from: FileSource): Promise<void> => {
      if ('url' in from) await openSession(parts, await scope.runtime(), adviceToConnect);
      await files.with(from, file, caption, requester, async (prepared) => {
        if (isContent(prepared)) recipients = await send(scope, id, prepared, given);
      });
    };
    if ('fileId' in source) await parts.uploads.use(scope, source.fileId, (upload) => use({ upload }));
    else await use(source);
    return recipients;
  };

  const bounded = async <T>(deviceId: number, run: () => Promise<T>): Promise<T> => {
    const count = underWay.get(deviceId) ?? 0;
    if (count >= maxUnderWay) {
      const words = 'Other statuses of this device are still being posted; try again in a moment';
      throw new HandsetError('RateLimited', words, { retryAfterSeconds: busySeconds, reason: 'busy' });
    }
    underWay.set(deviceId, count + 1);
    try {
      return await run();
    } finally {
      const left = underWay.get(deviceId)! - 1;
      if (left === 0) underWay.delete(deviceId);
      else underWay.set(deviceId, left);
    }
  };

  return async (scope: DeviceScope, given: StatusToPost, idempotency?: Idempotency): Promise<PostedStatus> => {
    const { content, audience } = given;
    if (content.kind === 'text') checkText(content.text);
    if (content.kind === 'file') {
      const { source, file } = content;
      if ('url' in source || 'bytes' in source) await files.check(source, file.kind);
    }
    // People are checked before a file is fetched.
    if (audience !== undefined && audience !== 'contacts' && 'only' in audience)
      await named(parts, scope, audience.only, 'only');
    return once.make(scope.id, idempotency, async (id, since) => {
      const earlier = since === null ? null : await stores.statuses.find(scope.id, id);
      if (earlier?.acceptedAt) return { id, recipients: earlier.recipients ?? 0, expiresAt: earlier.expiresAt };
      const recipients = await bounded(scope.id, () => withFile(scope, id, given));
      return { id, recipients, expiresAt: clock.now() + statusLifeMs };
    });
  };
};

/** All throw NotFound for a status that is unknown or a day old. */
export const makeStatuses = (parts: LiveParts, files: FileIntake) => {
  const { stores } = parts;
  const found = async (scope: DeviceScope, id: string): Promise<StatusRecord> => {
    const status = await stores.statuses.find(scope.id, id);
    if (status === null) throw notFound('Status');
    return status;
  };
  const ofOther = async (scope: DeviceScope, id: string): Promise<StatusRecord> => {
    const status = await found(scope, id);
    if (status.message.direction === 'out') throw invalidRequest('The status is of the account itself');
    if (status.deletedAt !== null) throw invalidRequest('The status was deleted by its author');
    return status;
  };
  const own = async (scope: DeviceScope, id: string): Promise<StatusRecord> => {
    const status = await found(scope, id);
    if (status.message.direction === 'in') throw invalidRequest('The status is of somebody else');
    return status;
  };
  const act = (scope: DeviceScope, run: (statuses: Statuses) => Promise<void>): Promise<void> =>
    onOpenSession(parts, scope, ({ statuses }) => run(statuses));
  return {
    /** Throws like a send, and InvalidRequest for an empty audience. */
    post: makePost(parts, files),
    get: found,
    async remove(scope: DeviceScope, id: string): Promise<void> {
      const status = await own(scope, id);
      if (status.deletedAt !== null) return;
      const audience = await stores.statuses.audience(scope.id, id);
      if (audience === null) throw invalidRequest('The status was posted on the phone: delete it there');
      await act(scope, (statuses) => statuses.remove(id, audience));
    },
    async viewers(scope: DeviceScope, id: string, page: PageRequest): Promise<Page<StatusViewer>> {
      await own(scope, id);
      return stores.statuses.viewers(scope.id, id, page);
    },
    /** Throws InvalidRequest if the account sends no read receipts. */
    async view(scope: DeviceScope, id: string): Promise<void> {
      const status = await ofOther(scope, id);
      const { settings } = await scope.runtime();
      if (!settings.readReceipts)
        throw invalidRequest('The device gives no read receipts: its setting readReceipts is off');
      await act(scope, (statuses) => statuses.view(status));
    },
    async react(scope: DeviceScope, id: string, reaction: string | null): Promise<void> {
      const status = await ofOther(scope, id);
      checkReaction(status.message, reaction);
      await act(scope, (statuses) => statuses.react(status, reaction));
    },
    /** Throws NotFound for a status without media. */
    async media(scope: DeviceScope, id: string): Promise<{ mimetype: string; stream: AsyncIterable<Uint8Array> }> {
      const { message } = await found(scope, id);
      if (message.media === null) throw notFound('Media');
      const wait = waitOf(parts);
      const session = await openSession(parts, await scope.runtime(), adviceToConnect, wait);
      const stream = await session.downloadMedia(message, Math.max(0, wait.until - parts.clock.now()));
      return { mimetype: message.media.mimetype, stream };
    },
  };
};

export type StatusService = ReturnType<typeof makeStatuses>;
