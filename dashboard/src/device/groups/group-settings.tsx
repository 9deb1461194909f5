/** The settings of a group: its words, its picture, who may do what, and leaving it. */
import { type FormEvent, useRef, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Group } from '../../api/group.ts';
import { texts } from '../../base/texts.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { Action, Field } from '../../ui/parts.tsx';
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
  const submit = (form: FormEvent): void => {
    form.preventDefault();
    const change = {
      ...(subject.trim() === group.subject ? {} : { subject: subject.trim() }),
      ...(description.trim() === (group.description ?? '') ? {} : { description: description.trim() || null }),
    };
    if (Object.keys(change).length > 0) void save(change);
  };
  return (
    <form onSubmit={submit}>
      <Field
        label={words.subject}
        maxLength={100}
        required
        value={subject}
        onChange={(input) => setSubject(input.target.value)}
      />
      <Field
        label={words.description}
        maxLength={2048}
        value={description}
        onChange={(input) => setDescription(input.target.value)}
      />
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
  const set = async (file: File): Promise<void> => {
    try {
      await client.put(path, { mediaBase64: await dataUrlOf(file) });
      notify.good(words.pictureSet);
      reload();
    } catch (error) {
      notify.bad(error);
    }
  };
  return (
    <div className="row">
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        aria-label={words.picture}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file !== undefined) void set(file);
          target.value = '';
        }}
      />
      <button type="button" onClick={() => input.current?.click()}>
        {words.setPicture}
      </button>
      <Action className="quiet" done={words.pictureRemoved} act={() => client.delete(path)}>
        {words.removePicture}
      </Action>
    </div>
  );
};

const switches = ['announceOnly', 'locked', 'joinApproval'] as const;

interface RulesProps extends FormProps {
  readonly busy: boolean;
}

const Rules = ({ group, save, busy }: RulesProps) => (
  <>
    {switches.map((name) => (
      <label key={name} className="check">
        <input
          type="checkbox"
          role="switch"
          checked={group[name]}
          disabled={busy}
          onChange={(input) => void save({ [name]: input.target.checked })}
        />
        {words.rules[name]}
      </label>
    ))}
    <label className="check">
      <input
        type="checkbox"
        role="switch"
        checked={group.memberAddMode === 'admins'}
        disabled={busy}
        onChange={(input) => void save({ memberAddMode: input.target.checked ? 'admins' : 'everyone' })}
      />
      {words.rules.memberAddMode}
    </label>
    <TimerChoice
      seconds={group.expiresInSeconds}
      disabled={busy}
      choose={(expiresInSeconds) => void save({ expiresInSeconds })}
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
      replace((await client.put<{ group: Group }>(groupPath(device, group.jid), change)).group);
      notify.good(texts.device.saved);
    } catch (error) {
      notify.bad(error);
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
