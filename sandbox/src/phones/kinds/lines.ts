/** Lines that the apps write into a chat themselves: calls and system messages. */
import { proto } from 'baileys';
import type { Message } from '../context/context.ts';
import type { PartReader } from './part.ts';
import type { CallLog } from './types.ts';

const { CallOutcome, CallType } = proto.Message.CallLogMessage;

const outcomeOf = {
  connected: CallOutcome.CONNECTED,
  missed: CallOutcome.MISSED,
  failed: CallOutcome.FAILED,
  rejected: CallOutcome.REJECTED,
  acceptedElsewhere: CallOutcome.ACCEPTED_ELSEWHERE,
  ongoing: CallOutcome.ONGOING,
  silencedByDnd: CallOutcome.SILENCED_BY_DND,
  silencedUnknownCaller: CallOutcome.SILENCED_UNKNOWN_CALLER,
} as const;

export const callLogMessage = ({ video, outcome, seconds }: CallLog): Message => ({
  callLogMesssage: {
    isVideo: video,
    callOutcome: outcomeOf[outcome],
    durationSecs: seconds,
    callType: CallType.REGULAR,
  },
});

export const callOutcomes = Object.keys(outcomeOf).filter((name): name is CallLog['outcome'] => name in outcomeOf);

export const readCallLog: PartReader = ({ callLogMesssage: said }) => {
  if (!said) return null;
  const callLog: CallLog = {
    video: said.isVideo ?? false,
    outcome: callOutcomes.find((name) => outcomeOf[name] === (said.callOutcome ?? 0)) ?? 'connected',
    seconds: said.durationSecs ? Number(said.durationSecs) : null,
  };
  return { type: 'callLog', members: { callLog } };
};

/** Contents without text, for which the apps write a line of their own. */
export const systemMessages = {
  requestPhoneNumber: { requestPhoneNumberMessage: {} },
  channelInvite: {
    newsletterAdminInviteMessage: { newsletterJid: '120363000000000000@newsletter', newsletterName: 'News' },
  },
  pollResult: { pollResultSnapshotMessage: { name: 'Result of a poll' } },
  statusMention: { statusMentionMessage: { message: { conversation: '' } } },
  limitSharing: { limitSharingMessage: { message: { conversation: '' } } },
} as const satisfies Readonly<Record<string, Message>>;

export type SystemKind = keyof typeof systemMessages;

export const systemKinds = Object.keys(systemMessages).filter((name): name is SystemKind => name in systemMessages);

export const readSystem: PartReader = (content) => {
  const present = new Set(Object.entries(content).flatMap(([field, value]) => (value ? [field] : [])));
  const system = systemKinds.find((kind) => Object.keys(systemMessages[kind]).some((field) => present.has(field)));
  return system === undefined ? null : { type: 'system', members: { system } };
};
