/** The menu of a chat: pin, mute, archive and mark as unread, on the phone as well. */
import { useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Chat } from '../../api/chat.ts';
import type { Device } from '../../api/types.ts';
import { texts } from '../../base/texts.ts';
import { icons } from '../../ui/icons.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { type Conversation, isMuted } from '../shown/conversations.ts';

const words = texts.inbox.menu;

const hourMs = 3_600_000;

export type ChatChange = Partial<Pick<Chat, 'archived' | 'pinned' | 'mutedUntil' | 'expiresInSeconds'>> & {
  readonly unread?: boolean;
};

/** Changes a chat; a refusal is shown as a notice. Resolves to whether it was changed. */
export const useChatChange = (device: Device, chat: string, replace: (chat: Chat) => void) => {
  const { client } = useAccount();
  const notify = useNotify();
  const [busy, setBusy] = useState(false);
  const change = async (changes: ChatChange, done?: string): Promise<boolean> => {
    setBusy(true);
    try {
      const path = `/v1/devices/${device.id}/chats/${encodeURIComponent(chat)}`;
      replace((await client.put<{ chat: Chat }>(path, changes)).chat);
      if (done !== undefined) notify.good(done);
      return true;
    } catch (error) {
      notify.bad(error);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, change };
};

interface Props {
  readonly device: Device;
  readonly conversation: Conversation;
  readonly replace: (chat: Chat) => void;
  /** Closes the conversation, which would be marked as read again at once. */
  readonly leave: () => void;
}

export const ChatMenu = ({ device, conversation, replace, leave }: Props) => {
  const { chat, title, pinned, archived } = conversation;
  const { busy, change } = useChatChange(device, chat, replace);
  const muteFor = (hours: number): void =>
    void change({ mutedUntil: new Date(Date.now() + hours * hourMs).toISOString() }, words.muted);
  const markUnread = async (): Promise<void> => {
    if (await change({ unread: true })) leave();
  };
  return (
    <Menu label={words.of(title)} className="icon" icon={icons.dots} disabled={busy || device.status !== 'connected'}>
      {() => (
        <>
          <MenuItem icon={icons.pin} act={() => void change({ pinned: !pinned })}>
            {pinned ? words.unpin : words.pin}
          </MenuItem>
          <MenuItem icon={icons.unread} act={() => void markUnread()}>
            {words.unread}
          </MenuItem>
          <MenuItem
            icon={icons.archive}
            act={() => void change({ archived: !archived }, archived ? words.unarchived : words.archived)}
          >
            {archived ? words.unarchive : words.archive}
          </MenuItem>
          {isMuted(conversation) ? (
            <MenuItem icon={icons.mute} act={() => void change({ mutedUntil: null }, words.unmuted)}>
              {words.unmute}
            </MenuItem>
          ) : (
            <>
              <MenuItem icon={icons.mute} act={() => muteFor(8)}>
                {words.mute8}
              </MenuItem>
              <MenuItem icon={icons.mute} act={() => muteFor(7 * 24)}>
                {words.muteWeek}
              </MenuItem>
              <MenuItem icon={icons.mute} act={() => void change({ mutedUntil: 'always' }, words.muted)}>
                {words.muteAlways}
              </MenuItem>
            </>
          )}
        </>
      )}
    </Menu>
  );
};
