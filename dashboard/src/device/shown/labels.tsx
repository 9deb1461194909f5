/** The labels of an account, which the phone shows as lists: their names beside chats and messages, and a filter. */
import { createContext, useCallback, useContext, useEffect, useState } from 'react';
import { useAccount, useEvents } from '../../account/account.tsx';
import { useLoad } from '../../api/hooks.ts';
import type { Answer, Schemas } from '../../api/schemas.ts';
import { texts } from '../../base/texts.ts';

export type Label = Schemas['Label'];

const words = texts.inbox.labels;

/** More than accounts have. */
const maxLabels = 1_000;

interface Labels {
  /** Empty until they are loaded. */
  readonly labels: readonly Label[];
  readonly want: () => void;
}

/** Loaded once something is labelled, since most accounts have none. */
export const useDeviceLabels = (deviceId: number): Labels => {
  const { client, generation } = useAccount();
  const [isWanted, setWanted] = useState(false);
  const want = useCallback(() => setWanted(true), []);
  const path = `/v1/devices/${deviceId}/labels?limit=${maxLabels}`;
  const load = async () => (await client.get<Answer<'listLabels'>>(path)).labels;
  const labels = useLoad<readonly Label[]>(load, isWanted ? `${generation} ${path}` : null);
  useEvents(deviceId, (event) => {
    if (event.type !== 'label.updated') return;
    want();
    const { label, deleted } = event.data;
    labels.change((all) => {
      if (deleted) return all.filter(({ id }) => id !== label.id);
      const isKnown = all.some(({ id }) => id === label.id);
      return isKnown ? all.map((one) => (one.id === label.id ? label : one)) : [...all, label];
    });
  });
  return { labels: labels.value ?? [], want };
};

export const LabelsContext = createContext<Labels>({ labels: [], want: () => undefined });

/** `isNeeded`: they are to be loaded if they are not. */
export const useLabels = (isNeeded: boolean): readonly Label[] => {
  const { labels, want } = useContext(LabelsContext);
  useEffect(() => {
    if (isNeeded) want();
  }, [isNeeded, want]);
  return labels;
};

/** The others the app keeps by itself. */
export const isGiven = ({ type }: Label): boolean => type === 'custom' || type === 'predefined';

/** Names of the app's own labels begin with an invisible mark. */
export const labelName = ({ name }: Label): string => name.replace(/^\u200E/, '');

export const longestName = 100;

const tints = 7;

export const colorClass = (color: number | null): string => `label-chip tint-${(color ?? 0) % tints}`;

export const LabelChips = ({ ids }: { readonly ids: readonly string[] }) => {
  const shown = useLabels(ids.length > 0).filter(({ id }) => ids.includes(id));
  if (shown.length === 0) return null;
  return (
    <span className="label-chips">
      <span className="visually-hidden">{words.title}:</span>
      {shown.map((label) => (
        <span key={label.id} className={colorClass(label.color)}>
          {labelName(label)}
        </span>
      ))}
    </span>
  );
};

interface FilterProps {
  /** Null: all chats. */
  readonly label: string | null;
  readonly choose: (label: string | null) => void;
}

export const LabelFilter = ({ label, choose }: FilterProps) => {
  const labels = useLabels(false);
  if (labels.length === 0) return null;
  return (
    <select
      className="label-filter"
      aria-label={words.filter}
      value={label ?? ''}
      onChange={({ target: { value } }) => choose(value === '' ? null : value)}
    >
      <option value="">{words.all}</option>
      {labels.map((each) => (
        <option key={each.id} value={each.id}>
          {labelName(each)}
        </option>
      ))}
    </select>
  );
};
