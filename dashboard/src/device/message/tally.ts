/** The votes on a poll, loaded when it comes into view and kept current by events. */
import { type RefObject, useEffect, useState } from 'react';
import { useAccount, useEvents } from '../../account/account.tsx';
import type { Message, Person } from '../../api/message.ts';
import type { HandsetEvent } from '../../api/types.ts';
import { isSamePerson } from '../../account/apply-to-messages.ts';
import { useLoad } from '../../api/hooks.ts';
import { useShown } from '../shown/shown.ts';

export interface Tally {
  readonly options: readonly { readonly option: string; readonly voters: readonly Person[] }[];
  /** The number of people who have voted. */
  readonly voters: number;
}

interface Ballot {
  readonly from: Person;
  readonly votes: readonly { readonly option: string | null }[];
}

const ballotIn = ({ type, data }: HandsetEvent, { id, chat }: Message): Ballot | null => {
  if (type !== 'message.updated' || data.messageId !== id || data.chat !== chat) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the event data as defined by the API
  const { from, votes } = data.update as Partial<Ballot>;
  return from === undefined || votes === undefined ? null : { from, votes };
};

/** A vote replaces the earlier one of the same person. */
const withBallot = ({ options }: Tally, { from, votes }: Ballot): Tally => {
  const counted = options.map(({ option, voters }) => {
    const others = voters.filter((voter) => !isSamePerson(voter, from));
    return { option, voters: votes.some((vote) => vote.option === option) ? [...others, from] : others };
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
  const tally = useLoad(
    async () => (await client.get<{ poll: Tally }>(path)).poll,
    // An edit may change the options.
    seen ? `${path} ${generation} ${editedAt ?? ''}` : null,
  );
  useEvents(device.id, (event) => {
    const ballot = ballotIn(event, message);
    if (ballot !== null) tally.change((old) => withBallot(old, ballot));
  });
  return tally.value;
};
