/** The settings of a group: subject, description, picture, permissions, and leaving it. */
import { useId, useRef, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Group } from '../../api/group.ts';
import type { Answer } from '../../api/schemas.ts';
import { texts } from '../../base/texts.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { useForm } from '../../ui/form.ts';
import { Action, ErrorText, Field } from '../../ui/parts.tsx';
import { Switch } from '../../ui/switch.tsx';
import { TimerChoice } from './timer-choice.tsx';
import { dataUrlOf } from '../../outbox/post.ts';
import type { GroupPart } from './members.tsx';
import { groupPath } from './use-group.ts';

const words = texts.groups;

type GroupChange = Partial<
  Pick<
    Group,
    'subject' | 'description' | 'announceOnly' | 'locked' | 'joinApproval' | 'memberAddMode' | 'expiresInSeconds'
  >
>;

interface FormProps {
  readonly group: Group;
  readonly save: (change: GroupChange) => Promise<void>;
}

const Words = ({ group, save }: FormProps) => {
  const [subject, setSubject] = useState(group.subject);
  const [description, setDescription] = useState(group.description ?? '');
  const { error, errorOf, submit } = useForm(['subject', 'description'], async () => {
    const change = {
      ...(subject.trim() === group.subject ? {} : { subject: subject.trim() }),
      ...(description.trim() === (group.description ?? '') ? {} : { description: description.trim() || null }),
    };
    if (Object.keys(change).length > 0) await save(change);
  });
  return (
    <form onSubmit={submit} noValidate>
      <Field
        label={words.subject}
        maxLength={100}
        error={errorOf('subject')}
        value={subject}
        onChange={(input) => setSubject(input.target.value)}
      />
      <Field
        label={words.description}
        maxLength={2048}
        error={errorOf('description')}
        value={description}
        onChange={(input) => setDescription(input.target.value)}
      />
      <ErrorText error={error} />
      <div className="row end">
        <button type="submit">{texts.save}</button>
      </div>
    </form>
  );
};

const Picture = ({ device, known: { group, reload } }: GroupPart) => {
  const { client } = useAccount();
  const notify = useNotify();
  const input = useRef<HTMLInputElement>(null);
  const path = `${groupPath(device, group.jid)}/picture`;
  const id = useId();
  const { error, submit } = useForm([], async () => {
    const [file] = input.current?.files ?? [];
    if (file === undefined) return;
    await client.put(path, { mediaBase64: await dataUrlOf(file) });
    notify.good(words.pictureSet);
    reload();
  });
  return (
    <>
      <div className="row">
        <input
          ref={input}
          type="file"
          accept="image/*"
          hidden
          aria-label={words.picture}
          onClick={({ currentTarget }) => (currentTarget.value = '')}
          onChange={() => submit()}
        />
        <button type="button" aria-describedby={error === null ? undefined : id} onClick={() => input.current?.click()}>
          {words.setPicture}
        </button>
        <Action className="quiet" done={words.pictureRemoved} act={() => client.delete(path)}>
          {words.removePicture}
        </Action>
      </div>
      <ErrorText id={id} error={error} />
    </>
  );
};

const switches = ['announceOnly', 'locked', 'joinApproval'] as const;

interface RulesProps extends FormProps {
  readonly busy: boolean;
}

const Rules = ({ group, save, busy }: RulesProps) => (
  <>
    {switches.map((name) => (
      <Switch
        key={name}
        label={words.rules[name]}
        on={group[name]}
        disabled={busy}
        set={(on) => save({ [name]: on })}
      />
    ))}
    <Switch
      label={words.rules.memberAddMode}
      on={group.memberAddMode === 'admins'}
      disabled={busy}
      set={(on) => save({ memberAddMode: on ? 'admins' : 'everyone' })}
    />
    <TimerChoice
      seconds={group.expiresInSeconds}
      disabled={busy}
      choose={(expiresInSeconds) => save({ expiresInSeconds })}
    />
  </>
);

const Leave = ({ device, known: { group, reload } }: GroupPart) => {
  const { client } = useAccount();
  const [asking, ask] = useState(false);
  const leave = async (): Promise<void> => {
    await client.delete(groupPath(device, group.jid));
    reload();
  };
  return (
    <div className="row end">
      <button type="button" className="danger" onClick={() => ask(true)}>
        {words.leave}
      </button>
      {asking && (
        <ConfirmDialog
          title={words.leaveTitle(group.subject)}
          text={words.leaveText}
          action={words.leave}
          done={words.left}
          act={leave}
          close={() => ask(false)}
        />
      )}
    </div>
  );
};

export const GroupSettings = (part: GroupPart) => {
  const { device, known } = part;
  const { group, isAdmin, replace } = known;
  const { client } = useAccount();
  const notify = useNotify();
  const [busy, setBusy] = useState(false);
  const save = async (change: GroupChange): Promise<void> => {
    setBusy(true);
    try {
      replace((await client.put<Answer<'updateGroup'>>(groupPath(device, group.jid), change)).group);
      notify.good(texts.device.saved);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="stack">
      {(isAdmin || !group.locked) && (
        <>
          <Words group={group} save={save} />
          <Picture {...part} />
        </>
      )}
      {isAdmin ? <Rules group={group} save={save} busy={busy} /> : <p className="hint">{words.forAdmins}</p>}
      <Leave {...part} />
    </div>
  );
};
