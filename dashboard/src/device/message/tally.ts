/** The votes on a poll, loaded when it comes into view and kept current by events. */
import { type RefObject, useEffect, useState } from 'react';
import { useAccount, useEvents } from '../../account/account.tsx';
import type { Message, Update } from '../../api/message.ts';
import type { Answer, Schemas } from '../../api/schemas.ts';
import type { HandsetEvent } from '../../api/types.ts';
import { isSamePerson } from '../../account/apply-to-messages.ts';
import { useLoad } from '../../api/hooks.ts';
import { useShown } from '../shown/shown.ts';

/** `voters`: how many people have voted. */
type Tally = Pick<Schemas['Tally'], 'options' | 'voters'>;

type Ballot = Extract<Update, { readonly votes: unknown }>;

const ballotIn = ({ type, data }: HandsetEvent, { id, chat }: Message): Ballot | null => {
  if (type !== 'message.updated' || data.messageId !== id || data.chat !== chat) return null;
  return 'votes' in data.update ? data.update : null;
};

/** A vote replaces the earlier one of the same person. */
const withBallot = ({ options }: Tally, { from, votes }: Ballot): Tally => {
  const counted = options.map(({ option, voters }) => {
    const others = voters.filter((voter) => !isSamePerson(voter, from));
    const present = votes.some((vote) => vote.option === option) ? [...others, from] : others;
    return { option, votes: present.length, voters: present };
  });
  const people = counted.flatMap(({ voters }) => voters);
  const distinct = people.filter((person, index) => people.findIndex((one) => isSamePerson(one, person)) === index);
  return { options: counted, voters: distinct.length };
};

const useSeen = (element: RefObject<Element | null>): boolean => {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      setSeen(true);
      observer.disconnect();
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return seen;
};

export const useTally = (message: Message, element: RefObject<Element | null>): Tally | null => {
  const { client, generation } = useAccount();
  const { device } = useShown();
  const seen = useSeen(element);
  const { id, chat, editedAt } = message;
  const path = `/v1/devices/${device.id}/messages/${encodeURIComponent(id)}/poll?chat=${encodeURIComponent(chat)}`;
  const tally = useLoad<Tally>(
    async () => (await client.get<Answer<'getMessagePoll'>>(path)).poll,
    // An edit may change the options.
    seen ? `${path} ${generation} ${editedAt ?? ''}` : null,
  );
  useEvents(device.id, (event) => {
    const ballot = ballotIn(event, message);
    if (ballot !== null) tally.change((old) => withBallot(old, ballot));
  });
  return tally.value;
};
