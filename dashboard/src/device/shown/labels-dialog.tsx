/** Chooses the labels of a chat or a message; makes new ones, and changes them. */
import { useMemo, useState } from 'react';
import { useAccount } from '../../account/account.tsx';
import type { Answer } from '../../api/schemas.ts';
import { texts } from '../../base/texts.ts';
import { randomId } from '../../outbox/outbox.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { icons } from '../../ui/icons.tsx';
import { Action, Field } from '../../ui/parts.tsx';
import { LabelEditor } from './label-editor.tsx';
import { isGiven, type Label, labelName, longestName, useLabels } from './labels.tsx';

const words = texts.inbox.labels;

interface RowProps {
  readonly label: Label;
  readonly checked: boolean;
  readonly choose: (on: boolean) => void;
  readonly edit: () => void;
}

const Row = ({ label, checked, choose, edit }: RowProps) => (
  <div className="row between">
    <label className="check">
      <input type="checkbox" checked={checked} onChange={({ target }) => choose(target.checked)} />
      {labelName(label)}
    </label>
    {label.type === 'custom' && (
      <button type="button" className="icon" aria-label={words.editOf(labelName(label))} onClick={edit}>
        {icons.edit}
      </button>
    )}
  </div>
);

interface Props {
  readonly deviceId: number;
  /** Ids of those that it has now. */
  readonly chosen: readonly string[];
  readonly save: (labels: readonly string[]) => Promise<unknown>;
  readonly close: () => void;
}

export const LabelsDialog = ({ deviceId, chosen, save, close }: Props) => {
  const { client } = useAccount();
  const labels = useLabels(true).filter(isGiven);
  const [wanted, setWanted] = useState(chosen);
  const [name, setName] = useState('');
  const [edited, edit] = useState<string | null>(null);
  // A repeat after a lost response uses the same key; another name gets a new one.
  const key = useMemo(randomId, [name]);
  const choose = (id: string, on: boolean): void =>
    setWanted((old) => (on ? [...old, id] : old.filter((one) => one !== id)));
  const create = async (): Promise<void> => {
    const path = `/v1/devices/${deviceId}/labels`;
    const { label } = await client.post<Answer<'createLabel'>>(path, { name: name.trim() }, key);
    choose(label.id, true);
    setName('');
  };
  const changed = labels.find(({ id }) => id === edited);
  if (changed !== undefined)
    return (
      <Dialog key="editor" title={words.editOf(labelName(changed))} close={close}>
        <LabelEditor deviceId={deviceId} label={changed} close={() => edit(null)} deleted={(id) => choose(id, false)} />
      </Dialog>
    );
  return (
    <Dialog title={words.title} close={close}>
      {labels.length === 0 && <p className="hint">{words.none}</p>}
      <div className="label-choices">
        {labels.map((label) => (
          <Row
            key={label.id}
            label={label}
            checked={wanted.includes(label.id)}
            choose={(on) => choose(label.id, on)}
            edit={() => edit(label.id)}
          />
        ))}
      </div>
      <Field
        label={words.name}
        value={name}
        maxLength={longestName}
        onChange={({ target: { value } }) => setName(value)}
      />
      <div className="row end">
        <Action className="quiet" disabled={name.trim() === ''} act={create}>
          {words.create}
        </Action>
        <Action
          act={async () => {
            await save(wanted);
            close();
          }}
        >
          {texts.save}
        </Action>
      </div>
    </Dialog>
  );
};
