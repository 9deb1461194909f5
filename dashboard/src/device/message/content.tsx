/** The content of a message, by its kind. */
import type { ReactNode } from 'react';
import type { Message, MessageType } from '../../api/message.ts';
import { texts } from '../../base/texts.ts';
import { Contacts } from './contacts.tsx';
import { Document } from './media/document.tsx';
import { PlannedEvent } from './event.tsx';
import { GroupInvite } from './group-invite.tsx';
import { LinkPreview } from './link-preview.tsx';
import { Location } from './location.tsx';
import { Picture } from './media/picture.tsx';
import { Poll } from './poll.tsx';
import { Quote } from './quote.tsx';
import { Referral } from './referral.tsx';
import { RichText } from './rich-text.tsx';
import { Sound } from './media/sound.tsx';
import { Video } from './media/video.tsx';

type Component = (props: { readonly message: Message }) => ReactNode;

const media: Readonly<Partial<Record<MessageType, Component>>> = {
  image: Picture,
  sticker: Picture,
  video: Video,
  audio: Sound,
  document: Document,
};

const partOf = ({ type, media: file, location, contacts, poll, event, groupInvite }: Message): Component | null => {
  if (file !== null) return media[type] ?? Document;
  if (location !== null) return Location;
  if (contacts.length > 0) return Contacts;
  if (poll !== null) return Poll;
  if (event !== null) return PlannedEvent;
  return groupInvite === null ? null : GroupInvite;
};

/** Whether a part has a title that the text repeats. */
const isShown = ({ type, text, location, poll, event }: Message): boolean =>
  text === null ||
  type === 'contact' ||
  [location?.name, location?.address, poll?.question, event?.name].includes(text);

const Kind = ({ type }: { readonly type: MessageType }) =>
  type === 'text' ? null : <p className="kind">{texts.message.elsewhere[type] ?? texts.chat.type[type]}</p>;

export const Content = ({ message }: { readonly message: Message }) => {
  const { deletedAt, unavailable, viewOnce, type, text, mentions, forwarded, referral, selection, link } = message;
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
      {viewOnce && <p className="gone">{texts.chat.viewOnce}</p>}
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
