/** The channels of the account: those that it follows, and its own. */
import { useMemo, useState } from 'react';
import { useAccount, useEvents, useMay } from '../account/account.tsx';
import type { Channel, Device } from '../api/types.ts';
import { ApiError } from '../api/client.ts';
import type { Answer } from '../api/schemas.ts';
import { useLoad } from '../api/hooks.ts';
import { texts } from '../base/texts.ts';
import { randomId } from '../outbox/outbox.ts';
import { Dialog } from '../ui/dialog.tsx';
import { FieldError, useForm } from '../ui/form.ts';
import { useNotify } from '../ui/notices.tsx';
import { Await, Empty, ErrorText, Field } from '../ui/parts.tsx';
import { OneChannel } from './channels/channel-dialog.tsx';
import { NameFields } from './channels/channel-settings.tsx';
import { ChannelsSetting } from './kept.tsx';
import { useSettings } from './use-settings.ts';

const words = texts.channels;

interface DialogProps {
  readonly device: Device;
  readonly done: () => void;
  readonly close: () => void;
}

const Follow = ({ device, done, close }: DialogProps) => {
  const { client } = useAccount();
  const notify = useNotify();
  const [link, setLink] = useState('');
  const form = useForm(['channel'], async () => {
    if (link.trim() === '') throw new FieldError('channel', words.needsLink);
    const path = `/v1/devices/${device.id}/channels/${encodeURIComponent(link.trim())}/following`;
    await client.put<Answer<'followChannel'>>(path, {});
    notify.good(words.followed);
    done();
    close();
  });
  return (
    <Dialog title={words.follow} close={close}>
      <form onSubmit={form.submit} noValidate>
        <Field
          label={words.link}
          placeholder="https://whatsapp.com/channel/…"
          value={link}
          error={form.errorOf('channel')}
          onChange={(change) => setLink(change.target.value)}
        />
        <ErrorText error={form.error} />
        <div className="row end">
          <button type="submit" className="primary" disabled={form.busy} aria-busy={form.busy}>
            {words.followNow}
          </button>
        </div>
      </form>
    </Dialog>
  );
};

/** The terms are the owner's to accept: nothing is ticked before. */
const Create = ({ device, done, close }: DialogProps) => {
  const { client } = useAccount();
  const notify = useNotify();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [acceptTerms, setAccept] = useState(false);
  // A repeat after a lost response makes no second channel.
  const key = useMemo(randomId, [name, description, acceptTerms]);
  const form = useForm(['name', 'description'], async () => {
    if (name.trim() === '') throw new FieldError('name', words.needsName);
    const given = { name: name.trim(), ...(description.trim() !== '' && { description: description.trim() }) };
    const body = { ...given, acceptTerms };
    try {
      await client.post<Answer<'createChannel'>>(`/v1/devices/${device.id}/channels`, body, key);
    } catch (error) {
      if (error instanceof ApiError && error.code === 409 && !acceptTerms)
        throw new Error(words.needsTerms, { cause: error });
      throw error;
    }
    notify.good(words.created);
    done();
    close();
  });
  return (
    <Dialog title={words.create} close={close}>
      <form onSubmit={form.submit} noValidate>
        <NameFields {...{ name, description, setName, setDescription }} errorOf={form.errorOf} />
        <label className="check">
          <input type="checkbox" checked={acceptTerms} onChange={({ target }) => setAccept(target.checked)} />
          {words.acceptTerms}
        </label>
        <p className="hint">{words.termsHint}</p>
        <ErrorText error={form.error} />
        <div className="row end">
          <button type="submit" className="primary" disabled={form.busy} aria-busy={form.busy}>
            {words.createNow}
          </button>
        </div>
      </form>
    </Dialog>
  );
};

const Rows = ({ all, open }: { readonly all: readonly Channel[]; readonly open: (channel: Channel) => void }) => (
  <ul className="members" aria-label={words.title}>
    {all.map((channel) => (
      <li key={channel.jid}>
        <span>
          <strong>{channel.name ?? channel.jid}</strong> <span>{words.roles[channel.role]}</span>
          {channel.followers !== null && <span className="dim"> {words.followers(channel.followers)}</span>}
        </span>
        <button type="button" className="quiet" onClick={() => open(channel)}>
          {words.open}
          <span className="visually-hidden"> {channel.name ?? channel.jid}</span>
        </button>
      </li>
    ))}
  </ul>
);

export const Channels = ({ device }: { readonly device: Device }) => {
  const { client, generation } = useAccount();
  const may = useMay();
  const settings = useSettings(device);
  const [asking, setAsking] = useState<'follow' | 'create' | Channel | null>(null);
  const close = (): void => setAsking(null);
  const path = `/v1/devices/${device.id}/channels?limit=1000`;
  const key = `${path} ${generation} ${device.status}`;
  const channels = useLoad(async () => (await client.get<Answer<'listChannels'>>(path)).channels, key);
  useEvents(device.id, ({ type }) => {
    if (type === 'channel.updated') channels.reload();
  });
  const dialog = { device, done: channels.reload, close };
  return (
    <section className="card stack" aria-labelledby="channels-title">
      <h2 id="channels-title">{words.title}</h2>
      {may('manage') && (
        <div className="row">
          <button type="button" onClick={() => setAsking('follow')}>
            {words.follow}
          </button>
          <button type="button" onClick={() => setAsking('create')}>
            {words.create}
          </button>
        </div>
      )}
      <Await of={channels}>
        {(all) => (all.length === 0 ? <Empty title={words.none} /> : <Rows all={all} open={setAsking} />)}
      </Await>
      {may('manage') && <ChannelsSetting settings={settings} />}
      {asking === 'follow' && <Follow {...dialog} />}
      {asking === 'create' && <Create {...dialog} />}
      {asking !== null && typeof asking === 'object' && <OneChannel {...dialog} channel={asking} />}
    </section>
  );
};
