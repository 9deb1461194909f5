/**
 * Labels in the app state's collection `regular`, version 3. Indexes (whatsmeow appstate/encode.go, 2026-08): `label_edit` and the id;
 * `label_jid`, the id and the chat; `label_message`, the id, the chat, the message, "0" and "0".
 */
import type { proto } from '../../library/proto.ts';
import type { LabelMutation } from '../../../domain/app-state.ts';
import type { KeptLabel, LabelChange, LabelMark } from '../../../domain/chats/label.ts';
import { jidKind, withoutDevice } from '../../../domain/jid.ts';
import type { Patch } from './chat-patches.ts';
import type { Mutation } from './records.ts';

const [longestName, longestJid, longestId] = [1_000, 100, 100];
const maxColor = 255;
/** Largest valid Date, ms. */
const latest = 8.64e15;

const labelId = /^[\w.:-]{1,64}$/;
const decimal = /^\d{1,15}$/;

const isLabelId = (id: string | undefined): id is string => id !== undefined && id.length <= 64 && labelId.test(id);
const isChat = (jid: string | undefined): jid is string =>
  jid !== undefined && jid.length <= longestJid && jidKind(jid) !== 'other';
const isMessageId = (id: string | undefined): id is string =>
  id !== undefined && id.length > 0 && id.length <= longestId;

const numberIn = (value: number | null | undefined): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : null;

const keptLabel = (id: string, edit: proto.SyncActionValue.ILabelEditAction): KeptLabel => {
  const color = numberIn(edit.color);
  return {
    id,
    name: (edit.name ?? '').slice(0, longestName).replaceAll('\u0000', ''),
    color: color !== null && color >= 0 && color <= maxColor ? color : null,
    listType: numberIn(edit.type),
    predefinedId: numberIn(edit.predefinedId),
    orderIndex: numberIn(edit.orderIndex),
    isImmutable: edit.isImmutable === true,
  };
};

export interface LabelsSaid {
  readonly labels: LabelChange[];
  readonly labelMarks: LabelMark[];
  /** Decimal, including deleted labels; 0: none. */
  lastLabel: number;
}

export const nothingOfLabels = (): LabelsSaid => ({ labels: [], labelMarks: [], lastLabel: 0 });

export const addLabels = (
  said: LabelsSaid,
  { index: [type, id, jid, messageId], removed }: Mutation,
  { labelEditAction: edit, labelAssociationAction: mark, timestamp }: proto.ISyncActionValue,
): void => {
  if (!isLabelId(id)) return;
  if (type === 'label_edit' && (edit || removed)) {
    if (decimal.test(id)) said.lastLabel = Math.max(said.lastLabel, Number(id));
    // The apps hide a disabled list.
    const isGone = removed || edit?.deleted === true || edit?.isActive === false;
    said.labels.push({ id, label: isGone || !edit ? null : keptLabel(id, edit) });
  }
  if ((type !== 'label_jid' && type !== 'label_message') || !(mark || removed) || !isChat(jid)) return;
  const isOfMessage = type === 'label_message';
  if (isOfMessage && !isMessageId(messageId)) return;
  const at = Number(timestamp ?? 0);
  said.labelMarks.push({
    chat: withoutDevice(jid),
    messageId: isOfMessage ? messageId! : null,
    label: id,
    labeled: !removed && mark?.labeled === true,
    at: at >= 0 && at <= latest ? at : 0,
  });
};

const editOf = ({ label, deleted }: Extract<LabelMutation, { readonly kind: 'label' }>) => {
  const { name, color, listType: type, predefinedId, orderIndex, isImmutable } = label;
  return {
    name,
    deleted,
    ...(color !== null && { color }),
    ...(type !== null && { type }),
    ...(predefinedId !== null && { predefinedId }),
    ...(orderIndex !== null && { orderIndex }),
    ...(isImmutable && { isImmutable }),
    ...(!deleted && { isActive: true }),
  };
};

export const patchOfLabel = (mutation: LabelMutation): Patch => {
  const place = { type: 'regular', apiVersion: 3 } as const;
  if (mutation.kind === 'label')
    return {
      ...place,
      index: ['label_edit', mutation.label.id],
      syncAction: { labelEditAction: editOf(mutation) },
    };
  const { chat, messageId, label, labeled } = mutation;
  return {
    ...place,
    index: messageId === null ? ['label_jid', label, chat] : ['label_message', label, chat, messageId, '0', '0'],
    syncAction: { labelAssociationAction: { labeled } },
  };
};
