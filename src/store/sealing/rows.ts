/** Readers and writers of the sealed columns; names of chats and contacts are hashed for look-up, too. */
import type { AppStateEntry } from '../../domain/app-state.ts';
import type { ResponseHeaders } from '../../domain/delivery.ts';
import type { AnyKind, DeviceEvent, StoredEvent, Unavailable } from '../../domain/event.ts';
import type { MessageRecord, MessageState } from '../../domain/message.ts';
import type { MessageParts } from '../../domain/messages/parts.ts';
import type { Annotation } from '../../domain/messages/annotation.ts';
import { eventId } from '../base/ids.ts';
import { contextOf, type Sealer, type SealedJson } from './sealer.ts';
import { pick } from '../base/unit.ts';
import { LRUCache } from 'lru-cache';
import { type Jid, jidKind, jidUser } from '../../domain/jid.ts';
import { atMost } from '../../domain/at-most.ts';

interface EventRow {
  readonly device_id: number;
  readonly seq: number;
  readonly at: number;
  readonly kind: AnyKind;
  readonly data: SealedJson<EventContent>;
}

export interface EventContent {
  readonly data: DeviceEvent['data'];
  readonly orderKey: string;
}

export const openEvent = (
  sealer: Sealer,
  row: EventRow,
): { readonly event: StoredEvent; readonly orderKey: string } => {
  const { data, orderKey } = sealer.openJson(row.data, contextOf('events.data', row));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- kind and data were stored together
  const event = { type: row.kind, data } as DeviceEvent;
  return { event: { id: eventId(row.device_id, row.seq), deviceId: row.device_id, at: row.at, event }, orderKey };
};

export interface MessageRow {
  readonly n: number;
  readonly device_id: number;
  readonly chat_hash: string;
  readonly id: string;
  readonly timestamp: number;
  readonly state: MessageState;
  readonly accepted_at: number | null;
  readonly delivered_at: number | null;
  readonly read_at: number | null;
  readonly failed_at: number | null;
  readonly deleted_at: number | null;
  readonly data: SealedJson<MessageContent>;
  readonly content: Uint8Array | null;
}

/** Members of a record without a column of their own. */
const sealedMembers = [
  'chat',
  'chatNumber',
  'chatLid',
  'direction',
  'from',
  'fromNumber',
  'fromLid',
  'pushName',
  'isGroup',
  'type',
  'text',
  'quotedMessageId',
  'media',
] as const;

export type MessageContent = Pick<MessageRecord, (typeof sealedMembers)[number]> & {
  readonly raw?: string;
  readonly fromUsername?: string;
  readonly parts?: Partial<MessageParts>;
  readonly editedAt?: number;
  readonly viewOnce?: boolean;
  readonly historic?: boolean;
  readonly unavailable?: Unavailable;
  readonly secret?: string;
};

type MessageKey = Pick<MessageRow, 'device_id' | 'chat_hash' | 'id'>;

export const sealMessage = (sealer: Sealer, key: MessageKey, data: MessageContent): SealedJson<MessageContent> =>
  sealer.sealJson(data, contextOf('messages.data', key));

export const openMessageData = (sealer: Sealer, row: MessageKey & Pick<MessageRow, 'data'>): MessageContent =>
  sealer.openJson(row.data, contextOf('messages.data', row));

/** Up to this size they share the message's envelope, which costs half of a second one. */
const fewBytes = 1_024;

export const sealNewMessage = (
  sealer: Sealer,
  key: MessageKey,
  record: MessageRecord,
): Pick<MessageRow, 'data' | 'content'> => {
  const { content, fromUsername, parts, editedAt, viewOnce, historic, unavailable, secret } = record;
  const isFew = content !== null && content.length <= fewBytes;
  const data: MessageContent = {
    ...pick(record, sealedMembers),
    ...(isFew ? { raw: base64Of(content) } : {}),
    ...(fromUsername ? { fromUsername } : {}),
    ...(parts === undefined ? {} : { parts }),
    ...(editedAt === undefined ? {} : { editedAt }),
    ...(viewOnce ? { viewOnce } : {}),
    ...(historic ? { historic } : {}),
    ...(unavailable ? { unavailable } : {}),
    ...(secret ? { secret: base64Of(secret) } : {}),
  };
  return {
    data: sealMessage(sealer, key, data),
    content: isFew || content === null ? null : sealer.seal(content, contextOf('messages.content', key)),
  };
};

export const sealContent = (
  sealer: Sealer,
  key: MessageKey,
  known: MessageContent,
  content: Uint8Array,
): Pick<MessageRow, 'data' | 'content'> => {
  const { raw: _, ...data } = known;
  return content.length > fewBytes
    ? { data: sealMessage(sealer, key, data), content: sealer.seal(content, contextOf('messages.content', key)) }
    : { data: sealMessage(sealer, key, { ...data, raw: base64Of(content) }), content: null };
};

