/** The menu of a chat: pin, label, mute, archive and mark as unread, on the phone as well. */
import { useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Chat } from '../../api/chat.ts';
import type { Answer } from '../../api/schemas.ts';
import type { Device } from '../../api/types.ts';
import { texts } from '../../base/texts.ts';
import { Failure, useAttempt } from '../../ui/attempt.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { icons } from '../../ui/icons.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { type Conversation, isMuted } from '../shown/conversations.ts';
import { LabelsDialog } from '../shown/labels-dialog.tsx';

const words = texts.inbox.menu;

const hourMs = 3_600_000;

export type ChatChange = Partial<Pick<Chat, 'archived' | 'pinned' | 'mutedUntil' | 'expiresInSeconds' | 'labels'>> & {
  readonly unread?: boolean;
};

/** Changes a chat. Throws what is to be said beside what was pressed. */
export const useChatChange = (device: Device, chat: string, replace: (chat: Chat) => void) => {
  const { client } = useAccount();
  return async (changes: ChatChange): Promise<void> => {
    const path = `/v1/devices/${device.id}/chats/${encodeURIComponent(chat)}`;
    replace((await client.put<Answer<'updateChat'>>(path, changes)).chat);
  };
};

interface MuteProps {
  readonly conversation: Conversation;
  readonly change: (changes: ChatChange, done: string) => Promise<boolean>;
}

const MuteItems = ({ conversation, change }: MuteProps) => {
  const mute = (mutedUntil: string | null, done: string = words.muted): void => void change({ mutedUntil }, done);
  const muteFor = (hours: number): void => mute(new Date(Date.now() + hours * hourMs).toISOString());
  if (isMuted(conversation)) {
    return (
      <MenuItem icon={icons.mute} act={() => mute(null, words.unmuted)}>
        {words.unmute}
      </MenuItem>
    );
  }
  return (
    <>
      <MenuItem icon={icons.mute} act={() => muteFor(8)}>
        {words.mute8}
      </MenuItem>
      <MenuItem icon={icons.mute} act={() => muteFor(7 * 24)}>
        {words.muteWeek}
      </MenuItem>
      <MenuItem icon={icons.mute} act={() => mute('always')}>
        {words.muteAlways}
      </MenuItem>
    </>
  );
};

interface Props {
  readonly device: Device;
  readonly conversation: Conversation;
  readonly replace: (chat: Chat) => void;
  /** Closes the conversation, which would be marked as read again at once. */
  readonly leave: () => void;
}

interface ClearProps {
  readonly device: Device;
  readonly chat: string;
  readonly replace: (chat: Chat) => void;
  readonly close: () => void;
}

const ClearDialog = ({ device, chat, replace, close }: ClearProps) => {
  const { client } = useAccount();
  const clear = async (): Promise<void> => {
    const path = `/v1/devices/${device.id}/chats/${encodeURIComponent(chat)}`;
    replace((await client.delete<Answer<'clearChat'>>(path)).chat);
  };
  const { clearTitle: title, clearText: text, clear: action, cleared: done } = words;
  return <ConfirmDialog title={title} text={text} action={action} done={done} act={clear} close={close} />;
};

const useChange = (update: (changes: ChatChange) => Promise<void>, attempt: ReturnType<typeof useAttempt>) => {
  const notify = useNotify();
  return async (changes: ChatChange, done?: string): Promise<boolean> => {
    const isDone = await attempt.run(() => update(changes));
    if (isDone && done !== undefined) notify.good(done);
    return isDone;
  };
};

export const ChatMenu = ({ device, conversation, replace, leave }: Props) => {
  const { chat, title, pinned, archived, labels } = conversation;
  const [labelling, setLabelling] = useState(false);
  const attempt = useAttempt();
  const update = useChatChange(device, chat, replace);
  const change = useChange(update, attempt);
  const [clearing, setClearing] = useState(false);
  const markUnread = async (): Promise<void> => {
    if (await change({ unread: true })) leave();
  };
  return (
    <>
      <Menu
        label={words.of(title)}
        className="icon"
        icon={icons.dots}
        disabled={attempt.busy || device.status !== 'connected'}
      >
        {() => (
          <>
            <MenuItem icon={icons.pin} act={() => void change({ pinned: !pinned })}>
              {pinned ? words.unpin : words.pin}
            </MenuItem>
            <MenuItem icon={icons.label} act={() => setLabelling(true)}>
              {words.labels}
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
            <MuteItems conversation={conversation} change={change} />
            <MenuItem icon={icons.delete} danger act={() => setClearing(true)}>
              {words.clear}
            </MenuItem>
          </>
        )}
      </Menu>
      <Failure of={attempt} />
      {clearing && <ClearDialog device={device} chat={chat} replace={replace} close={() => setClearing(false)} />}
      {labelling && (
        <LabelsDialog
          deviceId={device.id}
          chosen={labels}
          save={(wanted) => update({ labels: [...wanted] })}
          close={() => setLabelling(false)}
        />
      )}
    </>
  );
};
