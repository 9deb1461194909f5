/** One channel: its posts, posting a text or a picture to one's own, changing, leaving or deleting it. */
import { useMemo, useRef, useState } from 'react';
import { useAccount, useEvents, useMay } from '../../account/account.tsx';
import type { Channel, Device } from '../../api/types.ts';
import type { Answer } from '../../api/schemas.ts';
import { useLoad } from '../../api/hooks.ts';
import { dataUrlOf } from '../../outbox/post.ts';
import { texts } from '../../base/texts.ts';
import { randomId } from '../../outbox/outbox.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FieldError, useForm } from '../../ui/form.ts';
import { useNotify } from '../../ui/notices.tsx';
import { Action, Await, CopyButton, Empty, ErrorText, Field, TextArea } from '../../ui/parts.tsx';
import { OnePost } from './channel-post.tsx';
import { Change, Mute, Remove } from './channel-settings.tsx';

const words = texts.channels;

const longest = 65_536;
const longestCaption = 1_024;
const maxBytes = 10_485_760;

interface PostProps {
  readonly device: Device;
  readonly channel: Channel;
  readonly done: () => void;
}

const Post = ({ device, channel: { jid: to }, done }: PostProps) => {
  const { client } = useAccount();
  const notify = useNotify();
  const picture = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [file, setFile] = useState<File | null>(null);
  // A repeat after a lost response posts nothing again.
  const key = useMemo(randomId, [text, file]);
  const send = async (): Promise<Answer<'sendText'>> => {
    const path = `/v1/devices/${device.id}/messages`;
    if (file === null) return client.post<Answer<'sendText'>>(`${path}/text`, { to, message: text }, key);
    const mediaBase64 = await dataUrlOf(file).catch(() => {
      throw new FieldError('mediaBase64', words.unreadable);
    });
    const caption = text.trim() === '' ? {} : { mediaCaption: text };
    return client.post<Answer<'sendMedia'>>(`${path}/media`, { to, mediaBase64, ...caption }, key);
  };
  const form = useForm(['message', 'mediaBase64'], async () => {
    if (file === null && text.trim() === '') throw new FieldError('message', words.needsText);
    if (file !== null && text.length > longestCaption) throw new FieldError('message', words.captionTooLong);
    if (file !== null && file.size > maxBytes) throw new FieldError('mediaBase64', words.tooLarge);
    const { state } = await send();
    done();
    if (state === 'unconfirmed') throw new Error(words.unconfirmed);
    setText('');
    setFile(null);
    if (picture.current !== null) picture.current.value = '';
    notify.good(words.posted);
  });
  return (
    <form onSubmit={form.submit} noValidate>
      <TextArea
        label={words.text}
        value={text}
        maxLength={longest}
        error={form.errorOf('message')}
        onChange={(change) => setText(change.target.value)}
      />
      <Field
        ref={picture}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        label={words.picture}
        hint={words.pictureHint}
        error={form.errorOf('mediaBase64')}
        onChange={({ target }) => setFile(target.files?.[0] ?? null)}
      />
      <ErrorText error={form.error} />
      <div className="row end">
        <button type="submit" className="primary" disabled={form.busy} aria-busy={form.busy}>
          {words.post}
        </button>
      </div>
    </form>
  );
};

interface Props {
  readonly device: Device;
  readonly channel: Channel;
  readonly done: () => void;
  readonly close: () => void;
}

const Leave = ({ device, channel, done, close }: Props) => {
  const { client } = useAccount();
  const leave = async (): Promise<void> => {
    await client.delete(`/v1/devices/${device.id}/channels/${channel.jid}/following`);
    done();
    close();
  };
  return (
    <Action className="danger quiet" act={leave} done={words.left}>
      {words.unfollow}
    </Action>
  );
};

export const OneChannel = ({ device, channel: found, done, close }: Props) => {
  const { client } = useAccount();
  const may = useMay();
  const [channel, setChannel] = useState(found);
  const [asking, setAsking] = useState<'change' | 'delete' | null>(null);
  const path = `/v1/devices/${device.id}/channels/${channel.jid}/messages?limit=30`;
  const posts = useLoad(async () => (await client.get<Answer<'listChannelMessages'>>(path)).messages, path);
  useEvents(device.id, ({ type }) => {
    if (type === 'channel.message' || type === 'channel.message.updated') posts.reload();
  });
  const { role, description, link } = channel;
  const own = role === 'owner' || role === 'admin';
  const changed = (now: Channel): void => {
    setChannel(now);
    setAsking(null);
    done();
  };
  if (asking === 'delete')
    return <Remove {...{ device, channel }} done={() => (done(), close())} close={() => setAsking(null)} />;
  return (
    <Dialog title={channel.name ?? channel.jid} close={close}>
      <div className="stack">
        {description !== null && <p className="group-description">{description}</p>}
        <div className="row">
          {link !== null && <CopyButton text={link} label={words.copyLink} />}
          {own && may('manage') && (
            <button type="button" className="quiet" onClick={() => setAsking(asking === null ? 'change' : null)}>
              {words.change}
            </button>
          )}
          {role === 'follower' && may('manage') && <Leave {...{ device, channel, done, close }} />}
          {role === 'owner' && may('manage') && (
            <button type="button" className="danger quiet" onClick={() => setAsking('delete')}>
              {words.remove}
            </button>
          )}
        </div>
        {role !== 'guest' && may('manage') && <Mute {...{ device, channel, changed }} />}
        {asking === 'change' && <Change {...{ device, channel, changed }} />}
        {asking === null && own && may('send') && <Post device={device} channel={channel} done={posts.reload} />}
        <Await of={posts}>
          {(all) =>
            all.length === 0 ? (
              <Empty title={words.noPosts} />
            ) : (
              <ul className="members" aria-label={words.posts}>
                {all.map((post) => (
                  <OnePost key={post.serverId} {...{ device, channel, post }} done={posts.reload} />
                ))}
              </ul>
            )
          }
        </Await>
      </div>
    </Dialog>
  );
};
