/** The head of a conversation: with whom it is, what they are doing, and their card. */
import { useState } from 'react';
import type { Device } from '../../api/types.ts';
import { fullTime, phoneNumber } from '../../format.ts';
import { texts } from '../../texts.ts';
import { icons } from '../../ui/icons.tsx';
import type { Conversation } from '../conversations.ts';
import type { NameOf } from '../message/people.ts';
import { ContactCard } from './contact-card.tsx';
import { type Presence, usePresence } from './presence.ts';

const words = texts.inbox;

const presenceText = ({ state, person, lastSeenAt }: Presence, isGroup: boolean, nameOf: NameOf): string | null => {
  if (state === 'none') return null;
  if (state === 'offline') return lastSeenAt === null ? null : words.lastSeen(fullTime(lastSeenAt));
  return isGroup ? words.presenceOf(nameOf(person), words.presence[state]) : words.presence[state];
};

interface Props {
  readonly device: Device;
  readonly conversation: Conversation | null;
  readonly nameOf: NameOf;
}

export const Header = ({ device, conversation, nameOf }: Props) => {
  const presence = usePresence(device.id, conversation?.chat ?? null);
  const [open, setOpen] = useState(false);
  if (conversation === null) return <h2 className="conversation-head">{texts.chat.newChat}</h2>;
  const { title, isGroup, chat, chatNumber } = conversation;
  const number = chatNumber === null || phoneNumber(chatNumber) === title ? null : phoneNumber(chatNumber);
  const state = presence === null ? null : presenceText(presence, isGroup, nameOf);
  return (
    <div className="conversation-head">
      <div className="conversation-who">
        <h2>{title}</h2>
        <p className="hint" role="status">
          {state ?? number}
        </p>
      </div>
      {!isGroup && (
        <button type="button" className="icon" aria-label={words.card(title)} onClick={() => setOpen(true)}>
          {icons.person}
        </button>
      )}
      {open && <ContactCard key={chat} device={device} conversation={conversation} close={() => setOpen(false)} />}
    </div>
  );
};
