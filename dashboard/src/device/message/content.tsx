/** The content of a message, by its kind. */
import { useState, type ReactNode } from 'react';
import type {
  Message,
  SharedContact,
  EventAnswer,
  Response,
  LinkPreview as Link,
  Referral as Advertisement,
  MessageType,
} from '../../api/message.ts';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';
import { Part } from '../shown/part.tsx';
import { eventTime } from '../../base/format.ts';
import { MapLink, Location } from './location.tsx';
import { useShown } from '../shown/shown.ts';
import { ExternalLink, webUrl } from '../../ui/external-link.tsx';
import { Order, Product } from './commerce.tsx';
import { Document } from './media/document.tsx';
import { Picture } from './media/picture.tsx';
import { Poll } from './poll.tsx';
import { Quote } from './quote.tsx';
import { RichText } from './rich-text.tsx';
import { Sound } from './media/sound.tsx';
import { Video } from './media/video.tsx';

/** Number of contacts shown at first. */
const atFirst = 3;

const Contact = ({ contact: { name, numbers, organization } }: { readonly contact: SharedContact }) => (
  <Part icon={icons.person} title={name ?? texts.message.contact.unnamed}>
    {organization !== null && <span className="dim">{organization}</span>}
    {numbers.map((number) => (
      <span key={number}>{number}</span>
    ))}
  </Part>
);

const Contacts = ({ message: { contacts } }: { readonly message: Message }) => {
  const [all, setAll] = useState(false);
  return (
    <>
      <ul className="parts">
        {contacts.slice(0, all ? contacts.length : atFirst).map((contact, index) => (
          <li key={index}>
            <Contact contact={contact} />
          </li>
        ))}
      </ul>
      {contacts.length > atFirst && !all && (
        <button type="button" className="link" onClick={() => setAll(true)}>
          {texts.message.contact.all(contacts.length)}
        </button>
      )}
    </>
  );
};

const Answers = ({ answer, responses }: { readonly answer: EventAnswer; readonly responses: readonly Response[] }) => {
  const { nameOf } = useShown();
  const given = responses.filter(({ response }) => response === answer);
  if (given.length === 0) return null;
  const names = given.map(({ from, guests }) => `${nameOf(from)}${texts.message.event.guests(guests)}`);
  return (
    <span>
      {texts.message.event.answers[answer]}: {names.join(', ')}
    </span>
  );
};

const PlannedEvent = ({ message: { event, responses = [] } }: { readonly message: Message }) => {
  if (event === null) return null;
  const { name, description, startsAt, endsAt, place, canceled } = event;
  return (
    <Part
      icon={icons.calendar}
      kind={canceled ? texts.message.event.canceled : texts.message.event.title}
      title={name ?? texts.message.event.title}
    >
      {startsAt !== null && <time dateTime={startsAt}>{texts.message.event.starts(eventTime(startsAt))}</time>}
      {endsAt !== null && <time dateTime={endsAt}>{texts.message.event.ends(eventTime(endsAt))}</time>}
      {place !== null && <span>{[place.name, place.address].filter((part) => part !== null).join(', ')}</span>}
      {place !== null && <MapLink place={place} />}
      {description !== null && <span className="dim">{description}</span>}
      <Answers answer="going" responses={responses} />
      <Answers answer="maybe" responses={responses} />
      <Answers answer="notGoing" responses={responses} />
    </Part>
  );
};

const GroupInvite = ({ message: { groupInvite: invite } }: { readonly message: Message }) => {
  if (invite === null) return null;
  const { subject, group, expiresAt } = invite;
  const expired = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
  return (
    <Part icon={icons.group} kind={texts.message.invite.title} title={subject ?? group}>
      {expiresAt !== null && (
        <span className="dim">
          {expired ? texts.message.invite.expired : texts.message.invite.expires(eventTime(expiresAt))}
        </span>
      )}
      {!expired && <span className="dim">{texts.message.invite.hint}</span>}
    </Part>
  );
};

const LinkPreview = ({ link: { url, title, description } }: { readonly link: Link }) => (
  <div className="aside">
    <ExternalLink href={url}>{title ?? url}</ExternalLink>
    {description !== null && <span>{description}</span>}
    <span className="dim">{webUrl(url)?.host}</span>
  </div>
);

const Referral = ({ referral: { title, body, sourceUrl } }: { readonly referral: Advertisement }) => (
  <div className="aside">
    <span className="part-kind">{texts.message.referral.title}</span>
    {title !== null && <strong>{title}</strong>}
    {body !== null && <span>{body}</span>}
    {sourceUrl !== null && webUrl(sourceUrl) !== null && (
      <ExternalLink href={sourceUrl}>{texts.message.referral.open}</ExternalLink>
    )}
  </div>
);

type Component = (props: { readonly message: Message }) => ReactNode;

const media: Readonly<Partial<Record<MessageType, Component>>> = {
  image: Picture,
  sticker: Picture,
  video: Video,
  audio: Sound,
  document: Document,
};

const partOf = (message: Message): Component | null => {
  const { type, media: file, location, contacts, poll, event, groupInvite, order, product } = message;
  if (file !== null) return media[type] ?? Document;
  if (location !== null) return Location;
  if (contacts.length > 0) return Contacts;
  if (poll !== null) return Poll;
  if (event !== null) return PlannedEvent;
  if (order !== null) return Order;
  if (product !== null) return Product;
  return groupInvite === null ? null : GroupInvite;
};

/** Whether a part already shows the text as its title. */
const isShown = ({ type, text, location, poll, event, product }: Message): boolean =>
  text === null ||
  type === 'contact' ||
  [location?.name, location?.address, poll?.question, event?.name, product?.name].includes(text);

const Kind = ({ type }: { readonly type: MessageType }) =>
  type === 'text' ? null : <p className="kind">{texts.message.elsewhere[type] ?? texts.chat.type[type]}</p>;

export const Content = ({ message }: { readonly message: Message }) => {
  const { deletedAt, unavailable, viewOnce, type, text, mentions, forwarded, referral, selection, link } = message;
  const onceWords = message.direction === 'out' ? texts.chat.viewOnceSent : texts.chat.viewOnce;
  if (deletedAt !== null) return <p className="gone">{texts.chat.deleted}</p>;
  if (unavailable !== null) return <p className="gone">{texts.chat.unavailable[unavailable]}</p>;
  const KindPart = viewOnce ? null : partOf(message);
  const { often, once } = texts.message.forwarded;
  return (
    <>
      {forwarded !== null && <span className="forwarded">{forwarded.times >= 127 ? often : once}</span>}
      {referral !== null && <Referral referral={referral} />}
      <Quote message={message} />
      {selection !== null && <span className="part-kind">{texts.message.selection}</span>}
      {viewOnce && <p className="gone">{onceWords}</p>}
      {KindPart === null ? !viewOnce && <Kind type={type} /> : <KindPart message={message} />}
      {link !== null && <LinkPreview link={link} />}
      {text !== null && !isShown(message) && (
        <p className="text">
          <RichText text={text} mentions={mentions} />
        </p>
      )}
    </>
  );
};
