/** The menu of a message: answer, react, edit, forward, label, pin, delete. */
import { useMay } from '../../account/account.tsx';
import type { Message, MessageType } from '../../api/message.ts';
import { type ReactNode, useState } from 'react';
import { texts } from '../../base/texts.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { icons } from '../../ui/icons.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { copyText } from '../../ui/copy.ts';
import { LabelsDialog } from '../shown/labels-dialog.tsx';
import { authorOf } from '../shown/people.ts';
import { useShown } from '../shown/shown.ts';
import { EmojiDialog, usualEmoji } from './emoji.tsx';
import { type Change, useChange } from './use-change.ts';

const names = ['reply', 'react', 'copy', 'edit', 'forward', 'star', 'label', 'pin', 'deleteForMe', 'delete'] as const;

type ActionName = (typeof names)[number];

const editMs = 15 * 60_000;
const deleteMs = 60 * 3_600_000;

const captioned: readonly MessageType[] = ['image', 'video', 'document'];
const forwardable: readonly MessageType[] = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
];

/** `isAdmin`: of the group of the message, where an administrator deletes messages of others. Empty for a message that is not on the network. */
const possibleActions = (
  message: Message,
  isAdmin: boolean,
  maySend: boolean,
  now: number,
): ReadonlySet<ActionName> => {
  const { direction, type, text, deletedAt, unavailable, viewOnce, state, timestamp, media } = message;
  if (deletedAt !== null || state === 'pending' || state === 'failed') return new Set();
  const ageMs = now - Date.parse(timestamp);
  const own = direction === 'out';
  const whole = unavailable === null && !viewOnce;
  const offered: Readonly<Record<ActionName, boolean>> = {
    reply: !viewOnce || !message.isGroup,
    react: true,
    copy: text !== null,
    edit: own && !viewOnce && ageMs < editMs && (type === 'text' || (captioned.includes(type) && media !== null)),
    forward: whole && forwardable.includes(type),
    star: true,
    label: true,
    pin: true,
    deleteForMe: true,
    delete: (own || isAdmin) && ageMs < deleteMs,
  };
  return new Set(names.filter((name) => offered[name] && (maySend || name === 'copy')));
};

const words = texts.actions;

interface Props {
  readonly message: Message;
}

const useReaction = (message: Message, { run }: Change) => {
  const { isOwn } = useShown();
  const current = message.reactions.find(({ from }) => isOwn(from))?.reaction ?? null;
  /** Choosing the same emoji again removes it. */
  const react = (emoji: string): void => {
    const reaction = emoji === current ? null : emoji;
    void run((client, pathTo) => client.put(pathTo('/reaction'), { reaction }));
  };
  return { current, react };
};

type Asking = 'emoji' | 'labels' | 'delete' | 'deleteForMe' | null;

interface ItemsProps extends Props {
  readonly change: Change;
  readonly ask: (asking: Asking) => void;
  readonly reaction: ReturnType<typeof useReaction>;
}

const Items = ({ message, change, ask, reaction }: ItemsProps): ReactNode => {
  const { write, forward, change: show, isAdmin } = useShown();
  const may = useMay();
  const possible = possibleActions(message, isAdmin, may('send'), Date.now());
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
      {possible.has('react') && (
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
          <button
            type="button"
            role="menuitem"
            aria-label={words.otherEmoji}
            tabIndex={-1}
            onClick={() => ask('emoji')}
          >
            +
          </button>
        </div>
      )}
      {item('reply', () => write({ kind: 'reply', message }))}
      {item('copy', () => void change.run(() => copyText(message.text ?? '')))}
      {item('edit', () => write({ kind: 'edit', message }))}
      {item('forward', () => forward(message))}
      {item('star', star, starred ? words.unstar : words.star)}
      {item('label', () => ask('labels'))}
      {item('pin', pin, pinned ? words.unpin : words.pin)}
      {item('deleteForMe', () => ask('deleteForMe'))}
      {item('delete', () => ask('delete'))}
    </>
  );
};

export const MessageMenu = ({ message }: Props) => {
  const { device, nameOf, change: show, isAdmin } = useShown();
  const may = useMay();
  const change = useChange(message);
  const reaction = useReaction(message, change);
  const [asking, ask] = useState<Asking>(null);
  const close = (): void => ask(null);
  const deleteForMe: Parameters<typeof change.run>[0] = async (client, pathTo) => {
    await client.delete(`${pathTo()}&forMe=true`);
    show(message.id, { deletedAt: new Date().toISOString(), text: null });
  };
  if (device.status !== 'connected' || possibleActions(message, isAdmin, may('send'), Date.now()).size === 0)
    return null;
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
      {asking === 'labels' && (
        <LabelsDialog
          deviceId={device.id}
          chosen={message.labels}
          save={(labels) => change.run((client, pathTo) => client.put(pathTo('/labels'), { labels }))}
          close={close}
        />
      )}
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
