/** One post of a channel: what it says, reactions to it, and editing or deleting one's own. */
import { useState } from 'react';
import { useAccount, useMay } from '../../account/account.tsx';
import type { Channel, ChannelPost, Device } from '../../api/types.ts';
import { fullTime } from '../../base/format.ts';
import { texts } from '../../base/texts.ts';
import { Failure, useAttempt } from '../../ui/attempt.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { FieldError, useForm } from '../../ui/form.ts';
import { icons } from '../../ui/icons.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { ErrorText, TextArea } from '../../ui/parts.tsx';
import { EmojiDialog } from '../actions/emoji.tsx';

const words = texts.channels;

const longest = 65_536;

const wordOf = (type: ChannelPost['type']): string => {
  const types: Partial<Record<ChannelPost['type'], string>> = words.types;
  return types[type] ?? words.types.other;
};

interface Props {
  readonly device: Device;
  readonly channel: Channel;
  readonly post: ChannelPost;
  readonly done: () => void;
}

const pathOf = ({ device, channel, post }: Props): string =>
  `/v1/devices/${device.id}/channels/${channel.jid}/messages/${post.serverId}`;

const Edit = ({ close, ...props }: Props & { readonly close: () => void }) => {
  const { client } = useAccount();
  const notify = useNotify();
  const [text, setText] = useState(props.post.text ?? '');
  const form = useForm(['message'], async () => {
    if (text.trim() === '') throw new FieldError('message', words.needsNewText);
    await client.put(pathOf(props), { message: text });
    notify.good(words.edited);
    props.done();
    close();
  });
  return (
    <Dialog title={words.editTitle} close={close}>
      <form onSubmit={form.submit} noValidate>
        <TextArea
          label={words.text}
          value={text}
          maxLength={longest}
          error={form.errorOf('message')}
          onChange={(change) => setText(change.target.value)}
        />
        <ErrorText error={form.error} />
        <div className="row end">
          <button type="submit" className="primary" disabled={form.busy} aria-busy={form.busy}>
            {words.save}
          </button>
        </div>
      </form>
    </Dialog>
  );
};

type Asking = 'emoji' | 'edit' | 'delete';

interface MenuProps extends Props {
  readonly busy: boolean;
  readonly ask: (asking: Asking) => void;
  readonly unreact: () => void;
}

const PostMenu = ({ channel, post: { text, type }, busy, ask, unreact }: MenuProps) => {
  const own = channel.role === 'owner' || channel.role === 'admin';
  return (
    <Menu
      label={words.actionsOf((text ?? wordOf(type)).slice(0, 60))}
      icon={icons.dots}
      className="icon"
      disabled={busy}
    >
      {() => (
        <>
          {channel.reactions !== 'none' && (
            <>
              <MenuItem icon={icons.react} act={() => ask('emoji')}>
                {words.react}
              </MenuItem>
              <MenuItem icon={icons.back} act={unreact}>
                {words.unreact}
              </MenuItem>
            </>
          )}
          {own && type === 'text' && (
            <MenuItem icon={icons.edit} act={() => ask('edit')}>
              {words.edit}
            </MenuItem>
          )}
          {own && (
            <MenuItem icon={icons.delete} danger act={() => ask('delete')}>
              {words.removePost}
            </MenuItem>
          )}
        </>
      )}
    </Menu>
  );
};

const PostActs = (props: Props) => {
  const { client } = useAccount();
  const attempt = useAttempt();
  const [asking, setAsking] = useState<Asking | null>(null);
  const close = (): void => setAsking(null);
  const change = async (changed: Promise<unknown>): Promise<void> => {
    await changed;
    props.done();
  };
  const react = (reaction: string | null): void =>
    void attempt.run(() => change(client.put(`${pathOf(props)}/reaction`, { reaction })));
  return (
    <>
      <Failure of={attempt} />
      <PostMenu {...props} busy={attempt.busy} ask={setAsking} unreact={() => react(null)} />
      {asking === 'emoji' && <EmojiDialog choose={react} close={close} />}
      {asking === 'edit' && <Edit {...props} close={close} />}
      {asking === 'delete' && (
        <ConfirmDialog
          title={words.removePostTitle}
          text={words.removePostText}
          action={words.removePost}
          done={words.removedPost}
          act={() => change(client.delete(pathOf(props)))}
          close={close}
        />
      )}
    </>
  );
};

export const OnePost = (props: Props) => {
  const may = useMay();
  const { text, type, timestamp, views, reactions, deleted } = props.post;
  const given = reactions.map(({ reaction, count }) => `${reaction} ${count}`).join(' ');
  return (
    <li>
      <span>
        {!deleted && type !== 'text' && <strong>{wordOf(type)} </strong>}
        <span>{deleted ? words.deleted : text}</span>
        <span className="dim">
          {' '}
          {fullTime(timestamp)}
          {views !== null && ` · ${words.views(views)}`}
          {given !== '' && ` · ${given}`}
        </span>
      </span>
      {!deleted && may('send') && <PostActs {...props} />}
    </li>
  );
};
