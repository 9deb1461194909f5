/** The head of a conversation: the person or group, their presence and their card. */
import { useEffect, useState, lazy, Suspense } from 'react';
import { useEvents, useMay } from '../../account/account.tsx';
import type { Person } from '../../api/message.ts';
import type { Device, EventOf } from '../../api/types.ts';
import type { Chat } from '../../api/chat.ts';
import { fullTime, phoneNumber } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';
import type { Conversation } from '../shown/conversations.ts';
import type { GroupState } from '../groups/use-group.ts';
import type { NameOf } from '../shown/people.ts';
import { ChatMenu } from './chat-menu.tsx';
import { ContactCard } from './contact-card.tsx';

type Presence = EventOf<'chat.presence'>['data'];

/** The network does not always report that somebody stopped writing. */
const writingMs = 30_000;

/** The latest presence in a chat; null while unknown. */
const usePresence = (deviceId: number, chat: string | null): Presence | null => {
  const [presence, setPresence] = useState<Presence | null>(null);
  useEvents(deviceId, ({ type, data }) => {
    if (type === 'chat.presence' && data.chat === chat) setPresence(data);
  });
  const state = presence?.state;
  useEffect(() => {
    if (state !== 'text' && state !== 'voice') return;
    const timer = setTimeout(() => setPresence((old) => old && { ...old, state: 'none' }), writingMs);
    return () => clearTimeout(timer);
  }, [state]);
  return presence?.chat === chat ? presence : null;
};

const words = texts.inbox;
const GroupCard = lazy(async () => ({ default: (await import('../groups/group-card.tsx')).GroupCard }));

const presenceText = ({ state, person, lastSeenAt }: Presence, isGroup: boolean, nameOf: NameOf): string | null => {
  if (state === 'none') return null;
  if (state === 'offline') return lastSeenAt === null ? null : words.lastSeen(fullTime(lastSeenAt));
  return isGroup ? words.presenceOf(nameOf(person), words.presence[state]) : words.presence[state];
};

interface Props {
  readonly device: Device;
  readonly conversation: Conversation | null;
  readonly nameOf: NameOf;
  readonly isOwn: (person: Person) => boolean;
  readonly group: GroupState;
  readonly replace: (chat: Chat) => void;
  /** Goes back to the list. */
  readonly leave: () => void;
}

/** On a phone the list is a page of its own. */
const Back = ({ leave }: Pick<Props, 'leave'>) => (
  <button type="button" className="icon only-narrow" aria-label={texts.chat.chats} onClick={leave}>
    {icons.back}
  </button>
);

interface CardProps extends Pick<Props, 'device' | 'nameOf' | 'isOwn' | 'group' | 'replace'> {
  readonly conversation: Conversation;
}

/** The button that opens the card of a person or a group. */
const Card = ({ device, conversation, nameOf, isOwn, group, replace }: CardProps) => {
  const [open, setOpen] = useState(false);
  const { title, isGroup } = conversation;
  const close = (): void => setOpen(false);
  if (isGroup && (group === null || group === 'left')) return null;
  return (
    <>
      <button
        type="button"
        className="icon"
        aria-label={isGroup ? texts.groups.card(title) : words.card(title)}
        onClick={() => setOpen(true)}
      >
        {isGroup ? icons.group : icons.person}
      </button>
      {open && !isGroup && <ContactCard device={device} conversation={conversation} replace={replace} close={close} />}
      {open && group !== null && group !== 'left' && (
        <Suspense>
          <GroupCard device={device} known={group} nameOf={nameOf} isOwn={isOwn} close={close} />
        </Suspense>
      )}
    </>
  );
};

/** As many members of a group as fit. */
const membersLine = (group: GroupState, nameOf: NameOf): string | null => {
  if (group === null) return null;
  if (group === 'left') return texts.groups.notIn;
  return group.group.members.map(({ person }) => nameOf(person)).join(', ');
};

export const Header = (props: Props) => {
  const { device, conversation, nameOf, group, replace, leave } = props;
  const presence = usePresence(device.id, conversation?.chat ?? null);
  const may = useMay();
  if (conversation === null) {
    return (
      <div className="conversation-head">
        <Back leave={leave} />
        <h2 className="conversation-who">{texts.chat.newChat}</h2>
      </div>
    );
  }
  const { title, isGroup, chat, chatNumber, username, isKnown } = conversation;
  const address = chatNumber === null ? username && `@${username}` : phoneNumber(chatNumber);
  const number = address === title ? null : address;
  const state = presence === null ? null : presenceText(presence, isGroup, nameOf);
  return (
    <div className="conversation-head">
      <Back leave={leave} />
      <div className="conversation-who">
        <h2>{title}</h2>
        <p className="hint" role="status">
          {state ?? (isGroup ? membersLine(group, nameOf) : number)}
        </p>
      </div>
      <Card key={chat} {...props} conversation={conversation} />
      {isKnown && may('send') && (
        <ChatMenu key={`${chat} menu`} device={device} conversation={conversation} replace={replace} leave={leave} />
      )}
    </div>
  );
};