/** The sealed columns of a stored message without its content. */
export const withoutContent = (
  sealer: Sealer,
  key: MessageKey,
  content: MessageContent,
): Pick<MessageRow, 'data' | 'content'> => {
  const data: { -readonly [K in keyof MessageContent]: MessageContent[K] } = { ...content };
  delete data.raw;
  return { data: sealMessage(sealer, key, data), content: null };
};

const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

const bytesOf = (sealer: Sealer, row: MessageRow, raw: string | undefined): Uint8Array | null => {
  if (raw !== undefined) return Buffer.from(raw, 'base64');
  return row.content === null ? null : sealer.open(row.content, contextOf('messages.content', row));
};

export const openMessage = (sealer: Sealer, row: MessageRow): MessageRecord => {
  const { raw, secret, ...data } = openMessageData(sealer, row);
  return {
    ...data,
    ...(secret === undefined ? {} : { secret: Buffer.from(secret, 'base64') }),
    id: row.id,
    content: bytesOf(sealer, row, raw),
    state: row.state,
    timestamp: row.timestamp,
    acceptedAt: row.accepted_at,
    deliveredAt: row.delivered_at,
    readAt: row.read_at,
    failedAt: row.failed_at,
    deletedAt: row.deleted_at,
  };
};

/** Sealed, because errors and responses may repeat what was posted. */
export interface DeliveryDetail {
  readonly error: string | null;
  readonly response: string | null;
  readonly headers: ResponseHeaders | null;
}

/** Null for an answer without a body; the status column shows that there was one. */
export const sealDetail = (
  sealer: Sealer,
  detail: DeliveryDetail,
  context: string,
): SealedJson<DeliveryDetail> | null =>
  detail.error === null && (detail.response ?? '') === '' ? null : sealer.sealJson(detail, context);

export const openDetail = (
  sealer: Sealer,
  sealed: SealedJson<DeliveryDetail> | null,
  status: number | null,
  context: string,
): DeliveryDetail =>
  sealed === null
    ? { headers: null, error: null, response: status === null ? null : '' }
    : sealer.openJson(sealed, context);

export type AnnotationContent = Pick<Annotation, 'from' | 'deed'>;

export type AppStateContent = Pick<AppStateEntry, 'jid' | 'value'>;

/** `jid`: the phone JID if known, else the LID; or a group. `lid`: null if unknown or equal to `jid`. */
export interface Name {
  readonly jid: Jid;
  readonly lid: Jid | null;
}

export interface NameRow {
  readonly device_id: number;
  readonly jid_hash: string;
}

export interface NameColumns extends Readonly<Record<string, unknown>>, NameRow {
  readonly lid_hash: string | null;
  readonly data: SealedJson<Name>;
}

export type NamedTable = 'chats' | 'contacts';

export const nameHash = (sealer: Sealer, deviceId: number, jid: Jid): string => sealer.lookup('chat', deviceId, jid);

export const firstNamed = <T extends NameRow>(rows: readonly T[], hashes: readonly string[]): T | undefined => {
  for (const hash of hashes) {
    const row = rows.find(({ jid_hash }) => jid_hash === hash);
    if (row !== undefined) return row;
  }
  return rows[0];
};

export const isGroupName = ({ jid }: Name): boolean => jidKind(jid) === 'group';

export const addressesIn = ({ jid, lid }: Name): { readonly number: string | null; readonly lid: Jid | null } => ({
  number: jidKind(jid) === 'phone' ? jidUser(jid) : null,
  lid: lid ?? (jidKind(jid) === 'lid' ? jid : null),
});

const maxKept = 10_000;

export const makeNameColumns = (sealer: Sealer, table: NamedTable) => {
  const kept = new LRUCache<string, NameColumns>(atMost(maxKept));
  return (deviceId: number, jid: Jid, lid: Jid | null): NameColumns => {
    const key = `${deviceId} ${jid} ${lid}`;
    let columns = kept.get(key);
    if (columns === undefined) {
      const other = lid === jid ? null : lid;
      const row = { device_id: deviceId, jid_hash: nameHash(sealer, deviceId, jid) };
      const data = sealer.sealJson<Name>({ jid, lid: other }, contextOf(`${table}.data`, row));
      columns = { ...row, lid_hash: other === null ? null : nameHash(sealer, deviceId, other), data };
      kept.set(key, columns);
    }
    return columns;
  };
};

export type NameColumnsOf = ReturnType<typeof makeNameColumns>;
