/** Events, scheduled calls, and group invitations. Responses to events are sealed (`receive/updates.ts`). */
import type { proto } from '../../library/proto.ts';
import type { PlannedEvent } from '../../../domain/messages/parts.ts';
import { cutOrNull, maxText, timeOrNull } from '../parts/limits.ts';
import type { Kinds } from '../parts/kind.ts';
import { placeOf } from './location.ts';

const eventOf = (event: proto.Message.IEventMessage): PlannedEvent => ({
  name: cutOrNull(event.name),
  description: cutOrNull(event.description, maxText),
  startsAt: timeOrNull(event.startTime),
  endsAt: timeOrNull(event.endTime),
  place: event.location ? placeOf(event.location) : null,
  canceled: event.isCanceled === true,
});

export const eventKinds: Kinds = {
  eventMessage: ({ eventMessage: event }) => ({
    type: 'event',
    text: event!.name,
    parts: { event: eventOf(event!) },
    context: event!.contextInfo,
  }),
  scheduledCallCreationMessage: ({ scheduledCallCreationMessage: call }) => ({
    type: 'event',
    text: call!.title,
    parts: {
      event: eventOf({ name: call!.title ?? null, startTime: Number(call!.scheduledTimestampMs ?? 0) / 1_000 }),
    },
  }),
};

export const groupInviteKinds: Kinds = {
  groupInviteMessage: ({ groupInviteMessage: invite }) => ({
    type: 'groupInvite',
    text: invite!.caption,
    parts: {
      groupInvite: {
        group: cutOrNull(invite!.groupJid) ?? '',
        subject: cutOrNull(invite!.groupName),
        code: cutOrNull(invite!.inviteCode),
        expiresAt: timeOrNull(invite!.inviteExpiration),
      },
    },
    context: invite!.contextInfo,
  }),
};

/** For a person who may not be added directly; `expiresAt`: ms. */
export const composeGroupInvite = (invite: {
  readonly group: string;
  readonly subject: string;
  readonly code: string;
  readonly expiresAt: number;
}): proto.IMessage => ({
  groupInviteMessage: {
    groupJid: invite.group,
    groupName: invite.subject,
    inviteCode: invite.code,
    inviteExpiration: Math.round(invite.expiresAt / 1000),
  },
});
