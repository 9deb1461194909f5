/** How a companion learns whether the chats of its account with persons go by LID. */
import { proto, type BinaryNode } from 'baileys';
import type { Account } from '../../base/types.ts';
import { element } from '../../base/nodes.ts';

/** `lid_one_on_one_migration_enabled` (zapo spec/abprops, 2026-08); absent for other accounts (whatsapp-rust #941, 2026-07-02). */
const MIGRATION_PROPERTY = '9435';

/** `<client-props>` of `pair-success` (whatsmeow pair.go, 2026-08). */
export const clientProps = ({ migrated, migrationTold }: Account): BinaryNode[] => {
  if (!migrationTold.includes('clientProps')) return [];
  const props = proto.ClientPairingProps.encode({ isChatDbLidMigrated: migrated }).finish();
  return [element('client-props', {}, props)];
};

/** The property of the account that tells it. */
export const migrationProperty = ({ migrated, migrationTold }: Account): Readonly<Record<string, string>> =>
  migrated && migrationTold.includes('property') ? { [MIGRATION_PROPERTY]: 'true' } : {};
