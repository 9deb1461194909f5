/** The statuses of the last day: posting a text or a file, who saw the account's own, and those of contacts, looked at and liked. */
import { useMemo, useRef, useState } from 'react';
import { useAccount, useEvents, useMay } from '../account/account.tsx';
import type { Device, StatusPost } from '../api/types.ts';
import type { Answer } from '../api/schemas.ts';
import { useLoad } from '../api/hooks.ts';
import { dataUrlOf } from '../outbox/post.ts';
import { fullTime, phoneNumber } from '../base/format.ts';
import { texts } from '../base/texts.ts';
import { randomId } from '../outbox/outbox.ts';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { FieldError, useForm } from '../ui/form.ts';
import { Action, Await, Empty, ErrorText, Field, TextArea } from '../ui/parts.tsx';
import { useNotify } from '../ui/notices.tsx';
import { addressesIn, nobody, type People, PeopleField, settled } from './groups/people-field.tsx';
import { SelectSetting, StatusesSetting } from './kept.tsx';
import { useSettings } from './use-settings.ts';

const words = texts.statuses;

const longest = 700;

const maxBytes = 10_485_760;

/** A recording is a voice message, which the service converts where it has another form. */
const typeOf = (file: File): 'image' | 'video' | 'voice' => {
  if (file.type.startsWith('video/')) return 'video';
  return file.type.startsWith('audio/') ? 'voice' : 'image';
};

const bodyOf = async (text: string, file: File | null): Promise<object> => {
  if (file === null) {
    if (text.trim() === '') throw new FieldError('text', words.needsText);
    return { text };
  }
  const type = typeOf(file);
  if (file.size > maxBytes) throw new FieldError('mediaBase64', words.tooLarge);
  if (type === 'voice' && text.trim() !== '') throw new FieldError('text', words.voiceHasNoText);
  const mediaBase64 = await dataUrlOf(file).catch(() => {
    throw new FieldError('mediaBase64', words.unreadable);
  });
  return { type, mediaBase64, ...(text.trim() !== '' && { mediaCaption: text }) };
};

/** `phone`: as the owner of the account has chosen there. `people` of `only` and `except`. */
interface Audience {
  readonly choice: keyof typeof words.audiences;
  readonly people: People;
}

const ofContacts: Audience = { choice: 'phone', people: nobody };

const namesPeople = ({ choice }: Audience): boolean => choice === 'only' || choice === 'except';

const audienceIn = (audience: Audience): object => {
  if (audience.choice === 'phone') return {};
  if (audience.choice === 'contacts') return { audience: audience.choice };
  const addresses = addressesIn(audience.people);
  if (addresses.length === 0) throw new FieldError('members', words.needsPeople);
  return { audience: { [audience.choice]: addresses } };
};

interface AudienceFieldProps {
  readonly device: Device;
  readonly audience: Audience;
  readonly change: (audience: Audience) => void;
  readonly refused: string | null;
}

const AudienceField = ({ device, audience, change, refused }: AudienceFieldProps) => (
  <>
    <SelectSetting
      label={words.audience}
      hint={words.audienceHint}
      value={audience.choice}
      options={words.audiences}
      save={(choice) => change({ ...audience, choice })}
    />
    {namesPeople(audience) && (
      <PeopleField
        device={device}
        people={audience.people}
        change={(people) => change({ ...audience, people })}
        refused={refused}
      />
    )}
  </>
);

