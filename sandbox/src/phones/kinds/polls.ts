/** Polls and events, with votes and responses. */
import type { proto } from 'baileys';
import type { Message } from '../context/context.ts';
import { type PartReader, seconds, timeOf } from './part.ts';
import type { Poll, PollQuestion, EventPlan, Place } from './types.ts';
import { locationMessage, placeOf } from './cards.ts';

/** The apps choose the field by the number of answers (Baileys generateWAMessageContent). */
export const pollMessage = ({ question, options, maxAnswers }: PollQuestion): Message => {
  const poll: proto.Message.IPollCreationMessage = {
    name: question,
    options: options.map((optionName) => ({ optionName })),
    // 0: unlimited.
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

export const withVote = (poll: Poll, by: string, options: readonly string[]): Poll => ({
  ...poll,
  votes: poll.votes.map(({ option, from }) => {
    const others = from.filter((each) => each !== by);
    return { option, from: options.includes(option) ? [...others, by] : others };
  }),
});

const locationOf = (place: Place): proto.Message.IEventMessage => ({
  location: locationMessage({ ...place, live: false }).locationMessage ?? null,
});

export const eventMessage = ({ name, description, startsAt, endsAt, place, canceled }: EventPlan): Message => ({
  eventMessage: {
    name,
    description,
    isCanceled: canceled,
    ...(startsAt !== null && { startTime: seconds(new Date(startsAt)) }),
    ...(endsAt !== null && { endTime: seconds(new Date(endsAt)) }),
    ...(place !== null && locationOf(place)),
  },
});

export const readEvent: PartReader = ({ eventMessage: said }) => {
  if (!said) return null;
  const event: EventPlan = {
    name: said.name ?? '',
    description: said.description || null,
    startsAt: timeOf(said.startTime),
    endsAt: timeOf(said.endTime),
    place: said.location ? placeOf(said.location) : null,
    canceled: said.isCanceled ?? false,
  };
  return { type: 'event', members: { event, details: { name: said.name ?? null } }, context: said.contextInfo };
};
