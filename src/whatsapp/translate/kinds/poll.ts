/** Polls. Votes are encrypted with the poll's secret (`receive/updates.ts`). */
import { createHash } from 'node:crypto';
import type { proto } from '../../library/proto.ts';
import type { Poll } from '../../../domain/messages/parts.ts';
import type { Vote } from '../../../domain/event.ts';
import { cut, maxName, type Room } from '../parts/limits.ts';
import type { Kinds, Said } from '../parts/kind.ts';

const maxOptions = 100;

export const pollIn = (message: proto.IMessage): proto.Message.IPollCreationMessage | null =>
  message.pollCreationMessage ??
  message.pollCreationMessageV2 ??
  message.pollCreationMessageV3 ??
  message.pollCreationMessageV5 ??
  null;

const namesOf = ({ options }: proto.Message.IPollCreationMessage): readonly string[] =>
  (options ?? []).slice(0, maxOptions).map(({ optionName }) => optionName ?? '');

export const pollOf = (poll: proto.Message.IPollCreationMessage, room: Room): Poll => {
  const options = namesOf(poll).map((name) => room.cut(name, maxName));
  // 0: unlimited.
  const max = poll.selectableOptionsCount ?? 0;
  return {
    question: cut(poll.name ?? '', maxName),
    options,
    maxAnswers: max > 0 ? Math.min(max, options.length) : options.length,
  };
};

/** By the hashes of a vote. `poll` null: options unknown. */
export const votesOf = (
  { selectedOptions }: proto.Message.IPollVoteMessage,
  poll: proto.Message.IPollCreationMessage | null,
): readonly Vote[] => {
  const chosen = new Set((selectedOptions ?? []).slice(0, maxOptions).map((hash) => Buffer.from(hash).toString('hex')));
  if (poll === null) return [...chosen].map(() => ({ option: null }));
  const names = new Set(namesOf(poll));
  return [...names]
    .filter((name) => chosen.has(createHash('sha256').update(name).digest('hex')))
    .map((name) => ({ option: cut(name, maxName) }));
};

const read = (message: proto.IMessage): Said => {
  const poll = pollIn(message) ?? {};
  return { type: 'poll', text: poll.name, lists: (room) => ({ poll: pollOf(poll, room) }), context: poll.contextInfo };
};

export const pollKinds: Kinds = {
  pollCreationMessage: read,
  pollCreationMessageV2: read,
  pollCreationMessageV3: read,
  pollCreationMessageV5: read,
};

/** The apps have two kinds: one answer, with its own field, or any number of options, which is 0 (whatsmeow `BuildPollCreation`). */
export const composePoll = ({ question, options, maxAnswers }: Poll): proto.IMessage => {
  const poll = {
    name: question,
    options: options.map((optionName) => ({ optionName })),
    selectableOptionsCount: maxAnswers === options.length ? 0 : maxAnswers,
  };
  return maxAnswers === 1 ? { pollCreationMessageV3: poll } : { pollCreationMessage: poll };
};