const Post = ({ device, done }: { readonly device: Device; readonly done: () => void }) => {
  const { client } = useAccount();
  const notify = useNotify();
  const chosen = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [audience, setAudience] = useState(ofContacts);
  const people = settled(audience.people);
  // A repeat after a lost response posts nothing again.
  const key = useMemo(randomId, [text, file, audience.choice, people.chosen.map(({ address }) => address).join()]);
  const form = useForm(['text', 'mediaBase64', ...(namesPeople(audience) ? ['audience', 'members'] : [])], async () => {
    const path = `/v1/devices/${device.id}/status`;
    setAudience({ ...audience, people });
    const body = { ...(await bodyOf(text, file)), ...audienceIn({ ...audience, people }) };
    const { recipients } = await client.post<Answer<'postStatus'>>(path, body, key);
    setText('');
    setFile(null);
    if (chosen.current !== null) chosen.current.value = '';
    notify.good(words.posted(recipients));
    done();
  });
  return (
    <form onSubmit={form.submit} noValidate>
      <TextArea
        label={words.text}
        value={text}
        maxLength={longest}
        error={form.errorOf('text')}
        onChange={(change) => setText(change.target.value)}
      />
      <Field
        ref={chosen}
        type="file"
        accept="image/*,video/*,audio/*"
        label={words.file}
        hint={words.fileHint}
        error={form.errorOf('mediaBase64')}
        onChange={({ target }) => setFile(target.files?.[0] ?? null)}
      />
      <AudienceField
        device={device}
        audience={audience}
        change={setAudience}
        refused={form.errorOf('members') ?? form.errorOf('audience')}
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

interface OneProps {
  readonly device: Device;
  readonly id: string;
  readonly close: () => void;
}

const nameOf = (number: string | null, username: string | null, jid: string): string => {
  if (number !== null) return phoneNumber(number);
  return username === null ? jid : `@${username}`;
};

const Viewers = ({ device, id, close }: OneProps) => {
  const { client } = useAccount();
  const path = `/v1/devices/${device.id}/status/${encodeURIComponent(id)}/viewers?limit=1000`;
  const viewers = useLoad(async () => (await client.get<Answer<'listStatusViewers'>>(path)).viewers, path);
  return (
    <Dialog title={words.viewers} close={close}>
      <Await of={viewers}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={words.nobody} />
          ) : (
            <ul className="members" aria-label={words.viewers}>
              {all.map(({ person, viewedAt, reaction }) => (
                <li key={person.jid}>
                  <span>{nameOf(person.number, person.username, person.jid)}</span>
                  <span className="dim">
                    {viewedAt === null ? words.delivered : fullTime(viewedAt)} {reaction}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Await>
    </Dialog>
  );
};

const authorOf = ({ own, fromNumber, fromUsername, from, pushName }: StatusPost): string =>
  own ? words.own : (pushName ?? nameOf(fromNumber, fromUsername, from));

const wordOf = (type: StatusPost['type']): string => {
  if (type === 'video' || type === 'audio' || type === 'image') return words.types[type];
  return words.types.other;
};

/** Both are told to the author, so they are done only on request. */
const Acts = ({ device, id }: { readonly device: Device; readonly id: string }) => {
  const { client } = useAccount();
  const path = `/v1/devices/${device.id}/status/${encodeURIComponent(id)}`;
  return (
    <span className="row">
      <Action className="quiet" act={() => client.post(`${path}/view`, {})} done={words.viewed}>
        {words.view}
      </Action>
      <Action className="quiet" act={() => client.put(`${path}/reaction`, { reaction: '💚' })} done={words.liked}>
        {words.like}
      </Action>
    </span>
  );
};

const Row = ({
  device,
  status,
  reload,
}: {
  readonly device: Device;
  readonly status: StatusPost;
  readonly reload: () => void;
}) => {
  const { client } = useAccount();
  const may = useMay();
  const [asking, setAsking] = useState<'viewers' | 'delete' | null>(null);
  const close = (): void => setAsking(null);
  const { id, own, text, type, timestamp, deletedAt, recipients } = status;
  const remove = async (): Promise<void> => {
    await client.delete(`/v1/devices/${device.id}/status/${encodeURIComponent(id)}`);
    reload();
  };
  return (
    <li>
      <span>
        <strong>{authorOf(status)}</strong> <span>{text ?? wordOf(type)}</span>
        <span className="dim"> {deletedAt === null ? fullTime(timestamp) : words.deleted}</span>
      </span>
      {own && deletedAt === null && (
        <span className="row">
          <button type="button" className="quiet" onClick={() => setAsking('viewers')}>
            {words.viewers}
          </button>
          {recipients !== null && may('send') && (
            <button type="button" className="danger quiet" onClick={() => setAsking('delete')}>
              {words.remove}
            </button>
          )}
        </span>
      )}
      {!own && deletedAt === null && may('send') && <Acts device={device} id={id} />}
      {asking === 'viewers' && <Viewers device={device} id={id} close={close} />}
      {asking === 'delete' && (
        <ConfirmDialog
          title={words.removeTitle}
          text={words.removeText}
          action={words.remove}
          done={words.removed}
          act={remove}
          close={close}
        />
      )}
    </li>
  );
};

export const Statuses = ({ device }: { readonly device: Device }) => {
  const { client, generation } = useAccount();
  const may = useMay();
  const settings = useSettings(device);
  const path = `/v1/devices/${device.id}/status?limit=200`;
  const statuses = useLoad(
    async () => (await client.get<Answer<'listStatuses'>>(path)).statuses,
    `${path} ${generation}`,
  );
  useEvents(device.id, ({ type }) => {
    if (type === 'status.received' || type === 'status.deleted') statuses.reload();
  });
  return (
    <div className="stack">
      {may('send') && (
        <section className="card stack" aria-labelledby="post-title">
          <h2 id="post-title">{words.title}</h2>
          <Post device={device} done={statuses.reload} />
        </section>
      )}
      <section className="card stack" aria-labelledby="statuses-title">
        <h2 id="statuses-title">{words.lastDay}</h2>
        <Await of={statuses}>
          {(all) =>
            all.length === 0 ? (
              <Empty title={words.none} />
            ) : (
              <ul className="members" aria-label={words.lastDay}>
                {all.map((status) => (
                  <Row key={status.id} device={device} status={status} reload={statuses.reload} />
                ))}
              </ul>
            )
          }
        </Await>
        {may('manage') && <StatusesSetting settings={settings} />}
      </section>
    </div>
  );
};
