/** What is changed of a channel: by its followers whether it is muted; by its administrators what it is called and takes; by its owner its end. */
import { useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Channel, Device } from '../../api/types.ts';
import type { Answer } from '../../api/schemas.ts';
import { texts } from '../../base/texts.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { FieldError, useForm } from '../../ui/form.ts';
import { useNotify } from '../../ui/notices.tsx';
import { Choice, ErrorText, Field, TextArea } from '../../ui/parts.tsx';
import { Switch } from '../../ui/switch.tsx';

const words = texts.channels;

const longestName = 100;
const longestDescription = 2_048;
const kinds = ['all', 'basic', 'none'] as const;

interface NameProps {
  readonly name: string;
  readonly description: string;
  readonly setName: (name: string) => void;
  readonly setDescription: (description: string) => void;
  readonly errorOf: (field: 'name' | 'description') => string | null;
}

export const NameFields = ({ name, description, setName, setDescription, errorOf }: NameProps) => (
  <>
    <Field
      label={words.name}
      value={name}
      maxLength={longestName}
      error={errorOf('name')}
      onChange={(change) => setName(change.target.value)}
    />
    <TextArea
      label={words.description}
      value={description}
      maxLength={longestDescription}
      error={errorOf('description')}
      onChange={(change) => setDescription(change.target.value)}
    />
  </>
);

interface Props {
  readonly device: Device;
  readonly channel: Channel;
  readonly changed: (channel: Channel) => void;
}

const pathOf = (device: Device, channel: Channel): string => `/v1/devices/${device.id}/channels/${channel.jid}`;

export const Mute = ({ device, channel, changed }: Props) => {
  const { client } = useAccount();
  return (
    <Switch
      label={words.muted}
      on={channel.muted === true}
      set={async (muted) =>
        changed((await client.put<Answer<'updateChannel'>>(pathOf(device, channel), { muted })).channel)
      }
    />
  );
};

export const Change = ({ device, channel, changed }: Props) => {
  const { client } = useAccount();
  const notify = useNotify();
  const [name, setName] = useState(channel.name ?? '');
  const [description, setDescription] = useState(channel.description ?? '');
  const [reactions, setReactions] = useState(channel.reactions ?? 'all');
  const form = useForm(['name', 'description', 'reactions'], async () => {
    if (name.trim() === '') throw new FieldError('name', words.needsName);
    const body = { name: name.trim(), description: description.trim() === '' ? null : description.trim(), reactions };
    changed((await client.put<Answer<'updateChannel'>>(pathOf(device, channel), body)).channel);
    notify.good(words.saved);
  });
  return (
    <form onSubmit={form.submit} noValidate>
      <NameFields {...{ name, description, setName, setDescription }} errorOf={form.errorOf} />
      <p>{words.reactions}</p>
      <Choice
        label={words.reactions}
        value={reactions}
        options={kinds.map((kind) => [kind, words.reactionKinds[kind]])}
        choose={setReactions}
      />
      <ErrorText error={form.error} />
      <div className="row end">
        <button type="submit" className="primary" disabled={form.busy} aria-busy={form.busy}>
          {words.save}
        </button>
      </div>
    </form>
  );
};

interface RemoveProps {
  readonly device: Device;
  readonly channel: Channel;
  readonly done: () => void;
  readonly close: () => void;
}

export const Remove = ({ device, channel, done, close }: RemoveProps) => {
  const { client } = useAccount();
  return (
    <ConfirmDialog
      title={words.removeTitle}
      text={words.removeText}
      action={words.remove}
      done={words.removed}
      name={channel.name ?? channel.jid}
      act={async () => {
        await client.delete(pathOf(device, channel));
        done();
      }}
      close={close}
    />
  );
};
