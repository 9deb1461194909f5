/** Device settings as stored: those with numbers or texts sealed, the others as JSON. */
import { type DeviceSettings, defaultSettings } from '../../domain/device.ts';
import { contextOf, type SealedJson, type Sealer } from './sealer.ts';
import { pick } from '../base/unit.ts';

export type StoredSettings = Partial<Omit<DeviceSettings, 'proxy'>>;

interface SettingsRow {
  readonly id: number;
  readonly settings: string | null;
  readonly sealed_settings: SealedJson<StoredSettings> | null;
}

const contextFor = (row: SettingsRow): string => contextOf('devices.sealed_settings', row);

/** `media` is read by SQL; all others are sealed. */
const plainNames = ['online', 'readReceipts', 'history', 'newChatsPerDay', 'media', 'statuses', 'channels'] as const;
const isPlain = (name: string): boolean => plainNames.some((each) => each === name);

const settingNames = [...plainNames, 'rejectCalls', 'presence', 'stopWords'] as const;

type PlainRow = Pick<SettingsRow, 'settings'>;

const plainSettings = ({ settings }: PlainRow): StoredSettings => (settings === null ? {} : JSON.parse(settings));

export const keepsMedia = (row: PlainRow): boolean => plainSettings(row).media === 'kept';

const storedSettings = (sealer: Sealer, row: SettingsRow): StoredSettings => ({
  ...(row.sealed_settings === null ? {} : sealer.openKept(row.sealed_settings, contextFor(row))),
  ...plainSettings(row),
});

export const settingsOf = (sealer: Sealer, row: SettingsRow): Omit<DeviceSettings, 'proxy'> =>
  pick({ ...defaultSettings, ...storedSettings(sealer, row) }, settingNames);

/** Settings stored by a later version are kept. */
export const changedSettings = (sealer: Sealer, row: SettingsRow, patch: StoredSettings) => {
  const all = Object.entries({ ...storedSettings(sealer, row), ...patch });
  const plain = all.filter(([name]) => isPlain(name));
  const sealed = Object.fromEntries(all.filter(([name]) => !isPlain(name)));
  return {
    settings: plain.length === 0 ? null : JSON.stringify(Object.fromEntries(plain)),
    sealed_settings: Object.keys(sealed).length === 0 ? null : sealer.sealJson<StoredSettings>(sealed, contextFor(row)),
  };
};
