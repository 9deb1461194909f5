/** The list of conversations, with a search, unread counts and the newest message of each. */
import { useState } from 'react';
import { May } from '../../account/account.tsx';
import type { Message } from '../../api/message.ts';
import type { Device } from '../../api/types.ts';
import { shortTime } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';
import { Action } from '../../ui/parts.tsx';
import { type Conversation, isMuted } from '../shown/conversations.ts';
import { LabelChips, LabelFilter } from '../shown/labels.tsx';
import { GroupMenu } from '../groups/group-menu.tsx';
import type { NameOf } from '../shown/people.ts';
import { summaryOf } from '../message/summary.ts';
import type { Choice } from './chosen.ts';
import { FoundMessages } from './found-messages.tsx';

const words = texts.inbox;

/** The newest message in one line, an unsent one first. */
const Newest = ({ of: { newest, unsent }, nameOf }: { readonly of: Conversation; readonly nameOf: NameOf }) => {
  const entry = unsent.at(-1);
  const at = entry?.at ?? newest?.timestamp;
  return (
    <>
      {at !== undefined && <time dateTime={at}>{shortTime(at)}</time>}
      <span className="conversation-text">
        {entry !== undefined && `${texts.outbox.state[entry.state]}: ${entry.text ?? texts.chat.type[entry.type]}`}
        {entry === undefined && newest?.direction === 'out' && `${texts.chat.you}: `}
        {entry === undefined && newest !== null && summaryOf(newest, nameOf)}
      </span>
    </>
  );
};

/** Pinned and muted chats, as on the phone. */
const Marks = ({ of }: { readonly of: Conversation }) => (
  <>
    {of.pinned && (
      <span className="with-icon" title={words.pinned}>
        {icons.pin}
        <span className="visually-hidden">{words.pinned}</span>
      </span>
    )}
    {isMuted(of) && (
      <span className="with-icon" title={words.muted}>
        {icons.mute}
        <span className="visually-hidden">{words.muted}</span>
      </span>
    )}
  </>
);

interface Props {
  readonly device: Device;
  readonly conversations: readonly Conversation[];
  readonly nameOf: NameOf;
  readonly current: string | null;
  readonly choose: (choice: Choice) => void;
  readonly query: string;
  /** The query that the conversations were searched with. */
  readonly searched: string;
  readonly search: (query: string) => void;
  /** The label whose chats are shown; null: all. */
  readonly label: string | null;
  readonly chooseLabel: (label: string | null) => void;
  readonly more: (() => Promise<void>) | null;
  readonly titleOf: (message: Message) => string;
  /** Shows a message in its conversation. */
  readonly open: (message: Message) => void;
  readonly isNew: boolean;
}

interface EntriesProps extends Pick<Props, 'nameOf' | 'current' | 'choose'> {
  readonly shown: readonly Conversation[];
}

const Entries = ({ shown, nameOf, current, choose }: EntriesProps) => (
  <ul aria-label={texts.chat.chats}>
    {shown.map((one) => (
      <li key={one.chat}>
        <button type="button" aria-pressed={one.chat === current} onClick={() => choose(one.chat)}>
          <span className="conversation-title">
            {one.title}
            <Marks of={one} />
          </span>
          <Newest of={one} nameOf={nameOf} />
          {one.unread > 0 && (
            <span className="unread">
              {one.unread}
              <span className="visually-hidden"> {words.unread}</span>
            </span>
          )}
          <LabelChips ids={one.labels} />
        </button>
      </li>
    ))}
  </ul>
);

/** Pinned ones first, archived ones apart. A search finds both. */
const useShownChats = (conversations: readonly Conversation[], isSearch: boolean) => {
  const [archive, showArchive] = useState(false);
  const archived = conversations.filter((one) => one.archived);
  const inArchive = archive && archived.length > 0;
  const kept = isSearch ? conversations : conversations.filter((one) => one.archived === inArchive);
  const shown = [...kept.filter(({ pinned }) => pinned), ...kept.filter(({ pinned }) => !pinned)];
  return { shown, archived: isSearch ? 0 : archived.length, inArchive, showArchive };
};

export const ChatList = ({ device, conversations, nameOf, current, choose, query, search, more, ...rest }: Props) => {
  const { searched, titleOf, open, isNew, label, chooseLabel } = rest;
  const isFiltered = query !== '' || label !== null;
  const { shown, archived, inArchive, showArchive } = useShownChats(conversations, isFiltered);
  return (
    <div className="conversations">
      <div className="list-head">
        <May act="send">
          <button type="button" className="new-chat" aria-pressed={isNew} onClick={() => choose(null)}>
            + {texts.chat.newChat}
          </button>
        </May>
        <GroupMenu device={device} nameOf={nameOf} choose={choose} />
      </div>
      <input
        type="search"
        className="search-chats"
        aria-label={words.search}
        placeholder={words.searchShort}
        value={query}
        maxLength={100}
        onChange={(input) => search(input.target.value)}
      />
      <LabelFilter label={label} choose={chooseLabel} />
      {isFiltered && shown.length === 0 && <p className="hint no-chats">{words.noMatch}</p>}
      <Entries shown={shown} nameOf={nameOf} current={current} choose={choose} />
      {archived > 0 && (
        <button type="button" className="new-chat" aria-pressed={inArchive} onClick={() => showArchive(!inArchive)}>
          {inArchive ? words.leaveArchive : words.archive(archived)}
        </button>
      )}
      {more !== null && (
        <Action className="quiet" act={more}>
          {texts.more}
        </Action>
      )}
      {query !== '' && <FoundMessages device={device} query={searched} nameOf={nameOf} titleOf={titleOf} open={open} />}
    </div>
  );
};
