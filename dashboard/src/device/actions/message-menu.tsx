/** The menu of a message: answer, react, edit, forward, pin, delete. */
import { type ReactNode, useState } from 'react';
import type { Message } from '../../api/message.ts';
import { texts } from '../../base/texts.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { icons } from '../../ui/icons.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { copyText } from '../../ui/copy.ts';
import { authorOf } from '../shown/people.ts';
import { useShown } from '../shown/shown.ts';
import { EmojiDialog, usualEmoji } from './emoji.tsx';
import { type ActionName, possibleActions } from './possible.ts';
import { type Change, useChange } from './use-change.ts';

const words = texts.actions;

interface Props {
  readonly message: Message;
}

const useReaction = (message: Message, { run }: Change) => {
  const { isOwn } = useShown();
  const current = message.reactions.find(({ from }) => isOwn(from))?.reaction ?? null;
  /** An emoji that is chosen again is taken back. */
  const react = (emoji: string): void => {
    const reaction = emoji === current ? null : emoji;
    void run((client, pathTo) => client.put(pathTo('/reaction'), { reaction }));
  };
  return { current, react };
};

type Asking = 'emoji' | 'delete' | 'deleteForMe' | null;

interface ItemsProps extends Props {
  readonly change: Change;
  readonly ask: (asking: Asking) => void;
  readonly reaction: ReturnType<typeof useReaction>;
}

const Items = ({ message, change, ask, reaction }: ItemsProps): ReactNode => {
  const { write, forward, change: show, isAdmin } = useShown();
  const possible = possibleActions(message, isAdmin, Date.now());
  const item = (name: ActionName, act: () => void, label: string = words[name]): ReactNode =>
    possible.has(name) && (
      <MenuItem act={act} icon={icons[name]} danger={name === 'delete' || name === 'deleteForMe'}>
        {label}
      </MenuItem>
    );
  const pinned = message.pinned === true;
  const pin = (): void => void change.run((client, pathTo) => client.put(pathTo('/pin'), { pinned: !pinned }));
  const { id, starred } = message;
  const star = (): void =>
    void change.run(async (client, pathTo) => {
      await client.put(pathTo('/star'), { starred: !starred });
      show(id, { starred: !starred });
    });
  return (
    <>
      <div className="menu-emoji" role="group" aria-label={words.react}>
        {usualEmoji.map((emoji) => (
          <button
            key={emoji}
            type="button"
            role="menuitemcheckbox"
            aria-checked={emoji === reaction.current}
            aria-label={words.reactWith(emoji)}
            tabIndex={-1}
            onClick={() => reaction.react(emoji)}
          >
            {emoji}
          </button>
        ))}
        <button type="button" role="menuitem" aria-label={words.otherEmoji} tabIndex={-1} onClick={() => ask('emoji')}>
          +
        </button>
      </div>
      {item('reply', () => write({ kind: 'reply', message }))}
      {item('copy', () => void change.run(() => copyText(message.text ?? '')))}
      {item('edit', () => write({ kind: 'edit', message }))}
      {item('forward', () => forward(message))}
      {item('star', star, starred ? words.unstar : words.star)}
      {item('pin', pin, pinned ? words.unpin : words.pin)}
      {item('deleteForMe', () => ask('deleteForMe'))}
      {item('delete', () => ask('delete'))}
    </>
  );
};

export const MessageMenu = ({ message }: Props) => {
  const { device, nameOf, change: show, isAdmin } = useShown();
  const change = useChange(message);
  const reaction = useReaction(message, change);
  const [asking, ask] = useState<Asking>(null);
  const close = (): void => ask(null);
  const deleteForMe: Parameters<typeof change.run>[0] = async (client, pathTo) => {
    await client.delete(`${pathTo()}&forMe=true`);
    show(message.id, { deletedAt: new Date().toISOString(), text: null });
  };
  if (device.status !== 'connected' || possibleActions(message, isAdmin, Date.now()).size === 0) return null;
  return (
    <>
      <Menu
        label={words.of(nameOf(authorOf(message)))}
        className={`icon message-menu ${change.busy ? 'busy' : ''}`}
        icon={icons.more}
      >
        {() => <Items message={message} change={change} ask={ask} reaction={reaction} />}
      </Menu>
      {change.error !== null && (
        <p className="bubble-error" role="alert">
          {change.error}
          <button type="button" className="link" onClick={change.dismiss}>
            {texts.close}
          </button>
        </p>
      )}
      {asking === 'emoji' && <EmojiDialog choose={reaction.react} close={close} />}
      {asking === 'delete' && (
        <ConfirmDialog
          title={words.deleteTitle}
          text={words.deleteText}
          action={words.delete}
          act={async () => void change.run((client, pathTo) => client.delete(pathTo()))}
          close={close}
        />
      )}
      {asking === 'deleteForMe' && (
        <ConfirmDialog
          title={words.deleteForMeTitle}
          text={words.deleteForMeText}
          action={words.deleteForMe}
          act={async () => void change.run(deleteForMe)}
          close={close}
        />
      )}
    </>
  );
};
