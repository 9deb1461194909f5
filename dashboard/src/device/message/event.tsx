/** An event that somebody plans, with the answers to it. */
import type { EventAnswer, Message, Response } from '../../api/message.ts';
import { eventTime } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';
import { MapLink } from './location.tsx';
import { Part } from '../shown/part.tsx';
import { useShown } from '../shown/shown.ts';

const words = texts.message.event;

const Answers = ({ answer, responses }: { readonly answer: EventAnswer; readonly responses: readonly Response[] }) => {
  const { nameOf } = useShown();
  const given = responses.filter(({ response }) => response === answer);
  if (given.length === 0) return null;
  const names = given.map(({ from, guests }) => `${nameOf(from)}${words.guests(guests)}`);
  return (
    <span>
      {words.answers[answer]}: {names.join(', ')}
    </span>
  );
};

export const PlannedEvent = ({ message: { event, responses = [] } }: { readonly message: Message }) => {
  if (event === null) return null;
  const { name, description, startsAt, endsAt, place, canceled } = event;
  return (
    <Part icon={icons.calendar} kind={canceled ? words.canceled : words.title} title={name ?? words.title}>
      {startsAt !== null && <time dateTime={startsAt}>{words.starts(eventTime(startsAt))}</time>}
      {endsAt !== null && <time dateTime={endsAt}>{words.ends(eventTime(endsAt))}</time>}
      {place !== null && <span>{[place.name, place.address].filter((part) => part !== null).join(', ')}</span>}
      {place !== null && <MapLink place={place} />}
      {description !== null && <span className="dim">{description}</span>}
      <Answers answer="going" responses={responses} />
      <Answers answer="maybe" responses={responses} />
      <Answers answer="notGoing" responses={responses} />
    </Part>
  );
};
