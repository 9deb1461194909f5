/** The card of a person: picture, names, number and about, the timer of the chat, and whether their presence is followed. */
import type { ReactNode } from 'react';
import { May, useAccount } from '../../account/account.tsx';
import { ApiError } from '../../api/client.ts';
import type { Answer } from '../../api/schemas.ts';
import type { Chat, Contact } from '../../api/chat.ts';
import type { Device } from '../../api/types.ts';
import { phoneNumber } from '../../base/format.ts';
import { type Loaded, useLoad } from '../../api/hooks.ts';
import { texts } from '../../base/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Action, Await } from '../../ui/parts.tsx';
import { Switch } from '../../ui/switch.tsx';
import type { Conversation } from '../shown/conversations.ts';
import { useChatChange } from './chat-menu.tsx';
import { Portrait } from '../groups/portrait.tsx';
import { TimerChoice } from '../groups/timer-choice.tsx';

const words = texts.inbox;

const Fact = ({ name, value }: { readonly name: string; readonly value: string | null }): ReactNode =>
  value !== null && (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );

const Facts = ({ contact }: { readonly contact: Contact }) => (
  <dl className="facts">
    <Fact name={words.name} value={contact.name} />
    <Fact name={words.pushName} value={contact.pushName} />
    <Fact name={words.businessName} value={contact.businessName} />
    <Fact name={words.number} value={contact.number === null ? null : phoneNumber(contact.number)} />
    <Fact name={words.username} value={contact.username === null ? null : `@${contact.username}`} />
    <Fact name={words.about} value={contact.about} />
    <Fact name={words.blocked} value={contact.blocked ? words.yes : null} />
  </dl>
);

/** The setting names up to 100 chats. */
const Follow = ({ device, chat }: { readonly device: Device; readonly chat: string }) => {
  const { client } = useAccount();
  const path = `/v1/devices/${device.id}/settings`;
  const settings = useLoad(async () => (await client.get<Answer<'getSettings'>>(path)).settings, path);
  const follow = async (presence: readonly string[]): Promise<void> => {
    const answer = await client.put<Answer<'updateSettings'>>(path, { presence });
    settings.change(() => answer.settings);
  };
  return (
    <Await of={settings}>
      {({ presence, online }) => (
        <Switch
          label={words.follow}
          {...(online ? {} : { hint: words.followHint })}
          on={presence.includes(chat)}
          set={(on) => follow(on ? [...presence, chat] : presence.filter((one) => one !== chat))}
        />
      )}
    </Await>
  );
};

interface BlockProps {
  readonly path: string;
  readonly contact: Loaded<Contact>;
}

const Block = ({ path, contact }: BlockProps) => {
  const { client } = useAccount();
  const isBlocked = contact.value?.blocked === true;
  const set = async (): Promise<void> => {
    const answer = await client.put<Answer<'updateContact'>>(path, { blocked: !isBlocked });
    contact.change(() => answer.contact);
  };
  return (
    <May act="manage">
      <Action className={isBlocked ? 'quiet' : 'danger'} act={set}>
        {isBlocked ? words.unblock : words.block}
      </Action>
    </May>
  );
};

interface Props {
  readonly device: Device;
  readonly conversation: Conversation;
  readonly replace: (chat: Chat) => void;
  readonly close: () => void;
}

export const ContactCard = ({ device, conversation, replace, close }: Props) => {
  const { chat, title, chatNumber, chatLid, username, expiresInSeconds, isKnown } = conversation;
  const { client } = useAccount();
  const change = useChatChange(device, chat, replace);
  const path = `/v1/devices/${device.id}/contacts/${encodeURIComponent(chat)}`;
  const unknown: Contact = {
    jid: chat,
    number: chatNumber,
    lid: chatLid,
    username,
    name: null,
    pushName: null,
    businessName: null,
    about: null,
    blocked: false,
    picture: null,
  };
  const contact = useLoad(async () => {
    try {
      return (await client.get<Answer<'getContact'>>(path)).contact;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return unknown;
      throw error;
    }
  }, chat);
  return (
    <Dialog title={title} close={close}>
      <Await of={contact}>
        {(value) => (
          <div className="card-of">
            <Portrait
              name={title}
              path={value.picture === null ? null : `${path}/picture`}
              version={value.picture ?? ''}
            />
            <Facts contact={value} />
          </div>
        )}
      </Await>
      <May act="manage">
        <Follow device={device} chat={chat} />
      </May>
      {device.status === 'connected' && (
        <div className="row between">
          {isKnown && (
            <TimerChoice seconds={expiresInSeconds} choose={(seconds) => change({ expiresInSeconds: seconds })} />
          )}
          {contact.value !== null && <Block path={path} contact={contact} />}
        </div>
      )}
    </Dialog>
  );
};
