/** A stored message as callers see it (docs/spec/messages.md, Message log). */
import {
  type MediaUrl,
  mediaView,
  peopledView,
  personView,
  timedView,
  iso,
  isoOrNull,
} from '../../../domain/event-view.ts';
import { labelsIn, type LabelStore } from '../../../domain/chats/label.ts';
import type { MessageRecord } from '../../../domain/message.ts';
import { type Kept, reactionsIn, isStarred, shownKinds } from '../../../domain/messages/annotation.ts';
import { noParts } from '../../../domain/messages/parts.ts';
import type { MessageStore } from '../../../domain/stores.ts';

export interface OfDevice {
  readonly deviceId: number;
  readonly services: { readonly mediaUrl: MediaUrl };
}

/** Without the protocol's bytes. */
const messageView = (
  { deviceId, services: { mediaUrl } }: OfDevice,
  record: MessageRecord,
  annotations: readonly Kept[],
  labels: readonly string[],
) => ({
  id: record.id,
  direction: record.direction,
  chat: record.chat,
  chatNumber: record.chatNumber,
  chatLid: record.chatLid,
  from: record.from,
  fromNumber: record.fromNumber,
  fromLid: record.fromLid,
  fromUsername: record.fromUsername ?? null,
  pushName: record.pushName,
  isGroup: record.isGroup,
  type: record.type,
  text: record.text,
  quotedMessageId: record.quotedMessageId,
  media: mediaView(record.media, (id) => mediaUrl(deviceId, id), record.id),
  ...noParts,
  ...record.parts,
  ...timedView({ ...noParts, ...record.parts }),
  ...peopledView({ ...noParts, ...record.parts }),
  viewOnce: record.viewOnce ?? false,
  unavailable: record.unavailable ?? null,
  reactions: reactionsIn(annotations).map(({ from, reaction, at }) => ({
    from: personView(from),
    reaction,
    at: iso(at),
  })),
  starred: isStarred(annotations),
  labels: [...labels],
  state: record.state === 'action' ? ('accepted' as const) : record.state,
  timestamp: iso(record.timestamp),
  acceptedAt: isoOrNull(record.acceptedAt),
  deliveredAt: isoOrNull(record.deliveredAt),
  readAt: isoOrNull(record.readAt),
  failedAt: isoOrNull(record.failedAt),
  deletedAt: isoOrNull(record.deletedAt),
  historic: record.historic ?? false,
  editedAt: isoOrNull(record.editedAt ?? null),
});

interface Described extends OfDevice {
  readonly services: OfDevice['services'] & {
    readonly stores: {
      readonly messages: Pick<MessageStore, 'annotations'>;
      readonly labels: Pick<LabelStore, 'marks'>;
    };
  };
}

export const messageViews = async (
  of: Described,
  records: readonly MessageRecord[],
): Promise<ReturnType<typeof messageView>[]> => {
  if (records.length === 0) return [];
  const { messages, labels } = of.services.stores;
  const kept = await messages.annotations(of.deviceId, records, shownKinds);
  const marks = await labels.marks(of.deviceId, records);
  return records.map((record, index) => messageView(of, record, kept[index] ?? [], labelsIn(marks[index] ?? [])));
};
