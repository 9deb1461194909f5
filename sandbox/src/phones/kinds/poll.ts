/** Polls. Each option shows who has voted for it. */
import type { proto } from 'baileys';
import type { Message } from '../context/context.ts';
import type { PartReader } from './part.ts';
import type { Poll, PollQuestion } from './types.ts';

/** The field by the number of answers, as the apps choose it (Baileys generateWAMessageContent). */
export const pollMessage = ({ question, options, maxAnswers }: PollQuestion): Message => {
  const poll: proto.Message.IPollCreationMessage = {
    name: question,
    options: options.map((optionName) => ({ optionName })),
    // 0: as many as there are.
    selectableOptionsCount: maxAnswers < options.length ? maxAnswers : 0,
  };
  return maxAnswers === 1 ? { pollCreationMessageV3: poll } : { pollCreationMessage: poll };
};

export const readPoll: PartReader = (content) => {
  const poll =
    content.pollCreationMessage ??
    content.pollCreationMessageV2 ??
    content.pollCreationMessageV3 ??
    content.pollCreationMessageV5;
  if (!poll) return null;
  const question = poll.name ?? '';
  const options = (poll.options ?? []).map(({ optionName }) => optionName ?? '');
  const votes = options.map((option) => ({ option, from: [] }));
  return {
    type: 'poll',
    members: {
      poll: { question, options, maxAnswers: poll.selectableOptionsCount || options.length, votes },
      details: { question, options },
    },
    context: poll.contextInfo,
  };
};

/** The poll after `by` has voted for these options, in place of what `by` had voted for before. */
export const withVote = (poll: Poll, by: string, options: readonly string[]): Poll => ({
  ...poll,
  votes: poll.votes.map(({ option, from }) => {
    const others = from.filter((each) => each !== by);
    return { option, from: options.includes(option) ? [...others, by] : others };
  }),
});
