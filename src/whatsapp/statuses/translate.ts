/** A decrypted status as changes: a post, a revoke, or a reaction to an own one. */
import type { SessionChanges } from '../../domain/changes.ts';
import { type Person, isSamePerson } from '../../domain/messages/parts.ts';
import { statusDataOf, statusJid, statusLifeMs, type StatusRecord } from '../../domain/messages/statuses.ts';
import type { BinaryNode } from '../library/nodes.ts';
import type { proto } from '../library/proto.ts';
import { isMe, type Me, myself, type Peek, personOf } from '../identity/people.ts';
import { contentOf, type MessageContent } from '../translate/content.ts';
import { plainId, pushNameIn, timeOf } from '../translate/parts/envelope.ts';
import { unwrap } from '../translate/parts/decode.ts';
import type { Budget } from '../translate/parts/limits.ts';
import { recordOf } from '../translate/message.ts';

export interface StatusContext {
  readonly me: Me;
  readonly peek: Peek;
  readonly now: number;
  readonly find: (id: string) => Promise<StatusRecord | null>;
  readonly budget: Budget;
}

const styleOf = (message: proto.IMessage): Pick<StatusRecord, 'background' | 'font'> => {
  const { extendedTextMessage: said } = unwrap(message);
  const argb = said?.backgroundArgb;
  return {
    background: argb ? `#${(argb & 0xff_ff_ff).toString(16).padStart(6, '0')}` : null,
    font: said?.font ?? null,
  };
};

/** The record of a status; `recipients` null: not posted here. */
export const statusRecord = (
  envelope: { readonly id: string; readonly from: Person; readonly fromMe: boolean; readonly at: number },
  message: proto.IMessage,
  { peek, now }: Pick<StatusContext, 'peek' | 'now'>,
  more: { readonly pushName?: string | null; readonly recipients?: number; readonly bytes?: Uint8Array } = {},
): StatusRecord | null => {
  const content = contentOf(message);
  if (content.kind !== 'message') return null;
  const { pushName = null, recipients = null, bytes } = more;
  const place = { chat: statusJid, chatNumber: null, chatLid: null, isGroup: true, pushName };
  const record = recordOf({ ...envelope, ...place }, content satisfies MessageContent, message, peek, bytes);
  return {
    message: record,
    ...styleOf(message),
    expiresAt: envelope.at + statusLifeMs,
    acceptedAt: envelope.fromMe && recipients === null ? now : null,
    deletedAt: null,
    recipients,
  };
};

const nothing: SessionChanges = {};

const posted = (status: StatusRecord): SessionChanges => {
  const { timestamp, direction } = status.message;
  const statuses = [{ kind: 'new', status, audience: null } as const];
  // A post made on the phone is no event, but its viewers are reported.
  if (direction === 'out') return { statuses };
  const event = { type: 'status.received', data: { status: statusDataOf(status) } } as const;
  return { statuses, facts: [{ event, at: timestamp }] };
};

const authorOf = ({ message: { from: jid, fromNumber: number, fromLid: lid } }: StatusRecord): Person => ({
  jid,
  number,
  lid,
});

/** `stanza`: from `status@broadcast`. What cannot be applied changes nothing. */
export const translateStatus = async (
  stanza: BinaryNode,
  message: proto.IMessage,
  bytes: Uint8Array,
  context: StatusContext,
): Promise<SessionChanges> => {
  const { me, peek, now, find, budget } = context;
  const { participant, participant_pn: phone, participant_lid: lid } = stanza.attrs;
  const fromMe = isMe(me, participant);
  const from = fromMe ? myself(me) : personOf(peek, participant, phone, lid);
  const at = timeOf(stanza, now);
  const content = budget.run(() => contentOf(message));
  if (content.kind === 'message') {
    if (at + statusLifeMs <= now) return nothing;
    const envelope = { id: plainId(stanza.attrs['id'] ?? ''), from, fromMe, at };
    const status = budget.run(() => statusRecord(envelope, message, context, { pushName: pushNameIn(stanza), bytes }));
    return status === null ? nothing : posted(status);
  }
  if (content.kind === 'revoke') {
    const status = await find(content.messageId);
    if (status === null || status.deletedAt !== null || !isSamePerson(authorOf(status), from)) return nothing;
    const statuses = [{ kind: 'deleted', id: content.messageId, at } as const];
    if (fromMe) return { statuses };
    const event = { type: 'status.deleted', data: { statusId: content.messageId, by: from } } as const;
    return { statuses, facts: [{ event, at }] };
  }
  if (content.kind !== 'reaction' || fromMe) return nothing;
  const status = await find(content.messageId);
  if (status?.message.direction !== 'out') return nothing;
  const { messageId: id, reaction } = content;
  const event = { type: 'status.viewed', data: { statusId: id, by: from, reaction } } as const;
  return {
    statuses: [{ kind: 'seen', id, person: from, viewedAt: at, reaction }],
    facts: [{ event, at, id: stanza.attrs['id'] }],
  };
};
