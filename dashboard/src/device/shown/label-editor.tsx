/** Renames, recolours and deletes a label. */
import { useId, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import { texts } from '../../base/texts.ts';
import { useForm } from '../../ui/form.ts';
import { Action, ErrorText, Field } from '../../ui/parts.tsx';
import { colorClass, type Label, labelName, longestName } from './labels.tsx';

const words = texts.inbox.labels;

/** Colours of the app's palette (docs/spec/labels.md). */
const palette = Array.from({ length: 20 }, (_, color) => color);

interface DeletionProps {
  readonly name: string;
  readonly remove: () => Promise<void>;
  readonly cancel: () => void;
}

const Deletion = ({ name, remove, cancel }: DeletionProps) => (
  <>
    <p>{words.deleteText(name)}</p>
    <div className="row end">
      <button type="button" className="quiet cancel" autoFocus onClick={cancel}>
        {texts.cancel}
      </button>
      <Action className="danger" act={remove}>
        {words.delete}
      </Action>
    </div>
  </>
);

interface Props {
  readonly deviceId: number;
  readonly label: Label;
  readonly close: () => void;
  readonly deleted: (id: string) => void;
}

export const LabelEditor = ({ deviceId, label, close, deleted }: Props) => {
  const { client } = useAccount();
  const [name, setName] = useState(label.name);
  const [color, setColor] = useState(label.color ?? 0);
  const [isAsked, ask] = useState(false);
  const id = useId();
  const path = `/v1/devices/${deviceId}/labels/${encodeURIComponent(label.id)}`;
  const form = useForm(['name'], async () => {
    await client.put(path, { name: name.trim(), color });
    close();
  });
  const remove = async (): Promise<void> => {
    await client.delete(path);
    deleted(label.id);
    close();
  };
  if (isAsked) return <Deletion name={labelName(label)} remove={remove} cancel={() => ask(false)} />;
  return (
    <form onSubmit={form.submit} noValidate>
      <Field
        label={words.rename}
        value={name}
        maxLength={longestName}
        error={form.errorOf('name')}
        autoFocus
        onChange={({ target: { value } }) => setName(value)}
      />
      <div className="inline">
        <label htmlFor={id}>{words.color}</label>
        <select id={id} value={color} onChange={({ target: { value } }) => setColor(Number(value))}>
          {palette.map((each) => (
            <option key={each} value={each}>
              {words.colorOf(each)}
            </option>
          ))}
        </select>
        <span className={colorClass(color)} aria-hidden="true">
          {name.trim() || '…'}
        </span>
      </div>
      <ErrorText error={form.error} />
      <div className="row end">
        <button type="button" className="quiet danger" onClick={() => ask(true)}>
          {words.delete}
        </button>
        <button type="button" className="quiet" onClick={close}>
          {texts.cancel}
        </button>
        <button type="submit" className="primary" disabled={form.busy || name.trim() === ''} aria-busy={form.busy}>
          {texts.save}
        </button>
      </div>
    </form>
  );
};
